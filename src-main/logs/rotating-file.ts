// A log file that is put aside when it is full: `wes.log`, `wes.1.log` (the newest of the old ones) … Written at once,
// so that the last line before a crash is there.

import { closeSync, existsSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

const PRIVATE_FILE = 0o600

export type RotatingFile = {
  /** Never throws: the app continues if the log cannot be written. */
  write(text: string): void
  close(): void
}

export const openRotatingFile = (
  path: string,
  { maxBytes, maxFiles }: { readonly maxBytes: number; readonly maxFiles: number },
): RotatingFile => {
  let descriptor: number | undefined
  let size = 0

  const open = (): void => {
    mkdirSync(dirname(path), { recursive: true })
    descriptor = openSync(path, 'a', PRIVATE_FILE)
    size = fstatSync(descriptor).size
  }

  const close = (): void => {
    if (descriptor !== undefined) closeSync(descriptor)
    descriptor = undefined
  }

  const putAside = (): boolean => {
    try {
      for (let index = maxFiles - 1; index >= 1; index -= 1) {
        const from = index === 1 ? path : numbered(path, index - 1)
        if (existsSync(from)) renameSync(from, numbered(path, index))
      }
      return true
    } catch {
      return false // on Windows, another program has one of them open
    }
  }

  const rotate = (): void => {
    close()
    const isAside = putAside()
    open()
    // Otherwise the full file takes as much again before the next attempt.
    if (!isAside) size = 0
  }

  return {
    write: (text) => {
      try {
        if (descriptor === undefined) open()
        const bytes = Buffer.from(text)
        if (size > 0 && size + bytes.length > maxBytes) rotate()
        writeSync(descriptor!, bytes)
        size += bytes.length
      } catch {
        close() // the disk may be full, or the folder removed: the next line tries again
      }
    },
    close,
  }
}

const numbered = (path: string, index: number): string => path.replace(/\.log$/, `.${index}.log`)
