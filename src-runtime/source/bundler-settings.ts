// Finds the settings that esbuild would read itself, and for ever where they are a named pipe or a device.

import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { pathsUp, statOf } from '../shared/stat-of.ts'
import { CannotBundle } from './source-error.ts'
import { whyNotReadable } from './source-files.ts'

/** In the folders of modules and all above. */
const SETTINGS = ['package.json', 'tsconfig.json', 'jsconfig.json']

/** Why the settings in a folder, above it, and those that they extend must not be read. Remembers where there is no fault. */
export const createSettingsCheck = (): ((folder: string) => CannotBundle | undefined) => {
  /** Folders and files. Of a folder, also those above it. */
  const checked = new Set<string>()
  /** Of those, folders that do not exist: most of those in which a package may be. */
  const absent = new Set<string>()

  const faultOfFile = (file: string): CannotBundle | undefined => {
    if (checked.has(file)) return undefined
    checked.add(file)
    const stat = statOf(file)
    const why = whyNotReadable(stat)
    if (why !== undefined) {
      checked.delete(file)
      return new CannotBundle(file, why)
    }
    if (stat?.isFile() !== true || file.endsWith('package.json')) return undefined
    return firstOf(extendedBy(file), faultOfFile)
  }

  const faultOfFolder = (folder: string): CannotBundle | undefined => {
    if (checked.has(folder)) return undefined
    const above = dirname(folder)
    const faultAbove = above === folder ? undefined : faultOfFolder(above)
    if (faultAbove !== undefined) return faultAbove
    if (absent.has(above) || statOf(folder) === undefined) absent.add(folder)
    const files = absent.has(folder) ? [] : SETTINGS.map((name) => join(folder, name))
    const fault = firstOf(files, faultOfFile)
    if (fault === undefined) checked.add(folder)
    return fault
  }
  return faultOfFolder
}

export const firstOf = <Item, Found>(
  items: readonly Item[],
  find: (item: Item) => Found | undefined,
): Found | undefined => {
  for (const item of items) {
    const found = find(item)
    if (found !== undefined) return found
  }
  return undefined
}

/** Where a package, or a file in it, may be that a module in a folder imports. */
export const inPackages = (specifier: string, folder: string): readonly string[] =>
  pathsUp(folder).map((at) => join(at, 'node_modules', specifier))

const EXTENDS = /"extends"\s*:\s*(\[[^\]]*\]|"[^"]*")/g

/** Files that settings of TypeScript may extend, whether they exist or not; also of an `extends` in a comment. */
const extendedBy = (file: string): readonly string[] =>
  [...textOf(file).matchAll(EXTENDS)]
    .flatMap(([, value = '']) => value.match(/"[^"]*"/g) ?? [])
    .map((quoted) => quoted.slice(1, -1))
    .flatMap((specifier) =>
      /^\.|^[/\\]|^\w:/.test(specifier) ? [resolve(dirname(file), specifier)] : inPackages(specifier, dirname(file)),
    )
    .flatMap((path) => [path, `${path}.json`, join(path, 'tsconfig.json'), join(path, 'package.json')])

const textOf = (file: string): string => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
