// What happened in each step of a time: how many Executions were accepted, how many ended and how, and how long those
// took. Ends are read from one index alone.

import type Database from 'better-sqlite3'
import { statusCodes } from './codes.ts'
import { prepare } from './prepare.ts'
import { createSample, type Sample } from './sample.ts'
import { collect, createSlices, type Slices, type Span } from './slices.ts'
import type { MetricsQuery, MetricsRecord, StepRecord } from './store.ts'
import type { Timeline } from './timeline.ts'

type Step = { started: number; completed: number; failed: number; cancelled: number; readonly durations: Sample }

const VERSIONS = `
  SELECT v.key FROM projects j CROSS JOIN versions v ON v.project = j.key CROSS JOIN programs p ON p.key = v.program
  WHERE j.id = @project AND (@program IS NULL OR p.id = @program)`

type Scope = { readonly project: string; readonly program: string | null }

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
    const steps = Array.from({ length: query.steps }, (): Step => ({
      started: 0,
      completed: 0,
      failed: 0,
      cancelled: 0,
      durations: createSample(),
    }))
    const slices = createSlices()
    await countStarted(query, scope, steps, slices)
    await readEnded(query, scope, steps, slices)
    const points: StepRecord[] = []
    for (const { durations, ...counts } of steps) {
      points.push({ ...counts, ...durations.percentiles() })
      await slices.breathe()
    }
    return { points, queued: countQueued.get(scope) ?? 0 }
  }
}

type AddUp = (query: MetricsQuery, scope: Scope, steps: readonly Step[], slices: Slices) => Promise<void>

const endOf = ({ from, stepMs, steps }: MetricsQuery): number => from + stepMs * steps

const createCountStarted = (db: Database.Database, timeline: Timeline): AddUp => {
  type Parameters = Scope & Span & { readonly from: number; readonly before: number; readonly stepMs: number }
  const select = prepare<[Parameters], { readonly step: number; readonly count: number }>(
    db,
    `SELECT cast((created_at - @from) / @stepMs AS INTEGER) AS step, count(*) AS count FROM executions NOT INDEXED
     WHERE key >= @low AND key < @high AND created_at >= @from AND created_at < @before AND version IN (${VERSIONS})
     GROUP BY 1`,
  )
  return async (query, scope, steps, slices) => {
    const { from, stepMs } = query
    const before = endOf(query)
    const span = timeline.createdWithin({ after: from - 1, before })
    const counted = await collect(span, Infinity, slices, (window) =>
      select.all({ ...scope, ...window, from, before, stepMs }),
    )
    for (const { step, count } of counted) steps[step]!.started += count
  }
}

const ENDED = ['completed', 'failed', 'cancelled'] as const
const ENDS_AT_ONCE = 4_096

type EndRow = readonly [finishedAt: number, version: number, createdAt: number, key: number]

const createReadEnded = (db: Database.Database): AddUp => {
  const selectVersions = prepare<[Scope], number>(db, VERSIONS).pluck()
  const select = prepare<[number, ...EndRow, number], EndRow>(
    db,
    `SELECT finished_at, version, created_at, key FROM executions INDEXED BY executions_by_end
     WHERE status = ? AND (finished_at, version, created_at, key) > (?, ?, ?, ?) AND finished_at < ?
     ORDER BY finished_at, version, created_at, key LIMIT ${ENDS_AT_ONCE}`,
  ).raw()

  return async (query, scope, steps, slices) => {
    const { from, stepMs } = query
    const versions = new Set(selectVersions.all(scope))
    for (const status of ENDED) {
      let last: EndRow = [from, -1, -1, -1]
      for (;;) {
        const rows = select.all(statusCodes.toCode(status), ...last, endOf(query)) as unknown as readonly EndRow[]
        for (const [finishedAt, version, createdAt] of rows) {
          if (!versions.has(version)) continue
          const step = steps[Math.floor((finishedAt - from) / stepMs)]!
          step[status] += 1
          step.durations.add(Math.max(0, finishedAt - createdAt))
        }
        if (rows.length < ENDS_AT_ONCE) break
        last = rows.at(-1)!
        await slices.breathe()
      }
    }
  }
}
