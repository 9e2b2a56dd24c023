// Metrics per step of a time range: accepted Executions, ended ones by status, and their durations.

import type { MetricsQuery, MetricsRecord, OverviewReads } from '../../src-runtime/ports/overview.ts'
import { ALL_STATUSES } from '../../src-runtime/shared/row-codes.ts'
import type { CountExecutions } from './counts.ts'
import { codesOf } from './filter-sql.ts'
import type { FindScope, FoundScope } from './find-scope.ts'
import { firstKey } from './key-times.ts'
import type { Scope } from './scope.ts'

type StartedRow = { readonly step: number; readonly count: number }

type EndedRow = {
  readonly step: number
  readonly completed: number
  readonly failed: number
  readonly cancelled: number
  readonly p50: number
  readonly p95: number
}

const [COMPLETED, FAILED, CANCELLED] = codesOf(['completed', 'failed', 'cancelled'])

/** A key is a time, so an index finds these. $2: the project's key or versions' keys, as $3 says. */
const startedOf = (condition: string) => `
  SELECT ((x.key / 4096 + 1577836800000 - $5::bigint) / $6::bigint)::int AS step, count(*)::int AS count
  FROM executions x WHERE x.workspace = scope.workspace AND ${condition} AND x.status = ANY ($4::smallint[])
    AND x.key >= $7::bigint AND x.key < $8::bigint GROUP BY 1`
const STARTED = startedOf('x.project = $2::int AND $3::int[] IS NULL')
const STARTED_OF_VERSIONS = startedOf('$2::int > 0 AND x.version = ANY ($3::int[])')

const ENDED = `
  SELECT ((x.finished_at - $4::bigint) / $5::bigint)::int AS step,
    (count(*) FILTER (WHERE x.status = ${COMPLETED}))::int AS completed,
    (count(*) FILTER (WHERE x.status = ${FAILED}))::int AS failed,
    (count(*) FILTER (WHERE x.status = ${CANCELLED}))::int AS cancelled,
    percentile_disc(0.5) WITHIN GROUP (ORDER BY greatest(x.finished_at - x.created_at, 0)) AS p50,
    percentile_disc(0.95) WITHIN GROUP (ORDER BY greatest(x.finished_at - x.created_at, 0)) AS p95
  FROM executions x WHERE x.workspace = scope.workspace AND x.project = $2::int
    AND ($3::int[] IS NULL OR x.version = ANY ($3)) AND x.finished_at >= $4 AND x.finished_at < $6::bigint GROUP BY 1`

export const createReadMetrics =
  (scope: Scope, findScope: FindScope, { counts }: CountExecutions): OverviewReads['metrics'] =>
  async (query) => {
    const found = await findScope(query)
    const started = found === undefined ? [] : await readStarted(scope, found, query)
    const ended = found === undefined ? [] : await readEnded(scope, found, query)
    const { queued } = await counts({
      projectId: query.projectId,
      ...(query.programId !== undefined && { programId: query.programId }),
    })
    return { points: toPoints(query.steps, started, ended), queued }
  }

const endOf = ({ from, stepMs, steps }: MetricsQuery): number => from + stepMs * steps

const readStarted = (scope: Scope, { project, versions }: FoundScope, query: MetricsQuery) => {
  const { from, stepMs } = query
  const span = [firstKey(from), firstKey(endOf(query))]
  const sql = versions === undefined ? STARTED : STARTED_OF_VERSIONS
  return scope.readOnce<StartedRow>(sql, [project, versions ?? null, codesOf(ALL_STATUSES), from, stepMs, ...span])
}

const readEnded = (scope: Scope, { project, versions }: FoundScope, query: MetricsQuery) =>
  scope.readOnce<EndedRow>(ENDED, [project, versions ?? null, query.from, query.stepMs, endOf(query)])

const toPoints = (
  steps: number,
  started: readonly StartedRow[],
  ended: readonly EndedRow[],
): MetricsRecord['points'] => {
  const starts = new Map(started.map(({ step, count }) => [step, count]))
  const ends = new Map(ended.map((row) => [row.step, row]))
  return Array.from({ length: steps }, (_, step) => {
    const end = ends.get(step)
    return {
      started: starts.get(step) ?? 0,
      completed: end?.completed ?? 0,
      failed: end?.failed ?? 0,
      cancelled: end?.cancelled ?? 0,
      p50Ms: end?.p50 ?? null,
      p95Ms: end?.p95 ?? null,
    }
  })
}
