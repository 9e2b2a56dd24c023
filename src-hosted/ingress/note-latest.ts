// Writes down what came of the calls of a Trigger, behind their answers. Only the last counts, so one is written at a time, and of what comes
// meanwhile only the last: a flood of calls would otherwise write its row, and wait for it, more often than it starts Executions.

import type { Logger } from 'pino'
import { createFaultLevels } from '../../src-runtime/shared/fault-levels.ts'
import { within } from '../../src-runtime/shared/within.ts'
import type { Fired } from '../store/tenancy.ts'
import type { OwnedWebhook } from './call-webhook.ts'

export type NoteFired = (owned: OwnedWebhook, fired: Fired) => void

export type LatestNotes = {
  readonly note: NoteFired
  /** Waits until what has been noted is written, but not for long. */
  stop(): Promise<void>
}

const STOP_WITHIN_MS = 2_000

/** `note` writes one. What cannot be written is logged, and left out. */
export const createNoteLatest = (
  note: (owned: OwnedWebhook, fired: Fired) => Promise<void>,
  log: Logger,
): LatestNotes => {
  const levelOf = createFaultLevels()
  /** Of each Trigger of which one is being written. */
  const waiting = new Map<string, readonly Fired[]>()
  const writing = new Set<Promise<void>>()

  const writeAll = async (owned: OwnedWebhook): Promise<void> => {
    const { id } = owned.trigger
    for (let next = waiting.get(id); next?.[0] !== undefined; next = waiting.get(id)) {
      const [fired, ...rest] = next
      waiting.set(id, rest)
      await note(owned, fired).catch((error: unknown) => {
        log[levelOf(error, 'warn')]({ err: error }, 'a call of a webhook could not be noted')
      })
    }
    waiting.delete(id)
  }

  return {
    note: (owned, fired) => {
      const { id } = owned.trigger
      const before = waiting.get(id)
      // A refusal says nothing of what was started last.
      const started = 'error' in fired ? (before ?? []).filter((one) => 'executionId' in one) : []
      waiting.set(id, [...started, fired])
      if (before !== undefined) return
      const written = writeAll(owned)
      writing.add(written)
      void written.finally(() => writing.delete(written))
    },
    stop: async () => {
      await within(STOP_WITHIN_MS, Promise.all(writing))
    },
  }
}
