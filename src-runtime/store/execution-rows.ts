// The row of an Execution, and its form for the engine.

import type Database from 'better-sqlite3'
import type { ExecutionHead } from '../engine/execution-state.ts'
import type { ExecutionError } from '../engine/journal.ts'
import { readStoredError } from '../engine/stored-error.ts'
import { statusCodes } from '../shared/row-codes.ts'
import { prepare } from './prepare.ts'
import { createRecentExecutions, type RecentExecutions } from './recent-executions.ts'
import type { VersionRefs } from './version-refs.ts'

type HeadRow = {
  readonly key: number
  readonly id: string
  readonly version: number
  readonly status: number
  readonly createdAt: number
  readonly startedAt: number | null
  readonly finishedAt: number | null
  readonly cancelRequestedAt: number | null
  readonly cancelDelivered: number
  readonly lastPosition: number
  readonly turns: number
  readonly lastCommand: number
  readonly buffered: number
  readonly bufferedBytes: number
  readonly againOf: string | null
  readonly label: string | null
}

const HEAD_COLUMNS = `key, id, version, status, created_at AS createdAt, started_at AS startedAt,
  finished_at AS finishedAt, cancel_requested_at AS cancelRequestedAt, cancel_delivered AS cancelDelivered,
  last_position AS lastPosition, turns, last_command AS lastCommand, buffered, buffered_bytes AS bufferedBytes,
  again_of AS againOf, label`

export type ExecutionRows = {
  readonly recent: RecentExecutions
  readonly keyOf: (id: string) => number | undefined
  readonly head: (key: number) => ExecutionHead | undefined
  readonly error: (key: number) => ExecutionError | undefined
  readonly lastKey: () => number
  /** The highest key ever assigned. */
  readonly highestKey: () => number
}

export const createExecutionRows = (db: Database.Database, versions: VersionRefs): ExecutionRows => {
  const selectHead = prepare<[number], HeadRow>(db, `SELECT ${HEAD_COLUMNS} FROM executions WHERE key = ?`)
  const selectKey = prepare<[string], number>(db, 'SELECT key FROM executions WHERE id = ?').pluck()
  const selectError = prepare<[number], string | null>(db, 'SELECT error FROM executions WHERE key = ?').pluck()
  const selectLast = prepare<[], number | null>(db, 'SELECT max(key) FROM executions').pluck()
  const selectDeleted = prepare<[], number>(db, 'SELECT highest FROM deleted_keys').pluck()

  const recent = createRecentExecutions()

  return {
    recent,
    keyOf: (id) => recent.keyOf(id) ?? selectKey.get(id),
    head: (key) => {
      const known = recent.get(key)
      if (known !== undefined) return known.head
      const row = selectHead.get(key)
      return row === undefined ? undefined : toHead(row, versions)
    },
    error: (key) => {
      const error = selectError.get(key)
      return typeof error === 'string' ? readStoredError(error) : undefined
    },
    lastKey: () => selectLast.get() ?? 0,
    highestKey: () => Math.max(selectLast.get() ?? 0, selectDeleted.get() ?? 0),
  }
}

type Draft = { -readonly [Member in keyof ExecutionHead]: ExecutionHead[Member] }

const toHead = (row: HeadRow, versions: VersionRefs): ExecutionHead => {
  const version = versions.byKey(row.version)
  const head: Draft = {
    key: row.key,
    id: row.id,
    projectId: version.projectId,
    programId: version.programId,
    versionId: version.id,
    versionNumber: version.number,
    status: statusCodes.toWord(row.status),
    createdAt: row.createdAt,
    lastPosition: row.lastPosition,
    turns: row.turns,
    lastCommand: row.lastCommand,
    cancelDelivered: row.cancelDelivered === 1,
    buffered: row.buffered,
    bufferedBytes: row.bufferedBytes,
  }
  if (row.againOf !== null) head.againOf = row.againOf
  if (row.label !== null) head.label = row.label
  if (row.startedAt !== null) head.startedAt = row.startedAt
  if (row.finishedAt !== null) head.finishedAt = row.finishedAt
  if (row.cancelRequestedAt !== null) head.cancelRequestedAt = row.cancelRequestedAt
  return head
}
