// Writes what a host prints outside of any attempt to a log, and keeps its last stderr output for its failure.

import type { Logger } from 'pino'

export type HostLog = {
  print(stream: 'stdout' | 'stderr', text: string): void
  /** The end of what it wrote to stderr. */
  lastWords(): string
  close(): void
}

const LAST_WORDS = 16_384
const LONGEST_LINE = 16_384
/** Limits the log of a host that prints in a loop. */
const LINES_PER_SECOND = 200

/** Without a log, nothing is written. */
export const createHostLog = (log: Logger | undefined, now: () => number): HostLog => {
  const unfinished = { stdout: '', stderr: '' }
  let lastWords = ''
  let second = 0
  let lines = 0
  let dropped = 0

  const write = (stream: 'stdout' | 'stderr', line: string): void => {
    if (log === undefined) return
    const current = Math.floor(now() / 1_000)
    if (current !== second) {
      reportDropped()
      second = current
      lines = 0
    }
    lines += 1
    if (lines > LINES_PER_SECOND) {
      dropped += 1
      return
    }
    const text = line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)} … (cut)` : line
    if (stream === 'stderr') log.warn(text)
    else log.info(text)
  }

  const reportDropped = (): void => {
    if (dropped > 0) log?.warn(`${dropped} more lines of the effect host were dropped`)
    dropped = 0
  }

  return {
    print: (stream, text) => {
      if (stream === 'stderr') lastWords = (lastWords + text).slice(-LAST_WORDS)
      const parts = (unfinished[stream] + text).split('\n')
      const rest = parts.pop()!
      for (const line of parts) if (line.trim() !== '') write(stream, line)
      unfinished[stream] = rest.slice(0, LONGEST_LINE + 1)
    },
    lastWords: () => lastWords,
    close: () => {
      for (const stream of ['stdout', 'stderr'] as const) {
        if (unfinished[stream].trim() !== '') write(stream, unfinished[stream])
        unfinished[stream] = ''
      }
      reportDropped()
    },
  }
}
