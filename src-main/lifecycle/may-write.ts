// Electron answers that it does not have the lock of the single instance both if another process has it, and if it cannot write
// the lock's files. Nobody would show a window then.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Throws with a message for the user. */
export const expectWritable = (folder: string): void => {
  const file = join(folder, `.try-${process.pid}`)
  try {
    mkdirSync(folder, { recursive: true })
    writeFileSync(file, String(process.pid))
    rmSync(file)
  } catch (error) {
    throw new Error(
      `The app must be able to write to its folder ${folder}: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    )
  }
}
