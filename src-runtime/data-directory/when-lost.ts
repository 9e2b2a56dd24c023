// Notices that an open file is no longer at its path, because something deleted, moved or replaced it or its directory
// while a runtime uses it. The database's open file takes everything that is written, but nobody finds it again; and without
// the file of the lock, another runtime could own the directory too.

import { statSync } from 'node:fs'

const LOOK_MS = 1_000
/** A look takes some microseconds. */
const LOOK_FOR_CALLERS_MS = 50

export type LostWatch = {
  /** Looks now, unless it just has. Call it before something is stored for a caller, who would get it acknowledged. */
  look(): void
  stop(): void
}

/** Calls back once. The files are open. */
export const whenLost = (files: readonly string[], onLost: () => void): LostWatch => {
  const opened = files.map((file) => ({ file, inode: inodeOf(file) }))
  let lookedAt = performance.now()
  let isOver = false
  const stop = (): void => {
    isOver = true
    clearInterval(looking)
  }
  const look = (): void => {
    lookedAt = performance.now()
    if (isOver || !opened.some(({ file, inode }) => isLost(file, inode))) return
    stop()
    onLost()
  }
  const looking = setInterval(look, LOOK_MS)
  looking.unref()
  return {
    look: () => {
      if (performance.now() - lookedAt >= LOOK_FOR_CALLERS_MS) look()
    },
    stop,
  }
}

const inodeOf = (file: string): number | undefined => statSync(file, { throwIfNoEntry: false })?.ino

const isLost = (file: string, inode: number | undefined): boolean => {
  try {
    return inodeOf(file) !== inode
  } catch {
    // A disk that cannot be read says nothing about the file.
    return false
  }
}
