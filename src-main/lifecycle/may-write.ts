// Electron answers that it does not have the lock of the single instance both if another process has it, and if it cannot write
// the lock's files. Nobody would show a window then.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Throws with a message for the user. The app's own folder is made if it is missing. */
export const expectWritable = (own: string): void =>
  attempt('its folder', own, () => {
    mkdirSync(own, { recursive: true })
    writeIn(own)
  })

/** Throws with a message for the user. On Linux and macOS, the lock's socket is in the folder for temporary files. */
export const expectTemporaryFiles = (folder: string): void =>
  attempt('the folder for temporary files', folder, () => writeIn(folder))

const writeIn = (folder: string): void => {
  const file = join(folder, `.try-${process.pid}`)
  writeFileSync(file, String(process.pid))
  rmSync(file)
}

const attempt = (what: string, folder: string, write: () => void): void => {
  try {
    write()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`The app must be able to write to ${what} ${folder}: ${reason}`, { cause: error })
  }
}
