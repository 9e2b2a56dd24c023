// Failures by fingerprint, the most recent first. Older failures are folded into each group's count and times; this module
// adds the newer ones.

import { readStoredError } from '../../src-runtime/engine/stored-error.ts'
import type { ErrorGroupRecord, OverviewReads } from '../../src-runtime/ports/overview.ts'
import { UNFOLDED } from './counts.ts'
import type { FindScope } from './find-scope.ts'
import type { Scope } from './scope.ts'
import { shownMessage } from '../../src-runtime/shared/error-fingerprint.ts'

type GroupRow = {
  readonly key: number
  readonly fingerprint: string
  readonly program_id: string
  readonly count: number
  readonly first_at: number
  readonly last_at: number
  readonly example: string
  readonly error: string
}

/** Groups after the mark, and as many more as have new failures, because those belong further in front than their rows say. */
const PAGE = `WITH fresh AS MATERIALIZED (
    SELECT c.error_group AS key, sum(CASE WHEN c.status IS NULL THEN -1 ELSE 1 END) AS count,
      min(c.at) FILTER (WHERE c.status IS NOT NULL) AS first_at, max(c.at) FILTER (WHERE c.status IS NOT NULL) AS last_at
    FROM ${UNFOLDED} AND c.error_group IS NOT NULL GROUP BY c.error_group
  ), candidates AS (
    SELECT g.* FROM fresh f JOIN error_groups g ON g.key = f.key WHERE g.workspace = scope.workspace
    UNION
    (SELECT g.* FROM error_groups g WHERE g.workspace = scope.workspace AND %SCOPE% AND g.count > 0
       AND (g.last_at, g.key) < ($4::bigint, $5::bigint)
     ORDER BY g.last_at DESC, g.key DESC LIMIT $6::int + (SELECT count(*) FROM fresh))
  ), groups AS (
    SELECT g.key, g.fingerprint, g.program, g.count + coalesce(f.count, 0) AS count, least(g.first_at, f.first_at) AS first_at,
      CASE WHEN g.count > 0 OR f.last_at IS NULL THEN greatest(g.last_at, f.last_at) ELSE f.last_at END AS last_at
    FROM candidates g LEFT JOIN fresh f ON f.key = g.key
    WHERE g.count + coalesce(f.count, 0) > 0 AND %SCOPE%
  )
  SELECT g.key, g.fingerprint, p.id AS program_id, g.count::bigint AS count, g.first_at, g.last_at, e.id AS example, e.error
  FROM groups g JOIN programs p ON p.key = g.program CROSS JOIN LATERAL (
    SELECT x.id, x.error FROM executions x WHERE x.error_group = g.key AND x.workspace = scope.workspace
    ORDER BY x.key DESC LIMIT 1) AS e
  WHERE (g.last_at, g.key) < ($4::bigint, $5::bigint) ORDER BY g.last_at DESC, g.key DESC LIMIT $6`

const OF_PROJECT = PAGE.replaceAll('%SCOPE%', 'g.project = $2::int AND $3::int IS NULL')
const OF_PROGRAM = PAGE.replaceAll('%SCOPE%', 'g.program = $3::int')

export const createListErrors =
  (scope: Scope, findScope: FindScope): OverviewReads['errors'] =>
  async ({ projectId, programId, before, limit }) => {
    const found = await findScope({ projectId })
    const program = programId === undefined ? null : await programKey(scope, found?.project, programId)
    if (found === undefined || program === undefined) return { items: [], more: false }
    const mark = before === undefined ? [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER] : [before.lastAt, before.key]
    const select = program === null ? OF_PROJECT : OF_PROGRAM
    const rows = await scope.readOnce<GroupRow>(select, [found.project, program, ...mark, limit + 1])
    return { items: rows.slice(0, limit).map(toGroup), more: rows.length > limit }
  }

const programKey = async (
  scope: Scope,
  project: number | undefined,
  programId: string,
): Promise<number | undefined> => {
  const select =
    'SELECT p.key FROM programs p WHERE p.workspace = scope.workspace AND p.project = $2::int AND p.id = $3'
  return (await scope.read<{ key: number }>(select, [project ?? 0, programId]))[0]?.key
}

const toGroup = (row: GroupRow): ErrorGroupRecord => {
  const error = readStoredError(row.error)
  const { code, name } = error
  return {
    key: row.key,
    fingerprint: row.fingerprint,
    programId: row.program_id,
    ...{ code, message: shownMessage(error), count: row.count },
    ...(name !== undefined && { name }),
    firstAt: row.first_at,
    lastAt: row.last_at,
    exampleExecutionId: row.example,
  }
}
