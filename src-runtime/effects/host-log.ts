// Writes what a host prints and reports outside of any attempt to a log, so many lines a second, and keeps its last stderr output for its
// failure.

import type { Logger } from 'pino'
import { beginningOf } from '../shared/beginning-of.ts'
import { writeFirst } from '../shared/write-first.ts'

export type HostLog = {
  print(stream: 'stdout' | 'stderr', text: string): void
  /** `write` writes a line of what the host reports; it is not called if there were too many. */
  report(write: () => void): void
  /** The end of what it wrote to stderr. */
  lastWords(): string
  close(): void
}

const LAST_WORDS = 16_384
const LONGEST_LINE = 16_384
/** Limits the log of a host that prints or reports in a loop. */
const LINES_PER_SECOND = 200

/** Dozens of lines about Node, with which a process ends: of several that end one after the other, the first is written. */
const DUMP = /^(?:<--- Last few GCs --->|----- Native stack trace -----)$/

/** `isOutputPrivate`: what is printed is not written. */
export const createHostLog = (log: Logger, isOutputPrivate: boolean, now: () => number): HostLog => {
  const unfinished = { stdout: '', stderr: '' }
  let lastWords = ''
  let second = 0
  let lines = 0
  let dropped = 0
  /** As long as it is not known, nothing of a dump has come. */
  let isDumpWritten: boolean | undefined

  const report: HostLog['report'] = (write) => {
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
    write()
  }

  const writeLine = (stream: 'stdout' | 'stderr', line: string): void => {
    if (isOutputPrivate) return
    if (stream === 'stderr' && isDumpWritten === undefined && DUMP.test(line)) {
      isDumpWritten = false
      writeFirst(
        log,
        'dump',
        () => (isDumpWritten = true),
        () => undefined,
      )
    }
    if (stream === 'stderr' && isDumpWritten === false) return
    const text = line.length > LONGEST_LINE ? `${beginningOf(line, LONGEST_LINE)} … (cut)` : line
    report(() => (stream === 'stderr' ? log.warn(text) : log.info(text)))
  }

  const reportDropped = (): void => {
    if (dropped > 0) log.warn(`${dropped} more lines of the effect host were dropped`)
    dropped = 0
  }

  return {
    report,
    print: (stream, text) => {
      if (stream === 'stderr') lastWords = (lastWords + text).slice(-LAST_WORDS)
      const parts = (unfinished[stream] + text).split('\n')
      const rest = parts.pop()!
      for (const line of parts) if (line.trim() !== '') writeLine(stream, line)
      unfinished[stream] = rest.slice(0, LONGEST_LINE + 1)
    },
    lastWords: () => lastWords,
    close: () => {
      for (const stream of ['stdout', 'stderr'] as const) {
        if (unfinished[stream].trim() !== '') writeLine(stream, unfinished[stream])
        unfinished[stream] = ''
      }
      reportDropped()
    },
  }
}
