// What the engine knows of one Execution between two turns: everything in its journal that decisions need, without
// payloads. The store loads it without reading the journal.

import type { Status } from './journal.ts'
import type { EffectOptions } from './turn.ts'

export type TriggerReference = { readonly id: string; readonly type: 'webhook' | 'schedule' }

/** An Execution's row. Times are milliseconds since the epoch. */
export type ExecutionHead = {
  /** The store's key; a newer Execution has a higher one. It never leaves the process. */
  readonly key: number
  readonly id: string
  readonly projectId: string
  readonly programId: string
  readonly versionId: string
  readonly versionNumber: number
  readonly status: Status
  readonly createdAt: number
  readonly startedAt?: number
  readonly finishedAt?: number
  readonly cancelRequestedAt?: number
  /** Id of the Execution that this one runs again. */
  readonly againOf?: string
  /** What started it, where that was a Trigger of the hosted service. */
  readonly trigger?: TriggerReference
  /** The Program's label for this Execution. */
  readonly label?: string
  /** Position of the newest journal entry. */
  readonly lastPosition: number
  /** Number of turns whose outcome is in the journal. */
  readonly turns: number
  /** The newest command's number; 0 before the first. */
  readonly lastCommand: number
  /** Whether `cancel_requested` has been delivered. */
  readonly cancelDelivered: boolean
  /** Events received and not delivered, and the bytes of their data. */
  readonly buffered: number
  readonly bufferedBytes: number
}

/** A command that has not been answered yet. */
export type OpenCommand = {
  readonly command: number
  readonly since: number
  /** A user asked for it before it was due, at `dueAt`. */
  readonly early?: true
} & (
  | {
      readonly kind: 'event'
      readonly name: string
      /** `timeoutAt` */
      readonly dueAt?: number
      /** Position of its `wait_scheduled` entry; absent until that is written. */
      readonly position?: number
    }
  | { readonly kind: 'timer'; /** `wakeAt` */ readonly dueAt: number }
  | {
      readonly kind: 'effect'
      readonly name: string
      /** The attempt under way, or the next one. From 1. */
      readonly attempt: number
      /** When the next attempt may begin; absent for the first. */
      readonly dueAt?: number
      readonly options: EffectOptions
      /** How often the runtime died while this attempt was under way; absent: never. */
      readonly deaths?: number
    }
)

/** An event that was received and not delivered. Its payload stays in the journal until it is delivered. */
export type BufferedEvent = {
  /** Position of its `event_received` entry. */
  readonly position: number
  readonly id: string
  readonly name: string
  readonly receivedAt: number
  /** Of its data as UTF-8. */
  readonly bytes: number
}

/** Everything that the engine needs to continue an Execution. */
export type LoadedExecution = {
  readonly head: ExecutionHead
  /** By command. */
  readonly open: readonly OpenCommand[]
  /** By position. */
  readonly buffered: readonly BufferedEvent[]
}
