// What parts of the service report about what they do. They report no id, no name of a caller and no token, so that the number
// of time series stays bounded.

import type { TerminalStatus } from '../../src-runtime/engine/journal.ts'

/** Durations in seconds. */
export type Metrics = {
  /** `operation`: its name in the table, or `none`. `seconds`: absent for answers that wait because their callers want it. */
  answered(operation: string, status: number, seconds: number | undefined): void
  hookAnswered(status: number, seconds: number): void
  /** What Restate asked for; `failed`: Restate will ask again. */
  worked(work: 'visit' | 'effect' | 'schedule', end: 'done' | 'failed', seconds: number): void
  attempted(outcome: 'completed' | 'failed', seconds: number): void
  started(): void
  tookTurns(count: number): void
  ended(status: TerminalStatus): void
  /** Executions that the sweeper found overdue. */
  swept(count: number): void
  /** Whether this worker gets new work. */
  getsWork(isTrue: boolean): void
}

const nothing = (): void => {}

export const noMetrics: Metrics = {
  answered: nothing,
  hookAnswered: nothing,
  worked: nothing,
  attempted: nothing,
  started: nothing,
  tookTurns: nothing,
  ended: nothing,
  swept: nothing,
  getsWork: nothing,
}
