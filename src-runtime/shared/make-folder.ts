// Makes a folder, and those above it, where the user says, and flushes their names. Node's recursive `mkdir` never ends where the
// system makes no folder in one that exists, such as /proc.

import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { flushFolder } from './flush-file.ts'
import { isMissing, statOf } from './stat-of.ts'

/** `mode`: of each folder that it makes. What exists stays as it is. */
export const makeFolder = (folder: string, mode = 0o777): void => {
  const parent = dirname(folder)
  if (parent !== folder && !existsSync(parent)) makeFolder(parent, mode)
  try {
    mkdirSync(folder, { mode })
    flushFolder(parent)
  } catch (error) {
    if (statOf(folder)?.isDirectory() === true) return
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' && isMissing(folder)) {
      throw new Error(`${folder} is a link to something that does not exist`, { cause: error })
    }
    throw code === 'ENOENT' ? new Error(`the system makes no folder in ${parent}`, { cause: error }) : error
  }
}
