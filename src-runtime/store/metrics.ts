// Metrics per step of a time range: accepted Executions, ended ones by status, and their durations.

import type Database from 'better-sqlite3'
import { statusCodes } from '../shared/row-codes.ts'
import { VERSIONS, type Scope } from './metrics-scope.ts'
import { createCountStarted } from './metrics-started.ts'
import { prepare } from './prepare.ts'
import { createSample, type Sample } from './sample.ts'
import { createSlices, upwards, type Slices, type Span } from './slices.ts'
import type { MetricsQuery, MetricsRecord, StepRecord } from '../ports/overview.ts'
import type { Timeline } from './timeline.ts'

type Step = { started: number; completed: number; failed: number; cancelled: number; readonly durations: Sample }

export const createReadMetrics = (
  db: Database.Database,
  timeline: Timeline,
): ((query: MetricsQuery) => Promise<MetricsRecord>) => {
  const countStarted = createCountStarted(db, timeline)
  const readEnded = createReadEnded(db)
  const countQueued = prepare<[Scope], number>(
    db,
    `SELECT count(*) FROM (${VERSIONS}) s CROSS JOIN executions e INDEXED BY executions_by_version
       ON e.version = s.key AND e.status = ${statusCodes.toCode('queued')}`,
  ).pluck()

  return async (query) => {
    const scope = { project: query.projectId, program: query.programId ?? null }
    const slices = createSlices()
    const started = await countStarted(query, scope, slices)
    const steps = started.map((count): Step => ({
      started: count,
      completed: 0,
      failed: 0,
      cancelled: 0,
      durations: createSample(),
    }))
    for (const status of ['completed', 'failed', 'cancelled'] as const) {
      await readEnded(query, scope, status, slices, (step, durationMs) => {
        steps[step]![status] += 1
        steps[step]!.durations.add(durationMs)
      })
    }
    const points: StepRecord[] = []
    for (const { durations, ...counts } of steps) {
      points.push({ ...counts, ...durations.percentiles() })
      await slices.yieldIfDue()
    }
    return { points, queued: countQueued.get(scope) ?? 0 }
  }
}

/** Packs a step's number and a duration into one number, because a row of one column is read four times as fast. */
const LONGEST_MS = 2 ** 42

/** This many are read in some milliseconds. */
const ENDS_AT_ONCE = 16_384

type ReadEnded = (
  query: MetricsQuery,
  scope: Scope,
  status: 'completed' | 'failed' | 'cancelled',
  slices: Slices,
  onEnd: (step: number, durationMs: number) => void,
) => Promise<void>

const createReadEnded = (db: Database.Database): ReadEnded => {
  type Time = Span & { readonly status: number }
  const inTime = `executions INDEXED BY executions_by_end
    WHERE status = @status AND finished_at >= @low AND finished_at < @high`
  const select = prepare<[Scope & Time & { readonly from: number; readonly stepMs: number }], number>(
    db,
    `SELECT cast((finished_at - @from) / @stepMs AS INTEGER) * ${LONGEST_MS}
       + max(0, min(finished_at - created_at, ${LONGEST_MS - 1}))
     FROM ${inTime} AND version IN (${VERSIONS})`,
  ).pluck()
  const partEnd = prepare<[Time], number>(
    db,
    `SELECT finished_at FROM ${inTime} ORDER BY finished_at LIMIT 1 OFFSET ${ENDS_AT_ONCE}`,
  ).pluck()

  return async (query, scope, status, slices, onEnd) => {
    const { from, stepMs, steps } = query
    const code = statusCodes.toCode(status)
    await upwards(
      { low: from, high: from + stepMs * steps },
      slices,
      (rest) => partEnd.get({ ...rest, status: code }),
      (part) => {
        for (const end of select.all({ ...scope, ...part, status: code, from, stepMs })) {
          const step = Math.floor(end / LONGEST_MS)
          onEnd(step, end - step * LONGEST_MS)
        }
      },
    )
  }
}
