// Writes what effects log to the journals of their Executions. Lines are collected while a write is under way. Nothing
// waits for a log that cannot be stored.

import type { NewEntry } from '../../src-runtime/engine/journal.ts'
import type { EngineStore } from '../store/store.ts'

export type EffectLogs = { write(key: number, entry: NewEntry): void }

/** Lines of one Execution that may wait for a write; further ones are only counted. */
const MAX_WAITING = 1_000

type Batch = { entries: NewEntry[]; dropped: number }

export const createEffectLogs = (store: Pick<EngineStore, 'appendLogs'>): EffectLogs => {
  const waiting = new Map<number, Batch>()

  const flush = async (key: number, batch: Batch): Promise<void> => {
    while (batch.entries.length > 0) {
      const entries = batch.dropped === 0 ? batch.entries : [...batch.entries, droppedEntry(batch)]
      batch.entries = []
      batch.dropped = 0
      try {
        await store.appendLogs(key, entries)
      } catch {
        break
      }
    }
    waiting.delete(key)
  }

  return {
    write: (key, entry) => {
      const batch = waiting.get(key)
      if (batch === undefined) {
        const begun: Batch = { entries: [entry], dropped: 0 }
        waiting.set(key, begun)
        void flush(key, begun)
      } else if (batch.entries.length < MAX_WAITING) batch.entries.push(entry)
      else batch.dropped += 1
    },
  }
}

const droppedEntry = ({ entries, dropped }: Batch): NewEntry => ({
  at: entries.at(-1)!.at,
  type: 'log',
  data: JSON.stringify({ level: 'warn', message: `${dropped} more log entries were dropped` }),
})
