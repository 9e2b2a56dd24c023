// Writes what effects log to the journal. Lines are collected until the transaction that writes them runs, so that an
// effect that logs a lot costs one write per commit, not one per line. A write is requested with the first line, so what
// an effect logs stands before its outcome.

import { isTerminal, type NewEntry } from '../engine/journal.ts'
import type { ExecutionStore } from '../store/store.ts'

/** Lines that may wait for one write; further ones are only counted. */
const MAX_WAITING = 1_000

export type LogWriter = { write(key: number, entry: NewEntry): void }

type Batch = { readonly entries: NewEntry[]; dropped: number }

export const createLogWriter = (executions: Pick<ExecutionStore, 'change'>): LogWriter => {
  const waiting = new Map<number, Batch>()

  /** Later lines need another write. */
  const close = (key: number, batch: Batch): void => {
    if (waiting.get(key) === batch) waiting.delete(key)
  }

  const requestWrite = async (key: number, batch: Batch): Promise<void> => {
    try {
      await executions.change(key, ({ head }) => {
        close(key, batch)
        return isTerminal(head.status) ? undefined : { entries: entriesOf(batch) }
      })
    } catch {
      // Nothing waits for a log that cannot be stored.
    } finally {
      close(key, batch)
    }
  }

  return {
    write: (key, entry) => {
      const batch = waiting.get(key)
      if (batch === undefined) {
        const begun: Batch = { entries: [entry], dropped: 0 }
        waiting.set(key, begun)
        void requestWrite(key, begun)
      } else if (batch.entries.length < MAX_WAITING) batch.entries.push(entry)
      else batch.dropped += 1
    },
  }
}

const entriesOf = ({ entries, dropped }: Batch): readonly NewEntry[] =>
  dropped === 0 ? entries : [...entries, droppedEntry(entries, dropped)]

const droppedEntry = (entries: readonly NewEntry[], dropped: number): NewEntry => ({
  at: entries.at(-1)!.at,
  type: 'log',
  data: JSON.stringify({ level: 'warn', message: `${dropped} more log entries were dropped` }),
})
