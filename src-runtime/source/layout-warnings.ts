// What of a project's files is not read, although it seems to be.

import { OWN_MODULE } from './bundling.ts'
import { CONFIG_NAMES } from './config-names.ts'
import { DEFAULT_PROGRAMS, type Discovered } from './discover.ts'
import type { ProjectConfig } from './project-config.ts'
import type { SourceError } from './source-error.ts'
import type { SourceFiles } from './source-files.ts'
import { statOf } from '../shared/stat-of.ts'
import { fileWarning } from './warnings.ts'

export const layoutWarnings = (
  files: SourceFiles,
  { path: config, programs }: ProjectConfig,
  found: Discovered,
): readonly SourceError[] => {
  const built = new Set(found.files.map(withoutEnding))
  return [
    ...CONFIG_NAMES.filter((name) => config !== undefined && name !== config && isThere(files, name)).map((name) =>
      fileWarning(name, `${name} is not read, because there is a ${config}: keep one of them`),
    ),
    // The default is no pattern that somebody wrote.
    ...(programs === DEFAULT_PROGRAMS ? [] : found.unmatched).map((glob) =>
      fileWarning(config ?? '.', `${config}: "${glob}" in "programs" matches no module`),
    ),
    ...found.otherEndings
      // The TypeScript compiler may have written it, beside the module that it compiles.
      .filter((name) => !built.has(withoutEnding(name)) && definesProgram(files, name))
      .map((name) =>
        fileWarning(
          name,
          `${name} calls defineProgram, but is not read because of its ending: rename it, or name it in "programs" of ${config ?? 'wes.config.ts'}`,
        ),
      ),
  ]
}

const isThere = (files: SourceFiles, name: string): boolean => statOf(files.fileOf(name)) !== undefined

const withoutEnding = (name: string): string => name.replace(OWN_MODULE, '')

const definesProgram = (files: SourceFiles, name: string): boolean =>
  /\bdefineProgram\s*[(<]/.test(files.text(name) ?? '')
