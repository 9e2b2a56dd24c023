// The shapes of the routes that look at many Executions at once, and at the runtime itself. They are ours, beyond the
// interface specification; a service may lack them, and then answers `not_found`.

import type { ExecutionFilter, ExecutionStatus, Waiting } from './contract-types.ts'

export type ExecutionCounts = {
  readonly counts: Readonly<Record<ExecutionStatus, number>>
  /** Failed, waiting while an effect backs off, or waiting for the same event for more than an hour. */
  readonly needsAttention: number
}

export type BulkAction = 'cancel' | 'delete' | 'run-again'

/** What to do, and to which Executions: either these ids, or those that match the filter now. */
export type BulkRequest =
  | { readonly action: BulkAction; readonly ids: readonly string[]; readonly filter?: never }
  | { readonly action: BulkAction; readonly ids?: never; readonly filter: ExecutionFilter }

/** Work on many Executions, done in the background. It is forgotten when the runtime ends. */
export type Bulk = {
  readonly id: string
  readonly action: BulkAction
  readonly status: 'running' | 'done' | 'stopped'
  readonly matched: number
  readonly done: number
  /** Those with which it was not possible: gone, already terminal (cancel), not yet terminal (delete), not runnable. */
  readonly failed: number
}

/** What Executions of one Program wait for. */
export type WaitingGroup = {
  readonly kind: Waiting['kind']
  /** Empty for timers. */
  readonly name: string
  readonly programId: string
  /** Executions. */
  readonly count: number
  readonly oldestSince: string
  /** One of those that have waited longest. */
  readonly exampleExecutionId: string
}

/** Failures of one Program with the same fingerprint: code, name, message without its numbers and ids, own stack line. */
export type ErrorGroup = {
  readonly fingerprint: string
  readonly programId: string
  readonly code: string
  readonly name?: string
  /** That of the example. */
  readonly message: string
  /** Executions that are still stored. */
  readonly count: number
  readonly firstAt: string
  readonly lastAt: string
  /** The newest. */
  readonly exampleExecutionId: string
}

export type ErrorFilter = {
  readonly programId?: string | undefined
}

export type MetricsQuery = {
  /** The service's default is an hour before `to`. */
  readonly from?: string | Date | undefined
  /** The service's default is now. */
  readonly to?: string | Date | undefined
  /** Milliseconds, or text such as `"5m"`: from 1 s to 30 days, for 1,000 points at most. Chosen when absent. */
  readonly step?: number | string | undefined
  readonly programId?: string | undefined
}

export type Metrics = {
  readonly stepMs: number
  /** Oldest first, one for each step, whether something happened in it or not. */
  readonly points: readonly MetricsPoint[]
  /** Executions that are queued now. */
  readonly queued: number
}

export type MetricsPoint = {
  /** When the step begins. */
  readonly at: string
  readonly started: number
  readonly completed: number
  readonly failed: number
  readonly cancelled: number
  /** Half of the Executions that ended in the step took at most so long, from start to end; null when none ended. */
  readonly p50Ms: number | null
  readonly p95Ms: number | null
}

/** The project folder whose Programs a local runtime keeps deployed. */
export type SourceStatus = {
  readonly folder: string
  readonly watching: boolean
  /** `path` is relative to the folder. */
  readonly programs: readonly { readonly id: string; readonly path: string }[]
  readonly errors: readonly SourceFault[]
}

export type SourceFault = {
  readonly path: string
  /** From 1, like `column`. */
  readonly line: number
  readonly column: number
  readonly message: string
  /** The lines around it; empty when the file could not be read. */
  readonly frame: string
}

export type RuntimeStatus = {
  readonly version: string
  readonly pid: number
  readonly port: number
  readonly dataDir: string
  readonly dataBytes: number
  readonly startedAt: string
  /** How its user calls `wes`, and the command that starts this runtime again; absent in the desktop app. */
  readonly startedBy?: { readonly cli: string; readonly start: string }
  /** How late the runtime came to what was due, over the last seconds. */
  readonly eventLoopDelayP99Ms: number
  readonly hosts: readonly RuntimeHost[]
}

/** A child process: it runs Programs, or the effects of one project folder. */
export type RuntimeHost = ProgramHostStatus | EffectHostStatus

export type ProgramHostStatus = {
  readonly kind: 'program'
  /** Most Executions are in a shared host; slow ones, and new code that is checked, are alone in another. */
  readonly role: 'shared' | 'alone'
  readonly state: 'starting' | 'ready'
  readonly pid?: number
  /** Where the system tells. */
  readonly rssBytes?: number
  /** Turns under way. */
  readonly busy: number
}

export type EffectHostStatus = {
  readonly kind: 'effect'
  readonly role: 'shared' | 'alone'
  readonly state: 'starting' | 'ready' | 'blocked' | 'retiring'
  readonly pid?: number
  readonly rssBytes?: number
  /** Attempts under way. */
  readonly busy: number
  readonly folder: string
  readonly startedAt: string
}

/** A version of a Program was stored or removed, or the Program can be started now, or no longer. */
export type ProgramChange = {
  readonly programId: string
  readonly projectId: string
  /** The newest. */
  readonly versionNumber: number
  readonly at: string
}

/** A change of an Execution, told after its commit. */
export type ExecutionChange = {
  readonly executionId: string
  readonly programId: string
  readonly projectId: string
  readonly status: ExecutionStatus
  readonly at: string
}
