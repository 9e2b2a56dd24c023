// Writes a log line that may be repeated often: the first of a kind at once, and then every ten seconds how many more there were.

import type { Logger } from 'pino'

const INTERVAL_MS = 10_000

/** By kind, how many are not written yet. */
const unwritten = new WeakMap<Logger, Map<string, number>>()

/** `writeCount`: gets how many of this kind came after the one that was written last. */
export const writeFirst = (log: Logger, kind: string, write: () => void, writeCount: (more: number) => void): void => {
  const counts = unwritten.get(log) ?? new Map<string, number>()
  unwritten.set(log, counts)
  const count = counts.get(kind)
  if (count !== undefined) return void counts.set(kind, count + 1)
  write()
  countMore(counts, kind, writeCount)
}

const countMore = (counts: Map<string, number>, kind: string, writeCount: (more: number) => void): void => {
  counts.set(kind, 0)
  const tell = (): void => {
    const more = counts.get(kind)
    counts.delete(kind)
    if (more === undefined || more === 0) return
    writeCount(more)
    countMore(counts, kind, writeCount)
  }
  setTimeout(tell, INTERVAL_MS).unref()
}
