// The folders whose code may run: real paths in `trusted-folders.json` of the data directory. The command line and the
// desktop app add folders; the effect hosts check the list before effects begin, and while they run.

import { lstatSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { Type } from 'typebox'
import { Check } from 'typebox/schema'
import { putAside, readFormedFile, writeJsonFile } from '../shared/json-file.ts'
import { makeFolder } from '../shared/make-folder.ts'
import { realPath } from '../shared/real-path.ts'
import { takeLock } from '../store/lock.ts'
import { makeFilePrivate } from './own-directory.ts'

/** Holding the lock takes about a millisecond. */
const LOCKED_AT_MOST_MS = 5_000

const Content = Type.Object({ folders: Type.Array(Type.String({ minLength: 1 })) })

const fileIn = (dataDir: string): string => join(dataDir, 'trusted-folders.json')

/** Empty if there is no file, or if it is damaged. Throws if it cannot be read just now. */
export const readTrustedFolders = (dataDir: string): readonly string[] => readUndamaged(dataDir) ?? []

const readUndamaged = (dataDir: string): readonly string[] | undefined => {
  const file = fileIn(dataDir)
  if (lstatSync(file, { throwIfNoEntry: false })?.isFile() !== true) return []
  const read = readFormedFile(file, (content) => Check(Content, content))
  if ('content' in read) return read.content?.folders ?? []
  if (read.fault === 'unread') throw read.error
  return undefined
}

/** Creates the data directory if it is missing. */
export const trustFolder = (dataDir: string, folder: string): void => {
  const real = realPathOf(folder)
  makeFolder(dataDir, 0o700)
  change(dataDir, (folders) => (folders.includes(real) ? folders : [...folders, real]))
}

export const distrustFolder = (dataDir: string, folder: string): void => {
  if (readTrustedFolders(dataDir).length === 0) return
  const gone = new Set([folder, realPathOf(folder)])
  change(dataDir, (folders) => folders.filter((one) => !gone.has(one)))
}

/** No folder is trusted while the list cannot be read. */
export const isTrustedFolder = (dataDir: string, folder: string): boolean => createTrustedFolders(dataDir)(folder)

/** Like `isTrustedFolder`, for many calls: reads the file again only when it has changed. */
export const createTrustedFolders = (dataDir: string): ((folder: string) => boolean) => {
  const file = fileIn(dataDir)
  let stamp: string | undefined
  let folders: ReadonlySet<string> = new Set()
  const refresh = (): void => {
    const current = stampOf(file)
    if (current === stamp) return
    stamp = undefined
    folders = new Set()
    folders = new Set(readTrustedFolders(dataDir))
    stamp = current
  }
  return (folder) => {
    try {
      refresh()
    } catch {
      // Another program may hold the file: it is read again at the next call.
    }
    return folders.has(realPathOf(folder))
  }
}

/** Empty if there is none. */
const stampOf = (file: string): string => {
  const found = lstatSync(file, { throwIfNoEntry: false })
  return found === undefined ? '' : `${found.ino} ${found.mtimeMs} ${found.size}`
}

/** Locked: a change by another process at the same time is not lost. */
const change = (dataDir: string, decide: (folders: readonly string[]) => readonly string[]): void => {
  const lockFile = join(dataDir, 'trusted-folders.lock')
  makeFilePrivate(lockFile)
  const lock = takeLock(lockFile, LOCKED_AT_MOST_MS)
  if (lock === undefined) throw new Error(`The trusted folders in ${dataDir} are being changed by another program`)
  try {
    const undamaged = readUndamaged(dataDir)
    if (undamaged === undefined) putAside(fileIn(dataDir))
    const folders = undamaged ?? []
    const decided = decide(folders)
    if (decided.length !== folders.length) writeJsonFile(fileIn(dataDir), { folders: decided })
  } finally {
    lock.release()
  }
}

/** Also of a deleted folder, or one that is not mounted: what it is once it is back. */
export const realPathOf = (folder: string): string => {
  try {
    return realPath(folder)
  } catch {
    const parent = dirname(folder)
    return parent === folder ? folder : join(realPathOf(parent), basename(folder))
  }
}
