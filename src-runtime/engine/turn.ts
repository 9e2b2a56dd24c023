// The input and output of a turn: the Program runs from one delivery until it awaits again.

import type { ExecutionError, JsonText } from './journal.ts'

/** One journal entry handed to the Program. `at` is the Program's clock during the turn (ms since the epoch). */
export type Delivery =
  | { readonly kind: 'start'; readonly at: number; /** `{ input? }` */ readonly data: JsonText }
  | {
      readonly kind: 'event'
      readonly at: number
      readonly command: number
      readonly name: string
      /** Position of the `event_received` entry. */
      readonly source: number
      readonly eventId: string
      /** `{ id, payload? }` */
      readonly data: JsonText
    }
  | {
      readonly kind: 'wait_timeout'
      readonly at: number
      readonly command: number
      readonly name: string
      readonly early?: true
    }
  | {
      readonly kind: 'timer'
      readonly at: number
      readonly command: number
      /** A user asked for it before it was due. */
      readonly early?: true
    }
  | {
      readonly kind: 'effect_result'
      readonly at: number
      readonly command: number
      readonly name: string
      readonly attempt: number
      /** `{ result?, early? }` */
      readonly data: JsonText
    }
  | {
      readonly kind: 'effect_failure'
      readonly at: number
      readonly command: number
      readonly name: string
      readonly attempt: number
      /** `{ error: { code, message, name?, stack? }, early? }` */
      readonly data: JsonText
    }
  | { readonly kind: 'cancel'; readonly at: number }

/** A planned delivery: an event's payload is read when it is delivered. */
export type PlannedDelivery = Exclude<Delivery, { kind: 'event' }> | PlannedEvent
export type PlannedEvent = Omit<Extract<Delivery, { kind: 'event' }>, 'data'> & { readonly bytes: number }

export type RetryPolicy = {
  readonly maxAttempts: number
  readonly initialIntervalMs: number
  readonly backoffCoefficient: number
  readonly maxIntervalMs: number
}

/** The options of a `ctx.effect` call. Missing ones come from the manifest, then from the defaults. */
export type EffectOptions = { readonly retry?: Partial<RetryPolicy>; readonly timeoutMs?: number }

/** Commands are numbered from 1 within their Execution, in the order in which the Program asked. */
export type Command =
  | {
      readonly kind: 'effect'
      readonly command: number
      readonly name: string
      readonly options: EffectOptions
      /** `{ input?, retry?, timeoutMs? }` */
      readonly data: JsonText
    }
  | {
      readonly kind: 'timer'
      readonly command: number
      /** ms since the epoch */
      readonly dueAt: number
      /** `{ wakeAt }` */
      readonly data: JsonText
    }
  | {
      readonly kind: 'wait'
      readonly command: number
      readonly name: string
      /** ms since the epoch; absent: waits for ever */
      readonly dueAt?: number
      /** `{ timeoutAt? }` */
      readonly data: JsonText
    }

export type Log = {
  readonly kind: 'log'
  /** `{ level: 'debug' | 'info' | 'warn' | 'error', message: string }` */
  readonly data: JsonText
}

export type Operation = Command | Log

export type TurnOutcome =
  | { readonly kind: 'suspended' }
  | { readonly kind: 'completed'; /** `{ result? }` */ readonly data: JsonText }
  | { readonly kind: 'failed'; readonly error: ExecutionError }

export type TurnOutput = {
  /** In the order in which the Program asked for them. */
  readonly operations: readonly Operation[]
  readonly outcome: TurnOutcome
  /** On the first turn: the Program's label for the Execution. */
  readonly label?: string
}
