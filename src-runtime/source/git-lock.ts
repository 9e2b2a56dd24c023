// Whether git is writing files of a project, as `git switch` does. Until it is done, some files are those of before.

import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { pathsUp, statOf } from '../shared/stat-of.ts'

/** Git leaves its lock behind when it is killed, and holds it while somebody writes the message for `git commit -a`. */
const LONGEST_MS = 10_000

export const gitIsWriting = (folder: string): boolean => {
  const git = pathsUp(folder)
    .map((path) => join(path, '.git'))
    .find((path) => statOf(path) !== undefined)
  const lock = git === undefined ? undefined : statOf(join(gitFolderOf(git), 'index.lock'))
  return lock !== undefined && Math.abs(Date.now() - lock.mtimeMs) < LONGEST_MS
}

/** In other working trees and submodules, `.git` is a file that names the folder. */
const gitFolderOf = (git: string): string => {
  if (statOf(git)?.isFile() !== true) return git
  try {
    const named = /^gitdir: (.+)/.exec(readFileSync(git, 'utf8'))?.[1]
    return named === undefined ? git : resolve(dirname(git), named)
  } catch {
    return git
  }
}
