// Makes a folder, and those above it, where the user says. Node's recursive `mkdir` never ends where the system makes no
// folder in one that exists, such as /proc.

import { existsSync, lstatSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { isMissing } from './stat-of.ts'

/** `mode`: of each folder that it makes. What exists stays as it is. */
export const makeFolder = (folder: string, mode = 0o777): void => {
  const parent = dirname(folder)
  if (parent !== folder && !existsSync(parent)) makeFolder(parent, mode)
  try {
    mkdirSync(folder, { mode })
  } catch (error) {
    if (isFolder(folder)) return
    if (isBrokenLink(folder)) throw new Error(`${folder} is a link to something that does not exist`, { cause: error })
    const isRefused = (error as NodeJS.ErrnoException).code === 'ENOENT'
    throw isRefused ? new Error(`the system makes no folder in ${parent}`, { cause: error }) : error
  }
}

const isBrokenLink = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true && isMissing(path)

const isFolder = (path: string): boolean => {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}
