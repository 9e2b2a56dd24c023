// Many Executions at once, as operations read them.

import type { OpenCommand } from '../engine/execution-state.ts'
import type { Status } from '../engine/journal.ts'
import type { ExecutionRecord } from './executions.ts'
import type { Page } from './page.ts'

export type ExecutionFilter = {
  readonly projectId: string
  readonly statuses?: readonly Status[]
  readonly programId?: string
  readonly notProgramIds?: readonly string[]
  readonly versionNumber?: number
  /** ms since the epoch; all exclusive */
  readonly createdAfter?: number
  readonly createdBefore?: number
  readonly finishedAfter?: number
  readonly finishedBefore?: number
  /** An id's prefix, or text in the error's message (without regard to ASCII case). */
  readonly text?: string
  /** Excludes errors whose message contains this text. */
  readonly notText?: string
  /** Text in the label (without regard to ASCII case); not empty. */
  readonly label?: string
  /** Failed, waiting while an effect backs off, or waiting for the same event for more than an hour. */
  readonly needsAttention?: boolean
  readonly waitingKind?: OpenCommand['kind']
  readonly waitingName?: string
  readonly errorFingerprint?: string
  /** Of the Trigger that started them. */
  readonly triggerId?: string
  /** Each id once: of any of the Executions that they run again. */
  readonly againOf?: readonly string[]
}

export type ExecutionQuery = ExecutionFilter & {
  /** Keys below this one. */
  readonly beforeKey?: number
  readonly limit: number
}

export type ListedExecution = ExecutionRecord & {
  /** The first characters of the input's JSON; absent when there is no input. */
  readonly inputPreview?: string
}

export type OverviewReads = {
  /** Newest first. */
  list(query: ExecutionQuery): Promise<Page<ListedExecution>>
  /** Of each status. */
  counts(filter: ExecutionFilter): Promise<Readonly<Record<Status, number>>>
  /** Number of matching, waiting Executions that need attention. Failed ones are not included; count them by status. */
  awaitingAttention(filter: ExecutionFilter): Promise<number>
  /** By kind (events, timers, effects), then name and Program, both in the order of their code points. */
  waiting(query: WaitingGroupQuery): Promise<Page<WaitingGroupRecord>>
  /** The most recent failure first. */
  errors(query: ErrorGroupQuery): Promise<Page<ErrorGroupRecord>>
  metrics(query: MetricsQuery): Promise<MetricsRecord>
}

export type WaitingMark = {
  readonly kind: OpenCommand['kind']
  /** Empty for timers. */
  readonly name: string
  readonly programId: string
}

export type WaitingGroupQuery = {
  readonly projectId: string
  /** The last group of the page before. */
  readonly after?: WaitingMark
  readonly limit: number
}

export type WaitingGroupRecord = WaitingMark & {
  /** Executions. */
  readonly count: number
  /** ms since the epoch */
  readonly oldestSince: number
  readonly exampleExecutionId: string
}

export type ErrorGroupQuery = {
  readonly projectId: string
  readonly programId?: string
  /** Those behind this one. */
  readonly before?: { readonly lastAt: number; readonly key: number }
  readonly limit: number
}

export type ErrorGroupRecord = {
  readonly key: number
  readonly fingerprint: string
  readonly programId: string
  readonly code: string
  readonly name?: string
  readonly message: string
  readonly count: number
  /** ms since the epoch, like `lastAt` */
  readonly firstAt: number
  readonly lastAt: number
  readonly exampleExecutionId: string
}

export type MetricsQuery = {
  readonly projectId: string
  readonly programId?: string
  /** ms since the epoch */
  readonly from: number
  readonly stepMs: number
  readonly steps: number
}

export type MetricsRecord = {
  /** One for each step. */
  readonly points: readonly StepRecord[]
  /** Now. */
  readonly queued: number
}

export type StepRecord = {
  readonly started: number
  readonly completed: number
  readonly failed: number
  readonly cancelled: number
  readonly p50Ms: number | null
  readonly p95Ms: number | null
}
