// Makes a folder, and those above it, where the user says. Node's recursive `mkdir` never ends where the system makes no
// folder in one that exists, such as /proc.

import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** `mode`: of each folder that it makes. What exists stays as it is. */
export const makeFolder = (folder: string, mode = 0o777): void => {
  const parent = dirname(folder)
  if (parent !== folder && !existsSync(parent)) makeFolder(parent, mode)
  try {
    mkdirSync(folder, { mode })
  } catch (error) {
    if (isFolder(folder)) return
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    throw isMissing ? new Error(`the system makes no folder in ${parent}`, { cause: error }) : error
  }
}

const isFolder = (path: string): boolean => {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}
