// Electron answers that it does not have the lock of the single instance both if another process has it, and if it cannot write
// the lock's files. Nobody would show a window then.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf } from '../../src-runtime/shared/message-of.ts'

/** Throws with a message for the user. The app's own folder is made if it is missing. */
export const expectWritable = (own: string): void =>
  attempt('its folder', own, () => {
    mkdirSync(own, { recursive: true })
    writeIn(own)
  })

/** Throws with a message for the user. On Linux and macOS, the lock's socket is in the folder for temporary files. */
export const expectTemporaryFiles = (folder: string): void =>
  attempt('the folder for temporary files', folder, () => writeIn(folder))

/** In a folder of its own: others may write to the one for temporary files, and a file of a known name may be their link. */
const writeIn = (folder: string): void => {
  const made = mkdtempSync(join(folder, '.try-'))
  try {
    writeFileSync(join(made, 'file'), String(process.pid))
  } finally {
    rmSync(made, { recursive: true })
  }
}

const attempt = (what: string, folder: string, write: () => void): void => {
  try {
    write()
  } catch (error) {
    throw new Error(`The app must be able to write to ${what} ${folder}: ${messageOf(error)}`, { cause: error })
  }
}
