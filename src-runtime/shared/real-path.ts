// The one path under which the system knows a file, so that two spellings of it can be compared.

import { realpathSync } from 'node:fs'
import nodePath, { type PlatformPath } from 'node:path'

type Resolve = (path: string) => string

/**
 * Without links, and with the letter case, the Unicode form and the drive letter that the disk holds: `c:\shop` and
 * `C:\Shop` may be one folder, and so may two spellings of `größe` on macOS. Only the system's own function tells.
 */
export const realPath = (
  path: string,
  { ofSystem, byLinks }: { readonly ofSystem: Resolve; readonly byLinks: Resolve } = {
    ofSystem: realpathSync.native,
    byLinks: realpathSync,
  },
): string => {
  try {
    return ofSystem(path)
  } catch {
    // Windows has no such function for some virtual drives. If the file is missing, this throws as well.
    return byLinks(path)
  }
}

/** Whether the path is the folder or in it; both are real paths. `path`: the rules of a system. */
export const isWithin = (folder: string, file: string, path: PlatformPath = nodePath): boolean => {
  const way = path.relative(folder, file)
  return way !== '..' && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way)
}
