// The figures that are measured at each number of stored Executions.

export type FigureName =
  | 'ready'
  | 'firstPage'
  | 'firstCounts'
  | 'firstWaiting'
  | 'page'
  | 'filter'
  | 'metrics'
  | 'noop'
  | 'callers64'
  | 'recovery'
  | 'dashboard'

/** Titles; all figures are in ms of processor time, of the runtime and its Program hosts, but the last. */
export const FIGURES: readonly { readonly name: FigureName; readonly title: string }[] = [
  { name: 'ready', title: 'start until `ready`, after a kill' },
  { name: 'firstPage', title: 'first page of Executions after a start' },
  { name: 'firstCounts', title: 'first counts by status after a start' },
  { name: 'firstWaiting', title: 'first groups of what waits after a start' },
  { name: 'page', title: 'page of Executions' },
  { name: 'filter', title: 'page with a filter, the slowest of 20' },
  { name: 'metrics', title: 'metrics of the last hour' },
  { name: 'noop', title: 'noop, 1 caller' },
  { name: 'callers64', title: 'noop, 64 callers' },
  { name: 'recovery', title: '200 parked, killed, started, all ended' },
  { name: 'dashboard', title: 'first rows of the dashboard, elapsed' },
]

/** The samples of one round. */
export type Samples = Partial<Record<FigureName, readonly number[]>>

/** The samples of all rounds, by number of Executions. */
export type Measured = readonly { readonly executions: number; readonly rounds: readonly Samples[] }[]
