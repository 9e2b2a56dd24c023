// Writes what effects log to the journals of their Executions. Lines are collected while a write is under way.

import type { NewEntry } from '../../src-runtime/engine/journal.ts'
import { createLogBatch, type LogBatch } from '../../src-runtime/worker/log-batch.ts'
import type { EngineStore } from '../store/store.ts'

export type EffectLogs = {
  write(key: number, entry: NewEntry): void
  /** Resolves when all lines of the Execution so far are stored, or could not be; `undefined`: no line is left to store. */
  written(key: number): Promise<void> | undefined
}

export const createEffectLogs = (store: Pick<EngineStore, 'appendLogs'>): EffectLogs => {
  /** Lines that the next write takes, by Execution. */
  const waiting = new Map<number, LogBatch>()
  /** The last write that was requested, by Execution. It begins after the one before. */
  const writes = new Map<number, Promise<void>>()

  const writeAfter = async (before: Promise<void> | undefined, key: number, batch: LogBatch): Promise<void> => {
    await before
    waiting.delete(key)
    try {
      await store.appendLogs(key, batch.entries())
    } catch {
      // Nothing waits for a log that cannot be stored.
    }
  }

  const requestWrite = (key: number, batch: LogBatch): void => {
    const written = writeAfter(writes.get(key), key, batch).finally(() => {
      if (writes.get(key) === written) writes.delete(key)
    })
    writes.set(key, written)
  }

  return {
    write: (key, entry) => {
      const batch = waiting.get(key)
      if (batch === undefined) {
        const begun = createLogBatch(entry)
        waiting.set(key, begun)
        requestWrite(key, begun)
      } else batch.add(entry)
    },
    written: (key) => writes.get(key),
  }
}
