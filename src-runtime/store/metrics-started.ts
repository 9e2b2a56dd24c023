// Counts the Executions accepted in each step of a time range. There is no index on that time, but keys follow it.
// Where it is less work, only rows near the steps' boundaries are read, and the others are counted by their keys.

import type Database from 'better-sqlite3'
import { filterOf } from './execution-filter.ts'
import { createRuns, type Run } from './execution-runs.ts'
import { VERSIONS, type Scope } from './metrics-scope.ts'
import { prepare } from './prepare.ts'
import { collect, downwards, type Slices, type Span } from './slices.ts'
import type { MetricsQuery } from '../ports/overview.ts'
import type { Timeline } from './timeline.ts'

/** A count for each step. */
export type CountStarted = (query: MetricsQuery, scope: Scope, slices: Slices) => Promise<readonly number[]>

type StepSpan = Span & { readonly step: number }

/** An index look-up takes as long as reading about this many rows. */
const ROWS_PER_LOOK_UP = 6
/** To find the keys at a step's boundaries. */
const LOOK_UPS_PER_STEP = 40

export const createCountStarted = (db: Database.Database, timeline: Timeline): CountStarted => {
  type Parameters = Scope & Span & { readonly from: number; readonly before: number; readonly stepMs: number }
  const selectRows = prepare<[Parameters], { readonly step: number; readonly count: number }>(
    db,
    `SELECT cast((created_at - @from) / @stepMs AS INTEGER) AS step, count(*) AS count FROM executions NOT INDEXED
     WHERE key >= @low AND key < @high AND created_at >= @from AND created_at < @before AND version IN (${VERSIONS})
     GROUP BY 1`,
  )
  const allRuns = createRuns(db)

  /** For each step, the keys that are surely in it. */
  const sureSpans = ({ from, stepMs, steps }: MetricsQuery): readonly StepSpan[] =>
    Array.from({ length: steps }, (_, step) =>
      timeline
        .surelyCreatedWithin({ after: from + step * stepMs - 1, before: from + (step + 1) * stepMs })
        .map((span) => ({ ...span, step })),
    )
      .flat()
      .toSorted((one, other) => one.low - other.low)

  return async (query, scope, slices) => {
    const { from, stepMs, steps } = query
    const before = from + stepMs * steps
    const counts = Array.from({ length: steps }, () => 0)
    const addRows = async (span: Span) => {
      const rows = await collect(span, Infinity, slices, (window) =>
        selectRows.all({ ...scope, ...window, from, before, stepMs }),
      )
      for (const { step, count } of rows) counts[step]! += count
    }
    const addKeys = (runs: readonly Run[], { step, ...span }: StepSpan) =>
      downwards(span, slices, (window) => {
        // All runs without a pause, because an Execution may move from one run to another.
        for (const run of runs) counts[step]! += allRuns.size(run, window)
        return 'go_on'
      })

    const whole = timeline.createdWithin({ after: from - 1, before })
    const runs = allRuns.of(filterOf({ projectId: query.projectId, ...programOf(query) }, 0), whole)
    const lookUps = steps * (runs.length + LOOK_UPS_PER_STEP)
    const isWorthwhile = lookUps * ROWS_PER_LOOK_UP < whole.high - whole.low
    let { low } = whole
    for (const span of isWorthwhile ? sureSpans(query) : []) {
      await addRows({ low, high: span.low })
      await addKeys(runs, span)
      low = span.high
    }
    await addRows({ low, high: whole.high })
    return counts
  }
}

const programOf = ({ programId }: MetricsQuery) => (programId === undefined ? {} : { programId })
