// Reads lines of JSON from a process that may send anything, in any amount. Not with `node:readline`, for which U+2028 and
// U+2029 end a line too: JSON has them as they are.

import type { Readable } from 'node:stream'

/**
 * The longest that a host's own code sends is a result of 1 MiB, in which each character may be escaped. A line is parsed in one
 * go, whoever wrote it, and nothing else runs meanwhile.
 */
const LONGEST_LINE_BYTES = 3 * 1_024 * 1_024
const WINDOW_MS = 100

/** What may be used up in each window. */
export type Budget = {
  /** Answers for how many ms nothing more may be used. */
  use(amount: number): number
}

export const createBudget = (perWindow: number): Budget => {
  /** As of `since`. */
  let used = 0
  let since = performance.now()
  return {
    use: (amount) => {
      const now = performance.now()
      used = Math.max(0, used - ((now - since) / WINDOW_MS) * perWindow) + amount
      since = now
      return WINDOW_MS * Math.floor(used / perWindow)
    },
  }
}

/**
 * Pauses a stream that brings more than `bytes` in a window, for as many windows as it has used up; more waits in the process.
 * A line counts `lineBytes` more, because reading it takes time, however short it is. `cpuMs`: the processor time that all
 * listeners take which were added before. A few bytes may take long to parse. Call the returned function when the process has
 * ended: what it had sent is read at once.
 */
export const throttle = (stream: Readable, bytes: number, lineBytes = 0, cpuMs?: Budget): (() => void) => {
  const own = createBudget(bytes)
  let timer: NodeJS.Timeout | undefined
  let isOver = false
  let begun: NodeJS.CpuUsage | undefined
  if (cpuMs !== undefined) {
    stream.prependListener('data', () => {
      begun = process.threadCpuUsage()
    })
  }
  stream.on('data', (part: Buffer | string) => {
    const length = part.length + (lineBytes === 0 ? 0 : lineBytes * linesIn(part as Buffer))
    const waitMs = Math.max(own.use(length), cpuMs?.use(cpuMsSince(begun)) ?? 0)
    if (waitMs === 0 || isOver) return
    stream.pause()
    timer ??= setTimeout(() => {
      timer = undefined
      stream.resume()
    }, waitMs)
  })
  stream.on('close', () => clearTimeout(timer))
  return () => {
    isOver = true
    clearTimeout(timer)
    stream.resume()
  }
}

const cpuMsSince = (begun: NodeJS.CpuUsage | undefined): number => {
  const { user, system } = process.threadCpuUsage(begun)
  return (user + system) / 1_000
}

const linesIn = (part: Buffer): number => {
  let lines = 0
  for (let at = part.indexOf(NEW_LINE); at >= 0; at = part.indexOf(NEW_LINE, at + 1)) lines += 1
  return lines
}

/** `onBroken`: a line is longer than `longestBytes` or no object in JSON; nothing is read any more. */
export const readLines = (
  stream: Readable,
  onLine: (value: object) => void,
  onBroken: () => void,
  longestBytes = LONGEST_LINE_BYTES,
): void => {
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
      if (length > longestBytes) {
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
