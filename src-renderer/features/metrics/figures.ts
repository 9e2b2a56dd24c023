// The totals of a span of metrics. Pure.

import type { Metrics } from '#sdk/index.ts'

export type Totals = {
  readonly started: number
  readonly completed: number
  readonly failed: number
  readonly cancelled: number
  /** The share of failed among ended Executions; null when none ended. */
  readonly failureRate: number | null
  /** Ended Executions per second over the span. */
  readonly finishedPerSecond: number
}

export const totalsOf = ({ points, stepMs }: Metrics): Totals => {
  const sum = (member: 'started' | 'completed' | 'failed' | 'cancelled') =>
    points.reduce((total, point) => total + point[member], 0)
  const completed = sum('completed')
  const failed = sum('failed')
  const cancelled = sum('cancelled')
  const ended = completed + failed + cancelled
  const seconds = (points.length * stepMs) / 1_000
  return {
    started: sum('started'),
    completed,
    failed,
    cancelled,
    failureRate: ended === 0 ? null : failed / ended,
    finishedPerSecond: seconds === 0 ? 0 : ended / seconds,
  }
}

/** Per second: `0`, `< 0.01`, `0.25`, `38`. 0 only if it is exactly that. */
export const rateText = (rate: number): string => {
  if (rate === 0) return '0'
  if (rate < 0.01) return '< 0.01'
  return rate.toFixed(rate < 10 ? 2 : 0)
}

/** The columns of a chart, as uPlot expects them: times in seconds, then one list per series. */
export const columnsOf = (
  { points }: Metrics,
  series: readonly ('started' | 'completed' | 'failed' | 'cancelled' | 'p50Ms' | 'p95Ms')[],
): readonly [readonly number[], ...(readonly (number | null)[])[]] => [
  points.map((point) => Date.parse(point.at) / 1_000),
  ...series.map((member) => points.map((point) => point[member])),
]

/** The step at an index, as a filter for the list of Executions. */
export const stepAt = ({ points, stepMs }: Metrics, index: number): { from: string; to: string } | undefined => {
  const point = points[index]
  if (point === undefined) return undefined
  return { from: point.at, to: new Date(Date.parse(point.at) + stepMs).toISOString() }
}
