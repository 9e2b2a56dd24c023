// Lists Executions through one of the smaller indexes.

import type Database from 'better-sqlite3'
import { ALL_STATUSES, openKindCodes, statusCodes } from '../shared/row-codes.ts'
import { ROW_MATCHES, isAsked, type FilterParameters } from './execution-filter.ts'
import { newestOf, type ListKeys, type ListParameters } from './list-keys.ts'
import { ALL_OPEN, createCollectByPart, withOpenCommand } from './open-command-parts.ts'
import { prepare } from './prepare.ts'
import { collect, type Span } from './slices.ts'

/** Failures of one fingerprint. */
export const createListByError = (db: Database.Database): ListKeys => {
  const selectGroups = prepare<[FilterParameters], number>(
    db,
    `SELECT g.key FROM projects j CROSS JOIN programs p ON p.project = j.key
       CROSS JOIN error_groups g ON g.program = p.key AND g.fingerprint = @fingerprint
     WHERE j.id = @project AND (@program IS NULL OR p.id = @program)`,
  ).pluck()
  const selectKeys = prepare<[ListParameters & { group: number }], number>(
    db,
    `SELECT e.key FROM executions e INDEXED BY executions_by_error CROSS JOIN versions v ON v.key = e.version
     WHERE e.error_group = @group AND ${ROW_MATCHES} ORDER BY e.key DESC LIMIT @count`,
  ).pluck()

  return async (filter, range, count, slices) => {
    const lists: (readonly number[])[] = []
    for (const group of selectGroups.all(filter)) {
      lists.push(
        await collect(range, count, slices, (window, left) =>
          selectKeys.all({ ...filter, ...window, count: left, group }),
        ),
      )
    }
    return newestOf(lists, count)
  }
}

/** Executions that run others again. */
export const createListByAgain = (db: Database.Database): ListKeys => {
  const select = prepare<[ListParameters], number>(
    db,
    `SELECT e.key FROM json_each(@againOf) f CROSS JOIN executions e INDEXED BY executions_by_again
         ON e.again_of = f.value CROSS JOIN versions v ON v.key = e.version
     WHERE ${ROW_MATCHES} ORDER BY e.key DESC LIMIT @count`,
  ).pluck()
  return (filter, range, count, slices) =>
    collect(range, count, slices, (window, left) => select.all({ ...filter, ...window, count: left }))
}

const EFFECT = openKindCodes.toCode('effect')

const WAITS = {
  firstAttempts: {
    from: 'pending p INDEXED BY pending_first_attempts',
    where: `p.kind = ${EFFECT} AND p.due_at IS NULL`,
  },
  retries: { from: 'pending p INDEXED BY pending_retries', where: `p.kind = ${EFFECT} AND p.due_at IS NOT NULL` },
  all: ALL_OPEN,
} as const

const WAIT_MATCHES =
  '(@waitingKind IS NULL OR p.kind = @waitingKind) AND (@waitingName IS NULL OR p.name = @waitingName)'

/** Lists Executions that wait for a first attempt, for a retry, or for anything. */
export const createListByPending = (db: Database.Database, index: keyof typeof WAITS): ListKeys => {
  const { from, where } = WAITS[index]
  const collectByPart = createCollectByPart(db, WAITS[index])
  const select = prepare<[ListParameters], number>(
    db,
    `SELECT e.key FROM ${withOpenCommand({ from, where: `${where} AND ${WAIT_MATCHES}` })}
     WHERE ${ROW_MATCHES} ORDER BY e.key DESC LIMIT @count`,
  ).pluck()
  return (filter, range, count, slices) =>
    collectByPart(range, count, slices, (part, left) => select.all({ ...filter, ...part, count: left }))
}

/** With more matches than this, reading the newest rows is fast enough. */
const NARROW = 20_000

/** Lists Executions by their time of end; `undefined` when the filter has no such time, or too many ended in it. */
export const createListByEnd = (
  db: Database.Database,
): ((filter: FilterParameters, range: Span, count: number) => readonly number[] | undefined) => {
  const inTime = `executions e INDEXED BY executions_by_end`
  const ended = `e.status = @status AND e.finished_at > @after AND e.finished_at < @before`
  type Time = { readonly status: number; readonly after: number; readonly before: number }
  const countAll = prepare<[Time], number>(
    db,
    `SELECT count(*) FROM (SELECT 1 FROM ${inTime} WHERE ${ended} LIMIT ${NARROW})`,
  ).pluck()
  const select = prepare<[ListParameters & Time], number>(
    db,
    `SELECT e.key FROM ${inTime} CROSS JOIN versions v ON v.key = e.version
     WHERE ${ended} AND ${ROW_MATCHES} ORDER BY e.key DESC LIMIT @count`,
  ).pluck()

  return (filter, range, count) => {
    if (filter.finishedAfter === null && filter.finishedBefore === null) return undefined
    const time = { after: filter.finishedAfter ?? -Infinity, before: filter.finishedBefore ?? Infinity }
    const asked = ALL_STATUSES.filter((status) => isAsked(filter, status)).map(statusCodes.toCode)
    const total = asked.reduce((sum, status) => sum + (countAll.get({ ...time, status }) ?? 0), 0)
    if (total >= NARROW) return undefined
    return newestOf(
      asked.map((status) => select.all({ ...filter, ...range, ...time, status, count })),
      count,
    )
  }
}
