// Writes what effects log to the journal. Lines are collected while a write is in progress, so that an effect that logs
// a lot costs one write per commit, not one per line. Nothing waits for a log that cannot be stored.

import { isTerminal, type NewEntry } from '../engine/journal.ts'
import type { ExecutionStore } from '../store/store.ts'

/** Lines that may wait for one write; further ones are only counted. */
const MAX_WAITING = 1_000

export type LogWriter = { write(key: number, entry: NewEntry): void }

export const createLogWriter = (executions: Pick<ExecutionStore, 'change'>): LogWriter => {
  const waiting = new Map<number, { entries: NewEntry[]; dropped: number }>()

  const flush = async (key: number): Promise<void> => {
    for (;;) {
      const batch = waiting.get(key)
      if (batch === undefined) return
      if (batch.entries.length === 0) {
        waiting.delete(key)
        return
      }
      const entries = batch.dropped === 0 ? batch.entries : [...batch.entries, droppedEntry(batch)]
      batch.entries = []
      batch.dropped = 0
      try {
        await executions.change(key, ({ head }) => (isTerminal(head.status) ? undefined : { entries }))
      } catch {
        waiting.delete(key)
        return
      }
    }
  }

  return {
    write: (key, entry) => {
      const batch = waiting.get(key)
      if (batch === undefined) {
        waiting.set(key, { entries: [entry], dropped: 0 })
        void flush(key)
      } else if (batch.entries.length < MAX_WAITING) batch.entries.push(entry)
      else batch.dropped += 1
    },
  }
}

const droppedEntry = ({ entries, dropped }: { entries: readonly NewEntry[]; dropped: number }): NewEntry => ({
  at: entries.at(-1)!.at,
  type: 'log',
  data: JSON.stringify({ level: 'warn', message: `${dropped} more log entries were dropped` }),
})
