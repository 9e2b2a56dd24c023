// Notices that an open file is no longer at its path, because something deleted, moved or replaced it or its directory
// while a runtime uses it. The database's open file takes everything that is written, but nobody finds it again; and without
// the file of the lock, another runtime could own the directory too.

import { statSync } from 'node:fs'

const LOOK_MS = 1_000

/** Calls back once. The files are open. Returns the function that ends the watch. */
export const whenLost = (files: readonly string[], onLost: () => void): (() => void) => {
  const opened = files.map((file) => ({ file, inode: inodeOf(file) }))
  const looking = setInterval(() => {
    if (!opened.some(({ file, inode }) => isLost(file, inode))) return
    clearInterval(looking)
    onLost()
  }, LOOK_MS)
  looking.unref()
  return () => clearInterval(looking)
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
