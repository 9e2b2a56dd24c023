// What Executions wait for, by kind, name and Program: the groups of one page are read from the index, one name after the
// other.

import type { OverviewReads, WaitingGroupRecord } from '../../src-runtime/ports/overview.ts'
import { openKindCodes } from '../../src-runtime/shared/row-codes.ts'
import type { FindScope } from './find-scope.ts'
import type { Scope } from './scope.ts'
import { fromStored, toStored } from './stored-text.ts'

type GroupRow = {
  readonly kind: number
  readonly name: string
  readonly program_id: string
  readonly count: number
  readonly since: number
  /** A statement sees one moment: what waits is there. */
  readonly example: string
}

const OF_PROJECT = 'w.workspace = scope.workspace AND w.project = $2::int'
const MARK = "coalesce(w.name, '')"

/**
 * From the mark on, one name of one kind after the other. The mark's own name is read as well, because it may have groups
 * in several Programs.
 */
const PAGE = `WITH RECURSIVE named AS (
    (SELECT w.kind, w.name, 1 AS n FROM pending w
     WHERE ${OF_PROJECT} AND (w.kind > $3::smallint OR (w.kind = $3 AND ${MARK} >= $4::text)) ORDER BY w.kind, w.name LIMIT 1)
    UNION ALL
    (SELECT l.kind, l.name, p.n + 1 FROM named p CROSS JOIN LATERAL (
       (SELECT w.kind, w.name FROM pending w WHERE ${OF_PROJECT} AND w.kind = p.kind AND w.name > p.name
        ORDER BY w.kind, w.name LIMIT 1)
       UNION ALL
       (SELECT w.kind, w.name FROM pending w WHERE ${OF_PROJECT} AND w.kind > p.kind ORDER BY w.kind, w.name LIMIT 1)
       LIMIT 1) AS l
     WHERE p.n <= $6::int)
  )
  SELECT g.kind, g.name, g.program_id, g.count, g.since, g.example FROM (
    SELECT d.kind, coalesce(d.name, '') AS name, d.n, p.id AS program_id, t.count, t.since,
      (SELECT e.id FROM executions e WHERE e.key = t.example) AS example
    FROM named d CROSS JOIN LATERAL (
      SELECT w.program, count(DISTINCT w.execution)::int AS count, min(w.since) AS since,
        (array_agg(w.execution ORDER BY w.since, w.execution))[1] AS example
      FROM (
        SELECT w.* FROM pending w WHERE ${OF_PROJECT} AND w.kind = d.kind AND w.name = d.name
        UNION ALL
        SELECT w.* FROM pending w WHERE ${OF_PROJECT} AND w.kind = d.kind AND w.name IS NULL AND d.name IS NULL
      ) AS w GROUP BY w.program
    ) AS t JOIN programs p ON p.key = t.program
  ) AS g WHERE (g.kind, g.name, g.program_id) > ($3::smallint, $4::text, $5::text)
  ORDER BY g.kind, g.name, g.program_id LIMIT $6`

export const createListWaiting =
  (scope: Scope, findScope: FindScope): OverviewReads['waiting'] =>
  async ({ projectId, after, limit }) => {
    const found = await findScope({ projectId })
    if (found === undefined) return { items: [], more: false }
    const mark =
      after === undefined ? [-1, '', ''] : [openKindCodes.toCode(after.kind), toStored(after.name), after.programId]
    const rows = await scope.readOnce<GroupRow>(PAGE, [found.project, ...mark, limit + 1])
    return { items: rows.slice(0, limit).map(toGroup), more: rows.length > limit }
  }

const toGroup = (row: GroupRow): WaitingGroupRecord => ({
  kind: openKindCodes.toWord(row.kind),
  name: fromStored(row.name),
  programId: row.program_id,
  count: row.count,
  oldestSince: row.since,
  exampleExecutionId: row.example,
})
