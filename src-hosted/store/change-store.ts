// The stream of committed changes, of all workspaces.

import type { Status } from '../../src-runtime/engine/journal.ts'
import { statusCodes } from '../../src-runtime/shared/row-codes.ts'
import type { Database } from './database.ts'
import type { ChangeMark, ChangeStore, StoredChange } from './store.ts'

type ChangeRow = {
  /** Of the snapshot that was read: each transaction before it has ended. */
  readonly settled: string
  readonly xid: string
  /** null in the one row of an answer without changes. */
  readonly seq: number | null
  readonly workspace_id: string
  readonly project_id: string
  readonly program_id: string
  readonly execution: number | null
  readonly execution_id: string | null
  readonly was: number | null
  readonly status: number | null
  readonly program_version: number | null
  readonly at: number
}

const EPOCH = 'SELECT epoch FROM service'
const LATEST = 'SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS xid'
const EMPTIED = `SELECT (xid, seq) > ($1::xid8, $2::bigint) AS is_gone FROM change_marks WHERE name = 'emptied'`
const AFTER = `SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS settled, c.xid::text AS xid, c.seq, w.id AS workspace_id,
    j.id AS project_id, p.id AS program_id, c.execution, c.execution_id, c.was, c.status, c.program_version, c.at
  FROM (SELECT) AS always LEFT JOIN (
    (
      SELECT * FROM changes WHERE (xid, seq) > ($1::xid8, $2::bigint) AND xid < pg_snapshot_xmin(pg_current_snapshot())
      ORDER BY xid, seq LIMIT $3
    ) AS c JOIN workspaces w ON w.key = c.workspace JOIN projects j ON j.key = c.project
      LEFT JOIN programs p ON p.key = c.program
  ) ON true
  ORDER BY c.xid, c.seq`

const BEFORE_ALL = -1

export const createChangeStore = (db: Database): ChangeStore => {
  let epoch: Promise<string> | undefined
  const readEpoch = (): Promise<string> => {
    epoch ??= db
      .run<{ epoch: string }>(EPOCH)
      .then(([row]) => row!.epoch)
      .catch((error: unknown) => {
        epoch = undefined
        throw error
      })
    return epoch
  }

  return {
    compare: compareMarks,
    latest: async () => {
      const [row] = await db.run<{ xid: string }>(LATEST)
      return toMark(await readEpoch(), row!.xid, BEFORE_ALL)
    },
    after: async (mark, limit) => {
      const known = await readEpoch()
      const [, of, xid, seq] = MARK.exec(mark) ?? []
      if (of !== known || xid === undefined || seq === undefined) return { kind: 'gone' }
      const rows = await db.run<ChangeRow>(AFTER, [xid, seq, limit])
      const { settled } = rows[0]!
      // The database was restored to an earlier moment.
      if (BigInt(xid) > BigInt(settled)) return { kind: 'gone' }
      // Read after the changes, because a part that was emptied in between is missing among them.
      const [emptied] = await db.run<{ is_gone: boolean }>(EMPTIED, [xid, seq])
      if (emptied!.is_gone) return { kind: 'gone' }
      const items = rows.flatMap((row) => (row.seq === null ? [] : [toChange(row, toMark(known, row.xid, row.seq))]))
      const all = toMark(known, settled, BEFORE_ALL)
      return {
        kind: 'changes',
        items,
        mark: items.length < limit && compareMarks(all, mark) > 0 ? all : (items.at(-1)?.mark ?? mark),
      }
    },
  }
}

const MARK = /^([0-9a-f]+)\.(\d{1,19})\.(-1|\d{1,18})$/

const placeOf = (mark: ChangeMark): readonly [xid: bigint, seq: bigint] => {
  const [, , xid, seq] = MARK.exec(mark) ?? []
  return xid === undefined || seq === undefined ? [-1n, -1n] : [BigInt(xid), BigInt(seq)]
}

const compareMarks = (one: ChangeMark, other: ChangeMark): number => {
  const [oneXid, oneSeq] = placeOf(one)
  const [otherXid, otherSeq] = placeOf(other)
  const difference = oneXid === otherXid ? oneSeq - otherSeq : oneXid - otherXid
  if (difference === 0n) return 0
  return difference > 0n ? 1 : -1
}

const toMark = (epoch: string, xid: string, seq: number): ChangeMark => `${epoch}.${xid}.${seq}`

const toChange = (row: ChangeRow, mark: ChangeMark): StoredChange => {
  const shared = {
    workspaceId: row.workspace_id,
    projectId: row.project_id,
    programId: row.program_id,
    at: row.at,
    mark,
  }
  if (row.program_version !== null) return { ...shared, kind: 'program', versionNumber: row.program_version }
  const status: Status = statusCodes.toWord(row.status ?? row.was ?? 0)
  const { execution, execution_id } = row
  if (execution === null || execution_id === null) throw new Error(`change ${mark} is about nothing`)
  const change = { ...shared, kind: 'execution', key: execution, executionId: execution_id, status } as const
  return row.status === null ? { ...change, deleted: true } : change
}
