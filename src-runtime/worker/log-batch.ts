// The lines that effects of one Execution log until they are written together.

import type { NewEntry } from '../engine/journal.ts'

export type LogBatch = {
  add(entry: NewEntry): void
  /** What to write. */
  entries(): readonly NewEntry[]
}

/** Lines that may wait for one write; further ones are only counted. */
const MAX_WAITING = 1_000

export const createLogBatch = (first: NewEntry): LogBatch => {
  const entries = [first]
  let dropped = 0
  return {
    add: (entry) => {
      if (entries.length < MAX_WAITING) entries.push(entry)
      else dropped += 1
    },
    entries: () => (dropped === 0 ? entries : [...entries, droppedEntry(entries.at(-1)!.at, dropped)]),
  }
}

const droppedEntry = (at: number, dropped: number): NewEntry => ({
  at,
  type: 'log',
  data: JSON.stringify({ level: 'warn', message: `${dropped} more log entries were dropped` }),
})
