// Counts Executions by status. Older changes are folded into sums; this module adds the newer ones.

import type { Status } from '../../src-runtime/engine/journal.ts'
import type { ExecutionFilter } from '../../src-runtime/ports/overview.ts'
import { ALL_STATUSES, statusCodes } from '../../src-runtime/shared/row-codes.ts'
import {
  and,
  codesOf,
  createParameters,
  inSpan,
  ofVersions,
  readFilter,
  rowConditions,
  withoutTextOfAll,
  withStatuses,
  type ReadFilter,
} from './filter-sql.ts'
import type { FindKeys } from './find-keys.ts'
import type { FindScope, FoundScope } from './find-scope.ts'
import { firstKey } from './key-times.ts'
import type { Scope } from './scope.ts'

export type Counts = Record<Status, number>

type CountRow = { readonly status: number; readonly count: number }

const noCounts = (): Counts => Object.fromEntries(ALL_STATUSES.map((status) => [status, 0])) as Counts

const toCounts = (rows: readonly CountRow[]): Counts => {
  const counts = noCounts()
  for (const { status, count } of rows) counts[statusCodes.toWord(status)] += count
  return counts
}

/** Changes behind the mark up to which they were folded. */
export const UNFOLDED = `changes c, change_marks m
  WHERE m.name = 'folded' AND (c.xid, c.seq) > (m.xid, m.seq) AND c.workspace = scope.workspace AND c.project = $2::int`

const SUMS = `SELECT u.status, sum(u.count)::bigint AS count FROM (
    SELECT s.version, s.status, s.count FROM status_counts s WHERE s.workspace = scope.workspace AND s.project = $2::int
    UNION ALL
    SELECT c.version, d.status, d.count FROM (
        SELECT c.version, c.status AS new_status, c.was FROM ${UNFOLDED} AND c.status IS DISTINCT FROM c.was) AS c
      CROSS JOIN LATERAL (VALUES (c.new_status, 1), (c.was, -1)) AS d (status, count) WHERE d.status IS NOT NULL
  ) AS u WHERE ($3::int[] IS NULL OR u.version = ANY ($3)) GROUP BY u.status`

export type CountExecutions = {
  counts(filter: ExecutionFilter): Promise<Counts>
  awaitingAttention(filter: ExecutionFilter): Promise<number>
}

export const createCountExecutions = (options: {
  readonly scope: Scope
  readonly findScope: FindScope
  readonly findKeys: FindKeys
  readonly now: () => number
}): CountExecutions => {
  const { scope, findScope, findKeys, now } = options

  const sums = async ({ project, versions }: FoundScope): Promise<Counts> =>
    toCounts(await scope.read<CountRow>(SUMS, [project, versions ?? null]))

  /** On an index that holds the time of creation and, of ended ones, that of the end. */
  const countRows = async (read: ReadFilter, found: FoundScope): Promise<Counts> => {
    const { sql, values } = countSelect(read, found)
    return toCounts(await scope.readOnce<CountRow>(sql, values))
  }

  const countFound = async (filter: ExecutionFilter): Promise<Counts> => {
    const keys = await findKeys(filter, now(), undefined)
    if (keys === undefined) return noCounts()
    const select = (found: string) =>
      `SELECT f.status, count(*)::bigint AS count FROM (${found}) AS f GROUP BY f.status`
    return toCounts(await keys.read<CountRow>(select))
  }

  const counts = async (filter: ExecutionFilter): Promise<Counts> => {
    if (isFound(filter)) return countFound(filter)
    if (filter.needsAttention === true) return countAttention(filter)
    const read = readFilter(filter, now())
    const found = await findScope(filter)
    if (found === undefined || read.statuses.length === 0) return noCounts()
    if (isTimed(filter)) return only(read.statuses, await countRows(read, found))
    const all = only(read.statuses, await sums(found))
    if (filter.notText === undefined || all.failed === 0) return all
    const { failed } = await countRows({ ...read, statuses: ['failed'] }, found)
    return { ...all, failed }
  }

  const countAttention = async (filter: ExecutionFilter): Promise<Counts> => {
    const { statuses } = readFilter(filter, now())
    const { failed } = await counts({ ...filter, needsAttention: false })
    return {
      ...noCounts(),
      failed: statuses.includes('failed') ? failed : 0,
      waiting: await awaitingAttention(filter),
    }
  }

  const awaitingAttention = async (filter: ExecutionFilter): Promise<number> => {
    const query = { ...filter, needsAttention: true }
    const read = readFilter(query, now())
    if (filter.errorFingerprint !== undefined || !read.statuses.includes('waiting')) return 0
    if (filter.text !== undefined || filter.label !== undefined || filter.againOf !== undefined) {
      return (await countFound({ ...query, statuses: ['waiting'] })).waiting
    }
    const found = await findScope(filter)
    if (found === undefined) return 0
    const { sql, values } = attentionSelect(read, found)
    const [row] = await scope.readOnce<{ count: number }>(sql, values)
    return row!.count
  }

  return {
    counts: (filter) => counts(withoutTextOfAll(filter, now())),
    awaitingAttention: (filter) => awaitingAttention(withoutTextOfAll(filter, now())),
  }
}

/** Filters that are counted by finding every Execution. */
const isFound = ({
  text,
  label,
  errorFingerprint,
  needsAttention,
  waitingKind,
  waitingName,
  triggerId,
  againOf,
}: ExecutionFilter): boolean =>
  text !== undefined ||
  label !== undefined ||
  againOf !== undefined ||
  errorFingerprint !== undefined ||
  (needsAttention !== true && (waitingKind !== undefined || waitingName !== undefined || triggerId !== undefined))

const isTimed = ({ createdAfter, createdBefore, finishedAfter, finishedBefore }: ExecutionFilter): boolean =>
  [createdAfter, createdBefore, finishedAfter, finishedBefore].some((time) => time !== undefined)

const only = (statuses: readonly Status[], counts: Counts): Counts => ({
  ...noCounts(),
  ...Object.fromEntries(statuses.map((status) => [status, counts[status]])),
})

const countSelect = (read: ReadFilter, found: FoundScope) => {
  const { project, versions } = found
  const parameters = createParameters()
  const conditions = [
    'x.workspace = scope.workspace',
    versions === undefined || read.filter.finishedAfter !== undefined
      ? `x.project = ${parameters.add(project, 'int')}`
      : 'true',
    ...ofVersions(found, parameters),
    withStatuses(read.statuses, parameters),
    ...inSpan(read.span, 'x.key', parameters),
    ...rowConditions(read, parameters),
  ]
  const sql = `SELECT x.status, count(*)::bigint AS count FROM executions x WHERE ${and(...conditions)}
    GROUP BY x.status`
  return { sql, values: parameters.values }
}

/** Waiting ones whose effects back off, or that have waited for an event for long. */
const attentionSelect = (read: ReadFilter, found: FoundScope) => {
  const { project } = found
  const parameters = createParameters()
  const high = Math.min(read.span.high, firstKey(read.staleSince + 1))
  const ofProject = `w.workspace = scope.workspace AND w.project = ${parameters.add(project, 'int')}`
  const ofRow = [...ofVersions(found, parameters), ...rowConditions(read, parameters)]
  const backsOff = and('w.kind = 2 AND w.due_at IS NOT NULL', ...inSpan(read.span, 'w.execution', parameters))
  const isStale = and(
    `w.kind = 0 AND w.since <= ${parameters.add(read.staleSince, 'bigint')}`,
    ...inSpan({ ...read.span, high }, 'w.execution', parameters),
  )
  const either = (join: string, conditions: readonly string[]) =>
    [backsOff, isStale]
      .map((kind) => `SELECT w.execution FROM pending w ${join} WHERE ${and(ofProject, kind, ...conditions)}`)
      .join(' UNION ')
  const countOf = (rows: string) => `(SELECT count(*) FROM (${rows}) AS a)`
  // Nearly all that await something are waiting. So where the rows need not be read for anything else, those are read that
  // are not waiting, and subtracted.
  const sql =
    ofRow.length === 0
      ? `SELECT ${countOf(either('', []))} - ${countOf(
          `SELECT x.key FROM executions x WHERE x.workspace = scope.workspace AND x.project = ${parameters.add(project, 'int')}
             AND x.status = ANY ('{${codesOf(['running', 'cancelling']).join()}}'::smallint[])
             AND EXISTS (SELECT FROM pending w WHERE w.execution = x.key AND (${backsOff} OR ${isStale}))`,
        )} AS count`
      : `SELECT ${countOf(either('JOIN executions x ON x.key = w.execution AND x.status = 2', ofRow))} AS count`
  return { sql, values: parameters.values }
}
