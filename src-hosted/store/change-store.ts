// The stream of committed changes, of all workspaces.

import type { Status } from '../../src-runtime/engine/journal.ts'
import { statusCodes } from '../../src-runtime/shared/row-codes.ts'
import { createMarkIds, NOWHERE } from './mark-ids.ts'
import type { Database } from './database.ts'
import type { ChangeMark, ChangeStore, StoredChange } from './store.ts'

type ChangeRow = {
  /** Of the snapshot that was read: each transaction before it has ended. */
  readonly settled: string
  /** Whether a crash of PostgreSQL keeps each of these transactions. */
  readonly is_durable: boolean
  readonly xid: string
  /** null in the one row of an answer without changes. */
  readonly seq: number | null
  /** null once their workspace was removed. */
  readonly workspace_id: string | null
  readonly project_id: string | null
  readonly program_id: string | null
  readonly execution: number | null
  readonly execution_id: string | null
  readonly was: number | null
  readonly status: number | null
  readonly program_version: number | null
  readonly at: number
}

type LatestRow = Pick<ChangeRow, 'settled' | 'is_durable' | 'xid'> & { readonly seq: number }

type ReadRow = ChangeRow & { readonly seq: number }

/**
 * A PostgreSQL that is killed forgets the transactions that it has not written to its disk, such as notifications, and gives their numbers
 * to later ones. It never gives a number below that of a change that could be read, because that is on the disk.
 */
const SETTLED = `pg_snapshot_xmin(pg_current_snapshot())::text AS settled,
  pg_current_wal_flush_lsn() >= pg_current_wal_insert_lsn() AS is_durable`
const LATEST = `SELECT ${SETTLED}, f.xid::text AS xid, f.seq FROM (
    (
      SELECT xid, seq FROM changes WHERE xid < pg_snapshot_xmin(pg_current_snapshot()) ORDER BY xid DESC, seq DESC LIMIT 1
    ) UNION ALL SELECT xid, seq FROM change_marks WHERE name = 'emptied'
  ) AS f ORDER BY f.xid DESC, f.seq DESC LIMIT 1`
const EMPTIED = `SELECT (xid, seq) > ($1::xid8, $2::bigint) AS is_gone FROM change_marks WHERE name = 'emptied'`
const AFTER = `SELECT ${SETTLED}, c.xid::text AS xid, c.seq, w.id AS workspace_id, j.id AS project_id,
    p.id AS program_id, c.execution, c.execution_id, c.was, c.status, c.program_version, c.at
  FROM (SELECT) AS always LEFT JOIN (
    (
      SELECT * FROM changes WHERE (xid, seq) > ($1::xid8, $2::bigint) AND xid < pg_snapshot_xmin(pg_current_snapshot())
      ORDER BY xid, seq LIMIT $3
    ) AS c LEFT JOIN workspaces w ON w.key = c.workspace LEFT JOIN projects j ON j.key = c.project
      LEFT JOIN programs p ON p.key = c.program
  ) ON true
  ORDER BY c.xid, c.seq`

/** Before all changes of its transaction. */
const BEFORE_ALL = -1n

export const createChangeStore = (db: Database, readSecret: () => Promise<string>): ChangeStore => {
  return {
    compare: compareMarks,
    idsOf: async (workspaceId) => createMarkIds(await readSecret(), workspaceId),
    latest: async () => {
      const [row] = await db.run<LatestRow>(LATEST)
      const { settled, is_durable: isDurable, xid, seq } = row!
      return isDurable ? { xid: BigInt(settled), seq: BEFORE_ALL } : { xid: BigInt(xid), seq: BigInt(seq) }
    },
    after: async (mark, limit) => {
      const { xid, seq } = mark
      if (compareMarks(mark, NOWHERE) <= 0) return { kind: 'gone' }
      const rows = await db.run<ChangeRow>(AFTER, [String(xid), String(seq), limit])
      const settled = BigInt(rows[0]!.settled)
      // The database was restored to an earlier moment.
      if (xid > settled) return { kind: 'gone' }
      // Read after the changes, because a part that was emptied in between is missing among them.
      const [emptied] = await db.run<{ is_gone: boolean }>(EMPTIED, [String(xid), String(seq)])
      if (emptied!.is_gone) return { kind: 'gone' }
      const changes = rows.filter((row): row is ReadRow => row.seq !== null)
      const marks = changes.map((row) => ({ xid: BigInt(row.xid), seq: BigInt(row.seq) }))
      const all = { xid: settled, seq: BEFORE_ALL }
      const isMore = changes.length === limit
      const last = marks.at(-1) ?? mark
      return {
        kind: 'changes',
        items: changes.flatMap((row, index) => toChange(row, marks[index]!) ?? []),
        mark: !isMore && rows[0]!.is_durable && compareMarks(all, mark) > 0 ? all : last,
        readTo: isMore ? last : all,
        isMore,
      }
    },
  }
}

const compareMarks = (one: ChangeMark, other: ChangeMark): number => {
  const difference = one.xid === other.xid ? one.seq - other.seq : one.xid - other.xid
  if (difference === 0n) return 0
  return difference > 0n ? 1 : -1
}

/** `undefined`: its workspace was removed, so nobody follows it. */
const toChange = (row: ReadRow, mark: ChangeMark): StoredChange | undefined => {
  const { workspace_id: workspaceId, project_id: projectId, program_id: programId, at } = row
  if (workspaceId === null || projectId === null || programId === null) return undefined
  const shared = { workspaceId, projectId, programId, at, mark }
  if (row.program_version !== null) return { ...shared, kind: 'program', versionNumber: row.program_version }
  const status: Status = statusCodes.toWord(row.status ?? row.was ?? 0)
  const { execution, execution_id } = row
  if (execution === null || execution_id === null) throw new Error(`change ${mark.xid}.${mark.seq} is about nothing`)
  const change = { ...shared, kind: 'execution', key: execution, executionId: execution_id, status } as const
  return row.status === null ? { ...change, deleted: true } : change
}
