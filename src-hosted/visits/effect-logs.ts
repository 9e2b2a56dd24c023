// Writes what effects log to the journals of their Executions. Lines are collected while a write is under way.

import type { NewEntry } from '../../src-runtime/engine/journal.ts'
import type { EngineStore } from '../store/store.ts'

export type EffectLogs = {
  write(key: number, entry: NewEntry): void
  /** Resolves when what the Execution's effects have logged so far is stored, or cannot be; `undefined`: it is. */
  written(key: number): Promise<void> | undefined
}

/** Lines of one Execution that may wait for a write; further ones are only counted. */
const MAX_WAITING = 1_000

type Batch = { readonly entries: NewEntry[]; dropped: number }

export const createEffectLogs = (store: Pick<EngineStore, 'appendLogs'>): EffectLogs => {
  /** Lines that the next write takes, by Execution. */
  const waiting = new Map<number, Batch>()
  /** The last write that was requested, by Execution. It begins after the one before. */
  const writes = new Map<number, Promise<void>>()

  const writeAfter = async (before: Promise<void> | undefined, key: number, batch: Batch): Promise<void> => {
    await before
    waiting.delete(key)
    try {
      await store.appendLogs(key, entriesOf(batch))
    } catch {
      // Nothing waits for a log that cannot be stored.
    }
  }

  const requestWrite = (key: number, batch: Batch): void => {
    const written = writeAfter(writes.get(key), key, batch).finally(() => {
      if (writes.get(key) === written) writes.delete(key)
    })
    writes.set(key, written)
  }

  return {
    write: (key, entry) => {
      const batch = waiting.get(key)
      if (batch === undefined) {
        const begun: Batch = { entries: [entry], dropped: 0 }
        waiting.set(key, begun)
        requestWrite(key, begun)
      } else if (batch.entries.length < MAX_WAITING) batch.entries.push(entry)
      else batch.dropped += 1
    },
    written: (key) => writes.get(key),
  }
}

const entriesOf = ({ entries, dropped }: Batch): readonly NewEntry[] =>
  dropped === 0 ? entries : [...entries, droppedEntry(entries, dropped)]

const droppedEntry = (entries: readonly NewEntry[], dropped: number): NewEntry => ({
  at: entries.at(-1)!.at,
  type: 'log',
  data: JSON.stringify({ level: 'warn', message: `${dropped} more log entries were dropped` }),
})
