// What effects print, on its way into the journal: gathered while a write is under way, so that a chatty effect costs
// a write per commit and not one per line. A log that cannot be stored is not worth holding anything up for.

import { isTerminal, type NewEntry } from '../engine/journal.ts'
import type { ExecutionStore } from '../store/store.ts'

/** Lines that may wait for one write; the rest of a flood is counted. */
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
