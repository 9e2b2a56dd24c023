// What the system tells of a path, and of the folders above it.

import { statSync, type Stats } from 'node:fs'
import { dirname, join } from 'node:path'

/** Undefined if there is nothing, or if the system does not tell, such as for a link to itself. */
export const statOf = (path: string): Stats | undefined => {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

/** Whether there is nothing. False if the system does not tell. */
export const isMissing = (path: string): boolean => {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined
  } catch {
    return false
  }
}

/** Whether nothing is at the path. Otherwise the system is at fault, such as with too many open files, or rights are missing. */
export const isOfPath = (error: unknown): boolean => OF_PATH.has(codeOf(error))

/** Whether rights are missing. macOS also asks the user whether an app may read their documents. */
export const isRefused = (error: unknown): boolean => REFUSED.has(codeOf(error))

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code
const OF_PATH: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP'])
const REFUSED: ReadonlySet<string | undefined> = new Set(['EACCES', 'EPERM'])

/** Changes when the file changes. Undefined if there is no file. */
export type Stamp = string | undefined

export const stampOf = (file: string): Stamp => stampIn(statOf(file))

export const stampIn = (stat: Stats | undefined): Stamp =>
  stat?.isFile() === true ? `${stat.mtimeMs}:${stat.size}:${stat.ino}` : undefined

/** An absolute path and all above it, the nearest first. */
export const pathsUp = (path: string): readonly string[] => {
  const above = dirname(path)
  return above === path ? [path] : [path, ...pathsUp(above)]
}

/** Where a package, or a file in it, may be that a module in a folder imports, the nearest first. */
export const inPackages = (folder: string, specifier: string): readonly string[] =>
  pathsUp(folder).map((at) => join(at, 'node_modules', specifier))
