// Executions and their journals, as operations read them. A key is the store's own number of an Execution.

import type { ExecutionHead, OpenCommand, TriggerReference } from '../engine/execution-state.ts'
import type { ExecutionError, JournalEntry, JsonText, Status } from '../engine/journal.ts'
import type { Page } from './page.ts'

export type ExecutionRecord = {
  readonly head: ExecutionHead
  readonly error?: ExecutionError
  /** By command; empty when terminal. */
  readonly waitingFor: readonly OpenCommand[]
}

/** With what it was started with, and what it returned. */
export type WholeExecution = ExecutionRecord & {
  /** `{ input? }` */
  readonly input: JsonText
  /** `{ result? }` */
  readonly result: JsonText
}

export type OutcomeRecord = {
  readonly status: Status
  readonly error?: ExecutionError
  /** `{ result? }` */
  readonly result: JsonText
  /** When it began and ended, in ms since the epoch: known to whoever ends it. */
  readonly startedAt?: number
  readonly finishedAt?: number
}

export type NewExecution = {
  readonly id: string
  readonly projectId: string
  readonly programId: string
  readonly versionId: string
  readonly versionNumber: number
  /** The newest one was asked for: `version_gone` if a newer one may run. */
  readonly isNewest?: boolean
  readonly createdAt: number
  /** `{ input? }` */
  readonly data: JsonText
  /** Id of the Execution that this one runs again. */
  readonly againOf?: string
  /** What started it. */
  readonly trigger?: TriggerReference
  /** When that had been changed last, if it may not start anything else: `trigger_changed` if it was changed or removed since. */
  readonly triggerUpdatedAt?: number
  readonly idempotency?: SentKey
}

/** An `Idempotency-Key`, and the hash that detects another request with the same key. */
export type SentKey = { readonly key: string; readonly bodyHash: string }

export type StartOutcome =
  | {
      readonly kind: 'started'
      readonly head: ExecutionHead
      /** As it was stored, where the worker knows. */
      readonly whole?: WholeExecution
    }
  | { readonly kind: 'repeated'; readonly key: number }
  | { readonly kind: 'conflict' }
  /** It was removed since it was looked up, or is not the newest one any more. */
  | { readonly kind: 'version_gone' }
  | { readonly kind: 'trigger_changed' }

export type Deleted = { readonly kind: 'deleted' } | { readonly kind: 'not_finished'; readonly status: Status }

export type ReceivedWith = { readonly position: number; readonly bodyHash: string }

/** What never changes of an Execution. */
export type ExecutionIdentity = Pick<
  ExecutionHead,
  'id' | 'key' | 'projectId' | 'programId' | 'versionId' | 'versionNumber'
>

export type ExecutionReads = {
  /**
   * What an idempotency key started, while the key is kept. A repeated request gets this result even if the Program
   * would refuse it now.
   */
  startedWith(
    projectId: string,
    idempotencyKey: string,
  ): { readonly key: number; readonly bodyHash: string } | undefined
  /** The event of an Execution that was sent with an idempotency key, while the key is kept. */
  receivedWith(key: number, idempotencyKey: string): ReceivedWith | undefined
  find(id: string): ExecutionHead | undefined
  /** The same, perhaps of one that was deleted since. */
  identify(id: string): ExecutionIdentity | undefined
  head(key: number): ExecutionHead | undefined
  whole(key: number): WholeExecution | undefined
  outcome(key: number): OutcomeRecord | undefined
  /** By the Execution's id: both in one read. */
  findOutcome(id: string): { readonly head: ExecutionHead; readonly outcome: OutcomeRecord } | undefined
  /** Removes an Execution that has ended, and everything about it. `undefined` when there is no such Execution. */
  delete(key: number): Promise<Deleted | undefined>
}

export type JournalReads = {
  /** Entries with positions above `afterPosition`, oldest first. */
  page(key: number, afterPosition: number, limit: number): Page<JournalEntry>
  entry(key: number, position: number): JournalEntry | undefined
}
