// Rows of the database in the form that the engine knows.

import { DamagedExecution } from '../../src-runtime/engine/damaged-execution.ts'
import type { ExecutionHead, OpenCommand, TriggerReference } from '../../src-runtime/engine/execution-state.ts'
import type { ExecutionError, JournalEntry } from '../../src-runtime/engine/journal.ts'
import type { EffectOptions } from '../../src-runtime/engine/turn.ts'
import { entryTypeCodes, openKindCodes, statusCodes } from '../../src-runtime/shared/row-codes.ts'
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

/** Of an Execution `e`, its version `v`, Program `p` and project `j`. */
export const HEAD_COLUMNS = `e.key, e.id, j.id AS project_id, p.id AS program_id, v.id AS version_id,
  v.number AS version_number, e.status, e.created_at, e.started_at, e.finished_at, e.cancel_requested_at,
  e.cancel_delivered, e.last_position, e.turns, e.last_command, e.buffered, e.buffered_bytes, e.again_of, e.trigger_id, e.trigger_type,
  e.label`

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

export const toError = (json: string): ExecutionError => {
  try {
    return JSON.parse(json) as ExecutionError
  } catch {
    return { code: 'history_damaged', message: 'The stored error cannot be read.' }
  }
}

export type EntryRow = {
  readonly position: number
  readonly at: number
  readonly type: number
  readonly command: number | null
  readonly name: string | null
  readonly attempt: number | null
  readonly source: number | null
  readonly data: string | null
}

export const ENTRY_COLUMNS = 'position, at, type, command, name, attempt, source, data'

export const toEntry = (row: EntryRow): JournalEntry => {
  const entry: Draft<JournalEntry> = { position: row.position, at: row.at, type: entryTypeCodes.toWord(row.type) }
  if (row.command !== null) entry.command = row.command
  if (row.name !== null) entry.name = fromStored(row.name)
  if (row.attempt !== null) entry.attempt = row.attempt
  if (row.source !== null) entry.source = row.source
  if (row.data !== null) entry.data = row.data
  return entry
}

export type PendingRow = {
  readonly command: number
  readonly kind: number
  readonly name: string | null
  readonly since: number
  readonly due_at: number | null
  readonly attempt: number | null
  readonly position: number | null
  readonly early: boolean | null
  readonly deaths: number | null
  readonly options: string | null
}

export const PENDING_COLUMNS = 'command, kind, name, since, due_at, attempt, position, early, deaths, options'

/** Throws DamagedExecution. */
export const toOpenCommand = (row: PendingRow): OpenCommand => {
  const kind = openKindCodes.toWord(row.kind)
  const shared = { command: row.command, since: row.since, ...(row.early === true && { early: true as const }) }
  const due = row.due_at === null ? {} : { dueAt: row.due_at }
  switch (kind) {
    case 'event':
      if (row.name === null) throw damaged(row, 'name')
      return {
        ...shared,
        ...due,
        kind,
        name: fromStored(row.name),
        ...(row.position !== null && { position: row.position }),
      }
    case 'timer':
      if (row.due_at === null) throw damaged(row, 'time')
      return { ...shared, kind, dueAt: row.due_at }
    case 'effect':
      if (row.name === null || row.attempt === null) throw damaged(row, 'name')
      return {
        ...shared,
        ...due,
        kind,
        name: fromStored(row.name),
        attempt: row.attempt,
        options: readOptions(row),
        ...(row.deaths !== null && { deaths: row.deaths }),
      }
  }
}

const readOptions = (row: PendingRow): EffectOptions => {
  try {
    return JSON.parse(row.options ?? '') as EffectOptions
  } catch {
    throw damaged(row, 'options')
  }
}

const damaged = ({ command }: PendingRow, part: string): DamagedExecution =>
  new DamagedExecution(`the ${part} of open command ${command} is missing or cannot be read`)
