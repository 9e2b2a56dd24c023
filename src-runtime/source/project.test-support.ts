// Creates small projects in temporary folders.

import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

export type TestProject = {
  readonly folder: string
  write(path: string, text: string): void
  /** Saves like an editor: writes another file, then renames it. */
  save(path: string, text: string): void
  remove(path: string): void
  rename(from: string, to: string): void
  dispose(): void
}

const NODE_MODULES = join(import.meta.dirname, '../../node_modules')

/** `packages`: packages of this repository to link, for projects that import schema libraries. */
export const createProject = (
  sources: Readonly<Record<string, string>> = {},
  options: { readonly packages?: boolean; readonly at?: string } = {},
): TestProject => {
  const folder = options.at ?? realpathSync(mkdtempSync(join(tmpdir(), 'wes-source-')))
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  if (options.packages === true) symlinkSync(NODE_MODULES, join(folder, 'node_modules'), 'junction')
  for (const [path, text] of Object.entries(sources)) write(path, text)
  let saves = 0
  return {
    folder,
    write,
    save: (path, text) => {
      const beside = `${path}.tmp${++saves}`
      write(beside, text)
      renameSync(join(folder, beside), join(folder, path))
    },
    remove: (path) => rmSync(join(folder, path), { recursive: true }),
    rename: (from, to) => {
      mkdirSync(dirname(join(folder, to)), { recursive: true })
      renameSync(join(folder, from), join(folder, to))
    },
    dispose: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** A minimal Program. */
export const tinyProgram = (id: string, body = 'return 1'): string =>
  `import { defineProgram } from 'workflow-execution-service'\nexport default defineProgram({ id: '${id}' }, async (ctx, input) => {\n  ${body}\n})\n`
