// What was used: read from sums and from what was not added to them yet, in one statement, so that each counts once.

import { USAGE_ITEMS_LIMIT, type Grouping } from '../../src-runtime/contract/usage-models.ts'
import type { UsageRow } from '../usage/summarize-usage.ts'
import type { Database } from './database.ts'
import { BLOCK_DAYS } from './migrations/043-usage-totals.ts'
import type { Scope } from './scope.ts'
import type { UsageFolding, UsageReads } from './tenancy.ts'

const COUNTS = ['executions', 'turns', 'effect_attempts', 'events', 'compute_ms'] as const
const AMOUNTS = [...COUNTS, 'stored_bytes'] as const

/** `$2`: the last day, `$3`: the first one. */
const DELTAS = `SELECT day, project, program, ${AMOUNTS.join()}, 0 FROM usage_deltas
  WHERE workspace = scope.workspace AND day <= $2::int`

const OF_PROJECTS = `SELECT day, project, NULL::int AS program, ${AMOUNTS.join()}, 0 AS late_byte_days FROM usage_totals
  WHERE workspace = scope.workspace AND day <= $2::int UNION ALL ${DELTAS}`

const DAYS = `SELECT day, project, program, ${AMOUNTS.join()}, 0 AS late_byte_days FROM usage_days WHERE workspace = scope.workspace`
const BLOCKS = `FROM usage_blocks WHERE workspace = scope.workspace`
const FIRST_BLOCK = `$3::int / ${BLOCK_DAYS}`
const STORED_BEFORE = `SELECT block * ${BLOCK_DAYS}, project, program, ${COUNTS.map(() => '0').join()}, stored_bytes, 0
  ${BLOCKS} AND block < ${FIRST_BLOCK}`

/** What was stored before the first day, from blocks and from days of the block in which it lies. */
const OF_PROGRAMS = `${DAYS} AND day >= ${FIRST_BLOCK} * ${BLOCK_DAYS} AND day <= $2::int
  UNION ALL ${STORED_BEFORE} UNION ALL ${DELTAS}`

/** `$4`: the last day that has begun. */
const FIRST_WHOLE = `($3::int + ${BLOCK_DAYS - 1}) / ${BLOCK_DAYS}`
const AFTER_WHOLE = `greatest(${FIRST_WHOLE}, ($4::int + 1) / ${BLOCK_DAYS})`

/** The same in one row for each: from whole blocks, and from the days before and after these. */
const OF_PROGRAMS_IN_ONE = `${DAYS} AND day >= ${FIRST_BLOCK} * ${BLOCK_DAYS} AND day < least(${FIRST_WHOLE} * ${BLOCK_DAYS}, $4::int + 1)
  UNION ALL ${DAYS} AND day >= ${AFTER_WHOLE} * ${BLOCK_DAYS} AND day <= $4::int
  UNION ALL SELECT block * ${BLOCK_DAYS}, project, program, ${AMOUNTS.join()}, late_byte_days
  ${BLOCKS} AND block >= ${FIRST_WHOLE} AND block < ${AFTER_WHOLE}
  UNION ALL ${STORED_BEFORE} UNION ALL ${DELTAS}`

/** What each day added. */
const DAILY = ['greatest(u.day, $3::int - 1) AS day', ...AMOUNTS.map((name) => `sum(u.${name})::bigint AS ${name}`)]
const IN_ONE = [
  '$4::int AS day',
  ...COUNTS.map(
    (name) => `coalesce(sum(u.${name}) FILTER (WHERE u.day BETWEEN $3::int AND $4::int), 0)::bigint AS ${name}`,
  ),
  'sum(u.stored_bytes * greatest(0, $4::int + 1 - greatest(u.day, $3::int)) - u.late_byte_days)::bigint AS stored_bytes',
]

const rowsBy = (groupBy: readonly Grouping[]): string => {
  const [isInOne, byProject, byProgram] = [isOneRow(groupBy), groupBy.includes('project'), groupBy.includes('program')]
  const keys = [...(byProject ? ['u.project'] : []), ...(byProgram ? ['u.program'] : [])]
  const rows = byProgram ? (isInOne ? OF_PROGRAMS_IN_ONE : OF_PROGRAMS) : OF_PROJECTS
  const grouped = `SELECT ${[...keys, ...(isInOne ? IN_ONE : DAILY)].join()} FROM (${rows}) AS u
    GROUP BY ${[...keys, ...(isInOne ? [] : ['greatest(u.day, $3::int - 1)'])].join()}`
  return `SELECT g.*, ${byProject ? 'j.id' : 'NULL'} AS project_id, ${byProgram ? 'p.id' : 'NULL'} AS program_id FROM (${grouped}) AS g
    ${byProject ? 'JOIN projects j ON j.key = g.project' : ''} ${byProgram ? 'JOIN programs p ON p.key = g.program' : ''}
    LIMIT ${MOST_ROWS}`
}

/**
 * More are not read into memory: those of a year would be millions. That many make too many items, because each group has at most a row
 * for each day and one of what was before.
 */
const MOST_ROWS = 2 * USAGE_ITEMS_LIMIT + 1

/** Of many groups, each day would be too many rows. */
const isOneRow = (groupBy: readonly Grouping[]): boolean => groupBy.length > 0 && !groupBy.includes('day')

/** Those of several projects with one id are one group, unless projects are told apart. */
const programsBy = (groupBy: readonly Grouping[]): string =>
  `SELECT count(${groupBy.includes('project') ? '*' : 'DISTINCT p.id'}) FROM projects j JOIN programs p ON p.project = j.key
  WHERE j.workspace = scope.workspace AND p.created_at < $2`

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
  rows: async ({ from, to, today, groupBy }) => {
    const last = Math.min(to, today)
    const isInOne = isOneRow(groupBy)
    if (isInOne && last < from) return []
    return (await scope.read<Row>(rowsBy(groupBy), [to, from, ...(isInOne ? [last] : [])])).map(toUsageRow)
  },
  programs: async ({ before, groupBy }) =>
    (await scope.read<{ count: number }>(programsBy(groupBy), [before]))[0]!.count,
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
