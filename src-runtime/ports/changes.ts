// What operations need of committed changes: the stream that callers follow, and the end of one Execution.

import type { EventStream } from '../contract/operations.ts'
import type { Status } from '../engine/journal.ts'
import type { OutcomeRecord } from './executions.ts'

export type ExecutionChange = {
  readonly kind?: undefined
  readonly key: number
  readonly executionId: string
  readonly programId: string
  readonly projectId: string
  readonly status: Status
  /** ms since the epoch */
  readonly at: number
  /** The Execution was deleted; `status` was its last. */
  readonly deleted?: true
}

/** A version of the Program was stored or removed, or the Program can be started now, or no longer. */
export type ProgramChange = {
  readonly kind: 'program'
  readonly programId: string
  readonly projectId: string
  /** Of the newest version. */
  readonly versionNumber: number
  /** ms since the epoch */
  readonly at: number
}

/** The answer of `GET /v1/source` has changed. */
export type SourceChange = { readonly kind: 'source' }

/** `diskIsFull` in the answer of `GET /v1/runtime` has changed. */
export type RuntimeChange = { readonly kind: 'runtime' }

export type Change = ExecutionChange | ProgramChange | SourceChange | RuntimeChange

export type Changes = {
  /**
   * Calls back once, when the Execution ends or the service stops; not after the function it returns was called. One
   * that ended before may never call back: read its status afterwards. Without the outcome, it must be read.
   */
  whenTerminal(key: number, listener: (outcome?: OutcomeRecord) => void): () => void
  /**
   * Changes as server-sent events, of all projects unless one is given. Begins with an id that a reader can resume
   * from, or with what came behind `lastEventId`, which is text that an earlier stream wrote, or anything else; `reset`
   * when what came behind it is not known any more.
   */
  stream(reader: {
    readonly projectId: string | undefined
    readonly lastEventId: string | undefined
  }): EventStream | Promise<EventStream>
}
