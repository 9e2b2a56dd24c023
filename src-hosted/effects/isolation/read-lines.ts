// Reads lines of JSON from a process that may send anything, in any amount.

import type { Readable } from 'node:stream'

const LONGEST_LINE_BYTES = 16 * 1_024 * 1_024
/** What one process may send in each window; more waits in the process. */
const WINDOW_MS = 100

/**
 * Pauses a stream that brings more than `bytes` in a window, for as many windows as it has used up. A line counts `lineBytes` more,
 * because reading it takes time, however short it is.
 */
export const throttle = (stream: Readable, bytes: number, lineBytes = 0): void => {
  /** What is used up of the window, as of `since`. */
  let read = 0
  let since = performance.now()
  let timer: NodeJS.Timeout | undefined
  stream.on('data', (part: Buffer | string) => {
    const now = performance.now()
    read = Math.max(0, read - ((now - since) / WINDOW_MS) * bytes)
    since = now
    read += part.length + (lineBytes === 0 ? 0 : lineBytes * linesIn(part as Buffer))
    if (read < bytes) return
    stream.pause()
    timer ??= setTimeout(
      () => {
        timer = undefined
        read = 0
        since = performance.now()
        stream.resume()
      },
      WINDOW_MS * Math.floor(read / bytes),
    )
  })
  stream.on('close', () => clearTimeout(timer))
}

const linesIn = (part: Buffer): number => {
  let lines = 0
  for (let at = part.indexOf(NEW_LINE); at >= 0; at = part.indexOf(NEW_LINE, at + 1)) lines += 1
  return lines
}

/** `onBroken`: a line is too long or no object in JSON; nothing is read any more. */
export const readLines = (stream: Readable, onLine: (value: object) => void, onBroken: () => void): void => {
  let parts: Buffer[] = []
  let length = 0
  let isBroken = false

  const finish = (): void => {
    const line = Buffer.concat(parts).toString('utf8')
    parts = []
    length = 0
    const value = parseObject(line)
    if (value !== undefined) return onLine(value)
    isBroken = true
    onBroken()
  }

  stream.on('data', (chunk: Buffer) => {
    let from = 0
    while (!isBroken) {
      const end = chunk.indexOf(NEW_LINE, from)
      const part = chunk.subarray(from, end < 0 ? undefined : end)
      parts.push(part)
      length += part.length
      if (length > LONGEST_LINE_BYTES) {
        isBroken = true
        parts = []
        onBroken()
      }
      if (end < 0 || isBroken) return
      finish()
      from = end + 1
    }
  })
}

const parseObject = (line: string): object | undefined => {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

const NEW_LINE = 0x0a
