import { closeSync, fsyncSync, openSync } from 'node:fs'

/** Returns once the content of a finished file is on the disk, also after a loss of power. */
export const flushFile = (file: string): void => {
  const opened = openSync(file, 'r+')
  try {
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}
