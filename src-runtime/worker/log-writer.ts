// Writes what effects log to the journal. Lines are collected until the transaction that writes them runs, so that an
// effect that logs a lot costs one write per commit, not one per line. A write is requested with the first line, so what
// an effect logs stands before its outcome.

import { isTerminal, type NewEntry } from '../engine/journal.ts'
import type { ExecutionStore } from '../store/store.ts'
import { createLogBatch, type LogBatch } from './log-batch.ts'

export type LogWriter = { write(key: number, entry: NewEntry): void }

export const createLogWriter = (executions: Pick<ExecutionStore, 'change'>): LogWriter => {
  const waiting = new Map<number, LogBatch>()

  /** Later lines need another write. */
  const close = (key: number, batch: LogBatch): void => {
    if (waiting.get(key) === batch) waiting.delete(key)
  }

  const requestWrite = async (key: number, batch: LogBatch): Promise<void> => {
    try {
      await executions.change(key, ({ head }) => {
        close(key, batch)
        return isTerminal(head.status) ? undefined : { entries: batch.entries() }
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
        const begun = createLogBatch(entry)
        waiting.set(key, begun)
        void requestWrite(key, begun)
      } else batch.add(entry)
    },
  }
}
