// Renames a finished file over the one that it replaces, and flushes its folder. Its content is only flushed if the caller has done that.

import { renameSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { flushFolder } from './flush-file.ts'
import { pause } from './pause.ts'

/** What Windows answers while another process, often a virus scanner, has one of the two files open. */
const IN_USE = new Set(['EPERM', 'EACCES', 'EBUSY'])
/** One second in all: a scanner needs some milliseconds. */
const PAUSES_MS: readonly number[] = [5, 10, 20, 40, 80, 160, 320, 365]

/** Elsewhere a file that is in use can be replaced, and these errors do not pass by themselves. */
const mayPass = (error: unknown, platform: NodeJS.Platform): boolean =>
  platform === 'win32' && IN_USE.has((error as NodeJS.ErrnoException).code ?? '')

/** Blocks, on Windows, while a file is in use. */
export const replaceFile = (
  draft: string,
  file: string,
  { platform, renameTo, sleep }: Blocking = { platform: process.platform, renameTo: renameSync, sleep: sleepBlocking },
): void => {
  for (const pauseMs of PAUSES_MS) {
    try {
      renameTo(draft, file)
      return flushFolder(dirname(file))
    } catch (error) {
      if (!mayPass(error, platform)) throw error
      sleep(pauseMs)
    }
  }
  renameTo(draft, file)
  flushFolder(dirname(file))
}

type Blocking = {
  readonly platform: NodeJS.Platform
  readonly renameTo: (draft: string, file: string) => void
  readonly sleep: (ms: number) => void
}

const sleepBlocking = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

/** Also for folders. */
export const replaceFileLater = async (
  draft: string,
  file: string,
  { platform, renameTo }: Later = { platform: process.platform, renameTo: rename },
): Promise<void> => {
  for (const pauseMs of PAUSES_MS) {
    try {
      await renameTo(draft, file)
      return flushFolder(dirname(file))
    } catch (error) {
      if (!mayPass(error, platform)) throw error
      await pause(pauseMs)
    }
  }
  await renameTo(draft, file)
  flushFolder(dirname(file))
}

type Later = {
  readonly platform: NodeJS.Platform
  readonly renameTo: (draft: string, file: string) => Promise<void>
}
