// Reports possible changes in folders. The listener scans the folders itself, so duplicate, late or wrong reports do no
// harm.

import { statfsSync, watch, type FSWatcher } from 'node:fs'
import { basename } from 'node:path'
import { statOf } from '../shared/stat-of.ts'
import { messageOf } from '../shared/message-of.ts'

export type FolderWatch = {
  /** Watches exactly these folders (absolute paths), the project's first. Returns whether it began to watch one. */
  set(folders: readonly string[]): boolean
  stop(): void
}

/** `file`: the name of the changed file in the folder, if the system reports it. Without a folder, nothing was reported. */
export type OnHint = (folder: string | undefined, file: string | undefined, what: 'content' | 'entry') => void

type Watched = { readonly inode: string; readonly watcher: FSWatcher }

const POLL_MS = 1_000

/**
 * If the system does not report changes (network and shared folders, no watches left), calls `onHint` once a second, and
 * `onTrouble` once with the reason. Compares the folders with what is watched once a second: the system reports neither what is
 * mounted over one nor that a folder above it was moved. It does not watch a first folder that may not be read, either.
 */
export const watchFolders = (onHint: OnHint, onTrouble: (why: string) => void): FolderWatch => {
  const watched = new Map<string, Watched>()
  let first: string | undefined
  let isPolling = false
  let stopped = false

  const isElsewhere = (folder: string): boolean => inodeOf(folder) !== watched.get(folder)?.inode
  const looking = setInterval(() => {
    if (isPolling || (first !== undefined && isElsewhere(first)) || [...watched.keys()].some(isElsewhere)) {
      onHint(undefined, undefined, 'content')
    }
  }, POLL_MS).unref()

  const pollBecause = (why: string) => {
    if (isPolling) return
    isPolling = true
    onTrouble(why)
  }

  const drop = (folder: string) => {
    watched.get(folder)?.watcher.close()
    watched.delete(folder)
  }

  const add = (folder: string, inode: string) => {
    try {
      const watcher = watch(folder, { persistent: false }, (event, file) => {
        // Linux names a folder that was deleted itself. What is created in its place may get the same inode.
        if (event === 'rename' && file === basename(folder)) {
          drop(folder)
          return onHint(folder, undefined, 'entry')
        }
        onHint(folder, file ?? undefined, event === 'change' ? 'content' : 'entry')
      })
      watcher.on('error', (error) => {
        drop(folder)
        // On Windows, a deleted folder reports EPERM.
        if (isExhausted(error)) pollBecause(reasonOf(error))
        onHint(folder, undefined, 'entry')
      })
      watched.set(folder, { inode, watcher })
    } catch (error) {
      if (isExhausted(error)) pollBecause(reasonOf(error))
    }
  }

  return {
    set: (folders) => {
      if (stopped) return false
      first = folders[0]
      const wanted = new Set(folders)
      let isMore = false
      for (const folder of [...watched.keys()]) if (!wanted.has(folder)) drop(folder)
      for (const folder of wanted) {
        const inode = inodeOf(folder)
        if (inode === undefined) continue
        // If a folder was deleted and created again, the watch is still on the old one.
        if (watched.get(folder)?.inode === inode) continue
        drop(folder)
        add(folder, inode)
        isMore ||= watched.has(folder)
        const remote = remoteKind(folder)
        if (remote !== undefined) pollBecause(`${folder} is on ${remote}, which does not report changes`)
      }
      return isMore
    },
    stop: () => {
      stopped = true
      clearInterval(looking)
      for (const folder of [...watched.keys()]) drop(folder)
    },
  }
}

/** With its device, because the roots of many file systems have the same. */
const inodeOf = (folder: string): string | undefined => {
  const stat = statOf(folder)
  return stat && `${stat.dev}:${stat.ino}`
}

const isExhausted = (error: unknown): boolean => {
  const code = (error as NodeJS.ErrnoException).code
  return code === 'EMFILE' || code === 'ENOSPC' || code === 'ENFILE' || code === 'ENOSYS'
}

const reasonOf = (error: unknown): string =>
  (error as NodeJS.ErrnoException).code === 'ENOSPC'
    ? 'the system has no file watches left (raise fs.inotify.max_user_watches)'
    : `the system cannot watch the project: ${messageOf(error)}`

/** Network file systems, by Linux's numbers. */
const REMOTE: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
  [0x01021997, '9p'],
  [0x65735546, 'FUSE'],
  [0x786f4256, 'a VirtualBox share'],
])

const remoteKind = (folder: string): string | undefined => {
  if (process.platform !== 'linux') return undefined
  try {
    return REMOTE.get(statfsSync(folder).type)
  } catch {
    return undefined
  }
}
