// Finds the settings that esbuild would read itself, and for ever where they are a named pipe or a device.

import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { inPackages, statOf } from '../shared/stat-of.ts'
import { extendedBy } from './settings.ts'
import { CannotBundle } from './source-error.ts'
import { whyNotReadable } from './source-files.ts'

/** In the folders of modules and all above. */
const SETTINGS = ['package.json', 'tsconfig.json', 'jsconfig.json']

/** Why the settings in a folder, above it, and those that they extend must not be read. Looks at each folder and file once. */
export const createSettingsCheck = (): ((folder: string) => CannotBundle | undefined) => {
  /** Of folders and files. Of a folder, also of those above it. */
  const faults = new Map<string, CannotBundle | undefined>()
  /** Most of the folders in which a package may be. */
  const absent = new Set<string>()

  const faultOf = (path: string, find: (path: string) => CannotBundle | undefined): CannotBundle | undefined => {
    if (faults.has(path)) return faults.get(path)
    faults.set(path, undefined) // settings may extend each other in circles
    const fault = find(path)
    faults.set(path, fault)
    return fault
  }

  const findInFile = (file: string): CannotBundle | undefined => {
    const stat = statOf(file)
    const why = whyNotReadable(stat)
    if (why !== undefined) return new CannotBundle(file, why)
    if (stat?.isFile() !== true || file.endsWith('package.json')) return undefined
    return firstOf(filesExtendedBy(file), (extended) => faultOf(extended, findInFile))
  }

  const findInFolder = (folder: string): CannotBundle | undefined => {
    const above = dirname(folder)
    const faultAbove = above === folder ? undefined : faultOf(above, findInFolder)
    if (faultAbove !== undefined) return faultAbove
    if (absent.has(above) || statOf(folder) === undefined) {
      absent.add(folder)
      return undefined
    }
    return firstOf(SETTINGS, (name) => faultOf(join(folder, name), findInFile))
  }
  return (folder) => faultOf(folder, findInFolder)
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

/** Those that settings of TypeScript may extend, whether they exist or not. */
const filesExtendedBy = (file: string): readonly string[] =>
  extendedBy(textOf(file))
    .flatMap((base) =>
      /^\.|^[/\\]|^\w:/.test(base) ? [resolve(dirname(file), base)] : inPackages(dirname(file), base),
    )
    .flatMap((path) => [path, `${path}.json`, join(path, 'tsconfig.json'), join(path, 'package.json')])

const textOf = (file: string): string => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
