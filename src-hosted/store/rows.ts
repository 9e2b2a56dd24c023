// Rows of the database in the form that the engine knows.

import type { ExecutionHead, OpenCommand, TriggerReference } from '../../src-runtime/engine/execution-state.ts'
import { isTerminal, type JournalEntry, type TerminalStatus } from '../../src-runtime/engine/journal.ts'
import { readStoredCommand, type StoredCommand } from '../../src-runtime/engine/stored-command.ts'
import { toEntry as entryOf, type EntryRow } from '../../src-runtime/shared/entry-rows.ts'
import { openKindCodes, statusCodes } from '../../src-runtime/shared/row-codes.ts'
import { fromStored } from './stored-text.ts'

type Draft<Shape> = { -readonly [Member in keyof Shape]: Shape[Member] }

export type HeadRow = {
  readonly key: number
  readonly id: string
  readonly project_id: string
  readonly program_id: string
  readonly version_id: string
  readonly version_number: number
  readonly status: number
  readonly created_at: number
  readonly started_at: number | null
  readonly finished_at: number | null
  readonly cancel_requested_at: number | null
  readonly cancel_delivered: boolean
  readonly last_position: number
  readonly turns: number
  readonly last_command: number
  readonly buffered: number
  readonly buffered_bytes: number
  readonly again_of: string | null
  readonly trigger_id: string | null
  readonly trigger_type: TriggerReference['type'] | null
  readonly label: string | null
}

/** Of an Execution `e` with `HEAD_JOINS`. */
export const HEAD_COLUMNS = `e.key, e.id, j.id AS project_id, p.id AS program_id, v.id AS version_id,
  v.number AS version_number, e.status, e.created_at, e.started_at, e.finished_at, e.cancel_requested_at,
  e.cancel_delivered, e.last_position, e.turns, e.last_command, e.buffered, e.buffered_bytes, e.again_of, e.trigger_id, e.trigger_type,
  e.label`
export const HEAD_JOINS = `JOIN versions v ON v.key = e.version JOIN programs p ON p.key = e.program
  JOIN projects j ON j.key = e.project`

export const toHead = (row: HeadRow): ExecutionHead => {
  const head: Draft<ExecutionHead> = {
    key: row.key,
    id: row.id,
    projectId: row.project_id,
    programId: row.program_id,
    versionId: row.version_id,
    versionNumber: row.version_number,
    status: statusCodes.toWord(row.status),
    createdAt: row.created_at,
    lastPosition: row.last_position,
    turns: row.turns,
    lastCommand: row.last_command,
    cancelDelivered: row.cancel_delivered,
    buffered: row.buffered,
    bufferedBytes: row.buffered_bytes,
  }
  if (row.again_of !== null) head.againOf = row.again_of
  if (row.trigger_id !== null && row.trigger_type !== null)
    head.trigger = { id: row.trigger_id, type: row.trigger_type }
  if (row.label !== null) head.label = fromStored(row.label)
  if (row.started_at !== null) head.startedAt = row.started_at
  if (row.finished_at !== null) head.finishedAt = row.finished_at
  if (row.cancel_requested_at !== null) head.cancelRequestedAt = row.cancel_requested_at
  return head
}

export const ENTRY_COLUMNS = 'position, at, type, command, name, attempt, source, data'

export const toEntry = (row: EntryRow): JournalEntry =>
  entryOf(row.name === null ? row : { ...row, name: fromStored(row.name) })

export type PendingRow = Omit<StoredCommand, 'kind' | 'isEarly' | 'dueAt'> & {
  readonly kind: number
  readonly early: boolean | null
  readonly due_at: number | null
}

export const PENDING_COLUMNS = 'command, kind, name, since, due_at, attempt, position, early, deaths, options'

/** What an Execution `e` waits for. */
export const OPEN_COLUMN = `CASE WHEN e.status < 4 AND e.last_command > 0 THEN (SELECT json_agg(o ORDER BY o.command) FROM (
    SELECT ${PENDING_COLUMNS} FROM pending WHERE execution = e.key) AS o) END AS open`

/** Throws DamagedExecution. */
export const toOpenCommand = ({ due_at: dueAt, early, ...row }: PendingRow): OpenCommand => {
  const name = row.name === null ? null : fromStored(row.name)
  return readStoredCommand({ ...row, kind: openKindCodes.toWord(row.kind), name, dueAt, isEarly: early === true })
}

export const toEnd = (code: number): TerminalStatus => {
  const status = statusCodes.toWord(code)
  if (!isTerminal(status)) throw new Error(`${status} is no end`)
  return status
}
