// The types of the routes for many Executions and for the runtime. These routes are not in the interface specification;
// a service without them answers `not_found`.

import type { ExecutionFilter, ExecutionStatus, Waiting } from './contract-types.ts'

export type ExecutionCounts = {
  readonly counts: Readonly<Record<ExecutionStatus, number>>
  /** Failed, waiting while an effect backs off, or waiting for the same event for more than an hour. */
  readonly needsAttention: number
}

export type BulkAction = 'cancel' | 'delete' | 'run-again'

/** The action and its Executions: these ids, or those that match the filter now. */
export type BulkRequest =
  | { readonly action: BulkAction; readonly ids: readonly string[]; readonly filter?: never }
  | { readonly action: BulkAction; readonly ids?: never; readonly filter: ExecutionFilter }

/**
 * A bulk action, which runs in the background. A local runtime forgets it when it stops; a hosted service keeps it for a
 * day after its end.
 */
export type Bulk = {
  readonly id: string
  readonly action: BulkAction
  readonly status: 'running' | 'done' | 'stopped'
  readonly matched: number
  readonly done: number
  /** Executions that could not be changed: gone, already terminal (cancel), not yet terminal (delete), not runnable. */
  readonly failed: number
}

/** Executions of one Program that wait for the same thing. */
export type WaitingGroup = {
  readonly kind: Waiting['kind']
  /** Empty for timers. */
  readonly name: string
  readonly programId: string
  /** The number of Executions. */
  readonly count: number
  readonly oldestSince: string
  /** An Execution that has waited longest. */
  readonly exampleExecutionId: string
}

/** Failures of one Program with the same fingerprint: code, name, message without its numbers and ids, own stack line. */
export type ErrorGroup = {
  readonly fingerprint: string
  readonly programId: string
  readonly code: string
  readonly name?: string
  /** The message of the example. */
  readonly message: string
  /** The number of Executions that are still stored. */
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
  /**
   * Milliseconds, or text such as `"5m"`: from 1 s to 30 days, for 1,000 points at most. The service chooses a default.
   */
  readonly step?: number | string | undefined
  readonly programId?: string | undefined
}

export type Metrics = {
  readonly stepMs: number
  /** One point per step, oldest first, including steps without events. */
  readonly points: readonly MetricsPoint[]
  /** The number of Executions that are queued now. */
  readonly queued: number
}

export type MetricsPoint = {
  /** When the step begins. */
  readonly at: string
  readonly started: number
  readonly completed: number
  readonly failed: number
  readonly cancelled: number
  /** The median duration, from acceptance to end, of the Executions that ended in the step; null when none did. */
  readonly p50Ms: number | null
  readonly p95Ms: number | null
}

/** The project folder whose Programs a local runtime keeps deployed. */
export type SourceStatus = {
  readonly folder: string
  readonly watching: boolean
  /** There is no such folder now; absent if there is. */
  readonly missing?: boolean
  /** The folder is being read for the first time, so more Programs may come; absent afterwards. */
  readonly reading?: boolean
  /** The project that its Programs belong to, once known; absent if it does not exist. */
  readonly projectId?: string
  /** `path` is relative to the folder. */
  readonly programs: readonly { readonly id: string; readonly path: string }[]
  readonly errors: readonly SourceFault[]
  /** What compiles, and may not do what it seems to; absent if there are none. */
  readonly warnings?: readonly SourceFault[]
}

export type SourceFault = {
  readonly path: string
  /** From 1, like `column`. */
  readonly line: number
  readonly column: number
  readonly message: string
  /** The lines around it; empty when the file could not be read, and for a warning of a file as a whole. */
  readonly frame: string
}

export type RuntimeStatus = {
  readonly version: string
  readonly pid: number
  readonly port: number
  readonly dataDir: string
  readonly dataBytes: number
  /** Nothing can be stored until there is room on the disk. */
  readonly diskIsFull: boolean
  readonly startedAt: string
  /** The commands that run `wes` and that start this runtime again; absent in the desktop app. */
  readonly startedBy?: { readonly cli: string; readonly start: string }
  /** How late the runtime handled due work, over the last seconds. */
  readonly eventLoopDelayP99Ms: number
  readonly hosts: readonly RuntimeHost[]
}

/** A child process: it runs Programs, or the effects of one project folder. */
export type RuntimeHost = ProgramHostStatus | EffectHostStatus

export type ProgramHostStatus = {
  readonly kind: 'program'
  /** Most Executions run in a shared host. Slow ones, and new code under test, have a host of their own. */
  readonly role: 'shared' | 'alone'
  readonly state: 'starting' | 'ready'
  readonly pid?: number
  /** Absent where the system does not report it. */
  readonly rssBytes?: number
  /** The number of turns that are running. */
  readonly busy: number
}

export type EffectHostStatus = {
  readonly kind: 'effect'
  readonly role: 'shared' | 'alone'
  readonly state: 'starting' | 'ready' | 'blocked' | 'retiring'
  readonly pid?: number
  readonly rssBytes?: number
  /** The number of attempts that are running. */
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

/** A change of an Execution, sent after its commit. */
export type ExecutionChange = {
  readonly executionId: string
  readonly programId: string
  readonly projectId: string
  readonly status: ExecutionStatus
  readonly at: string
}
