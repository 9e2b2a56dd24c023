import { closeSync, fsyncSync, openSync } from 'node:fs'

/** Returns once the content of a finished file is on the disk, also after a loss of power. */
export const flushFile = (file: string): void => flush(file, 'r+')

/**
 * Returns once it is on the disk which files a folder holds under which names. A file that was flushed, but not its folder,
 * may have no name, or its former one, after a loss of power. Some systems, such as Windows, cannot do it: like SQLite, this goes on then.
 */
export const flushFolder = (folder: string): void => {
  try {
    flush(folder, 'r')
  } catch {
    // The system writes it when it wants.
  }
}

const flush = (path: string, flags: string): void => {
  const opened = openSync(path, flags)
  try {
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}
