// What was used: read from the days and from what was not added to them yet, in one statement, so that each counts once.

import type { Dimension, UsageRow } from '../usage/summarize-usage.ts'
import type { Database } from './database.ts'
import type { Scope } from './scope.ts'
import type { UsageFolding, UsageReads } from './tenancy.ts'

const COLUMNS = 'day, project, program, executions, turns, effect_attempts, events, compute_ms, stored_bytes'

const rowsBy = (groupBy: readonly Dimension[]): string => {
  const [project, program] = [groupBy.includes('project'), groupBy.includes('program')]
  const keys = ['greatest(u.day, $3 - 1)', ...(project ? ['j.id'] : []), ...(program ? ['p.id'] : [])].join(', ')
  return `SELECT greatest(u.day, $3 - 1) AS day, ${project ? 'j.id' : 'NULL'} AS project_id, ${program ? 'p.id' : 'NULL'} AS program_id,
      sum(u.executions)::bigint AS executions, sum(u.turns)::bigint AS turns,
      sum(u.effect_attempts)::bigint AS effect_attempts, sum(u.events)::bigint AS events,
      sum(u.compute_ms)::bigint AS compute_ms, sum(u.stored_bytes)::bigint AS stored_bytes
    FROM (
      SELECT ${COLUMNS} FROM usage_days WHERE workspace = scope.workspace AND day <= $2
      UNION ALL SELECT ${COLUMNS} FROM usage_deltas WHERE workspace = scope.workspace AND day <= $2) AS u
    JOIN projects j ON j.key = u.project JOIN programs p ON p.key = u.program GROUP BY ${keys}`
}

type Row = {
  readonly day: number
  readonly project_id: string | null
  readonly program_id: string | null
  readonly executions: number
  readonly turns: number
  readonly effect_attempts: number
  readonly events: number
  readonly compute_ms: number
  readonly stored_bytes: number
}

export const createUsageReads = (scope: Scope): UsageReads => ({
  rows: async ({ from, to, groupBy }) => (await scope.read<Row>(rowsBy(groupBy), [to, from])).map(toUsageRow),
})

const toUsageRow = (row: Row): UsageRow => ({
  day: row.day,
  ...(row.project_id !== null && { projectId: row.project_id }),
  ...(row.program_id !== null && { programId: row.program_id }),
  executions: row.executions,
  turns: row.turns,
  effectAttempts: row.effect_attempts,
  events: row.events,
  computeMs: row.compute_ms,
  storedBytes: row.stored_bytes,
})

const FOLDED_AT_ONCE = 10_000

/** Of all workspaces. */
export const createUsageFolding = (db: Database): UsageFolding => ({
  fold: async () => {
    const [row] = await db.run<{ folded: number }>('SELECT wes_fold_usage($1) AS folded', [FOLDED_AT_ONCE])
    return row!.folded === FOLDED_AT_ONCE
  },
  storedBytes: async (workspaceId) => {
    const [row] = await db.run<{ stored_bytes: number }>(
      'SELECT s.stored_bytes FROM usage_stored s JOIN workspaces w ON w.key = s.workspace WHERE w.id = $1',
      [workspaceId],
    )
    return row?.stored_bytes ?? 0
  },
})
