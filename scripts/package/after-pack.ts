// electron-builder runs this after it has packed the archive, before it signs anything. Refuses a package that lacks something
// it needs, holds something that nothing in it needs, or has a file beside the archive whose hash is not in the archive.

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { UNPACKED_LIST, type UnpackedFiles } from '../../src-main/unpacked-files.ts'
import { readArchive, type ArchivedFile } from './archive.ts'
import { packageOf } from './contents.ts'
import { neededFiles } from './needed-files.ts'
import { sha256 } from './unpacked-files.ts'

const ROOT = join(import.meta.dirname, '../..')
/** Binaries, which their packages find by the platform's name. */
const BY_PLATFORM = /^@(?:esbuild|oxc-parser)\//

type Context = {
  readonly appOutDir: string
  readonly packager: { getResourcesDir(appOutDir: string): string }
}

export const afterPack = async ({ appOutDir, packager }: Context): Promise<void> => {
  const resources = packager.getResourcesDir(appOutDir)
  const archived = readArchive(join(resources, 'app.asar'))
  const listed = JSON.parse(readFileSync(join(ROOT, UNPACKED_LIST), 'utf8')) as UnpackedFiles
  const faults = [
    ...contentFaults(archived, await neededFiles(ROOT)),
    ...unpackedFaults(join(resources, 'app.asar.unpacked'), archived, listed),
  ]
  if (faults.length > 0) throw new Error(`electron-builder.yml packs the wrong files:\n  ${faults.join('\n  ')}`)
}

export const contentFaults = (archived: readonly ArchivedFile[], needed: readonly string[]): readonly string[] => {
  const paths = new Set(archived.map(({ path }) => path))
  const packages = new Set(needed.map(packageOf))
  const unused = new Set(archived.map(({ path }) => packageOf(path)).filter((name) => !packages.has(name)))
  return [
    ...needed.filter((path) => !paths.has(path)).map((path) => `${path} is needed and not packaged`),
    ...[...unused]
      .filter((name) => name !== undefined && !BY_PLATFORM.test(name))
      .map((name) => `nothing in the app loads the package ${name}`),
  ]
}

export const unpackedFaults = (
  folder: string,
  archived: readonly ArchivedFile[],
  listed: UnpackedFiles,
): readonly string[] => {
  const known = new Set(archived.filter(({ isUnpacked }) => isUnpacked).map(({ path }) => path))
  const found = globSync('**/*', { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) =>
      join(parentPath, name)
        .slice(folder.length + 1)
        .replaceAll('\\', '/'),
    )
  return [
    ...found.filter((path) => !(path in listed)).map((path) => `${path} is beside the archive, which lacks its hash`),
    ...found.filter((path) => !known.has(path)).map((path) => `${path} is not in the archive's header`),
    ...Object.entries(listed).flatMap(([path, expected]) => {
      if (!found.includes(path)) return [`${path} is missing beside the archive`]
      return expected === null || expected === sha256(join(folder, path)) ? [] : [`${path} changed while it was packed`]
    }),
  ]
}
