// Open commands: what an Execution waits for, and when it is due.

import type Database from 'better-sqlite3'
import type { OpenEffect } from '../engine/effect-attempts.ts'
import type { OpenCommand } from '../engine/execution-state.ts'
import { readStoredCommand, type StoredCommand } from '../engine/stored-command.ts'
import { openKindCodes } from '../shared/row-codes.ts'
import { prepare } from './prepare.ts'
import type { DueMark, ExecutionStore } from './store.ts'

type PendingRow = Omit<StoredCommand, 'kind' | 'isEarly'> & { readonly kind: number; readonly early: number | null }

type RetryRow = PendingRow & { readonly key: number }

export type PendingTable = {
  /** `position`: of an effect's `effect_scheduled`, of a wait's `wait_scheduled`. */
  readonly insert: (key: number, open: OpenCommand, position: number | undefined) => void
  /** Writes its due time, attempt, `early` and deaths. */
  readonly reschedule: (key: number, open: OpenCommand) => void
  readonly remove: (key: number, command: number) => void
  readonly removeAll: (key: number) => void
  readonly of: (key: number) => readonly OpenCommand[]
  readonly open: (key: number, command: number) => OpenCommand | undefined
  readonly hasOpenWait: (key: number, name: string, at: number) => boolean
  readonly nextDueAt: (after: number) => number | undefined
  readonly due: (after: DueMark, until: number, limit: number) => readonly DueMark[]
  readonly retries: ExecutionStore['retries']
}

const COLUMNS = 'command, kind, name, since, due_at AS dueAt, attempt, position, early, deaths, options'
const EVENT = openKindCodes.toCode('event')
const EFFECT = openKindCodes.toCode('effect')

export const createPendingTable = (db: Database.Database): PendingTable => {
  const insert = prepare(
    db,
    `INSERT INTO pending (execution, command, kind, name, since, due_at, attempt, position, options)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const reschedule = prepare(
    db,
    'UPDATE pending SET attempt = ?, due_at = ?, early = ?, deaths = ? WHERE execution = ? AND command = ?',
  )
  const remove = prepare(db, 'DELETE FROM pending WHERE execution = ? AND command = ?')
  const removeAll = prepare(db, 'DELETE FROM pending WHERE execution = ?')
  const selectAll = prepare<[number], PendingRow>(
    db,
    `SELECT ${COLUMNS} FROM pending WHERE execution = ? ORDER BY command`,
  )
  const selectOne = prepare<[number, number], PendingRow>(
    db,
    `SELECT ${COLUMNS} FROM pending WHERE execution = ? AND command = ?`,
  )
  const selectWait = prepare<[number, number, string, number], number>(
    db,
    `SELECT 1 FROM pending
       WHERE execution = ? AND kind = ? AND name = ? AND (due_at IS NULL OR due_at > ?) LIMIT 1`,
  ).pluck()
  const selectNextDue = prepare<[number], number>(
    db,
    'SELECT due_at FROM pending WHERE due_at > ? ORDER BY due_at LIMIT 1',
  ).pluck()
  const selectDue = prepare<[number, number, number, number, number], DueMark>(
    db,
    `SELECT due_at AS dueAt, execution AS key, command FROM pending
     WHERE (due_at, execution, command) > (?, ?, ?) AND due_at <= ? ORDER BY due_at, execution, command LIMIT ?`,
  )
  const selectRetries = prepare<[number, number, number], RetryRow>(
    db,
    `SELECT execution AS key, ${COLUMNS} FROM pending
     WHERE kind = ${EFFECT} AND due_at IS NOT NULL AND (execution, command) > (?, ?) ORDER BY execution, command LIMIT ?`,
  )

  return {
    insert: (key, open, position) => {
      insert.run(
        key,
        open.command,
        openKindCodes.toCode(open.kind),
        open.kind === 'timer' ? null : open.name,
        open.since,
        open.dueAt ?? null,
        open.kind === 'effect' ? open.attempt : null,
        position ?? null,
        open.kind === 'effect' ? JSON.stringify(open.options) : null,
      )
    },
    reschedule: (key, open) => {
      const attempt = open.kind === 'effect' ? open.attempt : null
      const deaths = open.kind === 'effect' ? (open.deaths ?? null) : null
      const early = open.early === true ? 1 : null
      const { changes } = reschedule.run(attempt, open.dueAt ?? null, early, deaths, key, open.command)
      if (changes === 0) throw new Error(`command ${open.command} of Execution ${key} is not open`)
    },
    remove: (key, command) => {
      const { changes } = remove.run(key, command)
      if (changes === 0) throw new Error(`command ${command} of Execution ${key} is not open`)
    },
    removeAll: (key) => {
      removeAll.run(key)
    },
    of: (key) => selectAll.all(key).map(toOpenCommand),
    open: (key, command) => {
      const row = selectOne.get(key, command)
      return row === undefined ? undefined : toOpenCommand(row)
    },
    hasOpenWait: (key, name, at) => selectWait.get(key, EVENT, name, at) !== undefined,
    nextDueAt: (after) => selectNextDue.get(after),
    due: (after, until, limit) => selectDue.all(after.dueAt, after.key, after.command, until, limit),
    retries: (after, limit) => {
      const rows = selectRetries.all(after.key, after.command, limit)
      const next = rows.length === limit ? rows.at(-1) : undefined
      return { effects: rows.flatMap(readRetry), next: next && { key: next.key, command: next.command } }
    },
  }
}

/** Throws DamagedExecution. */
const toOpenCommand = (row: PendingRow): OpenCommand =>
  readStoredCommand({ ...row, kind: openKindCodes.toWord(row.kind), isEarly: row.early !== null })

/** One that is damaged fails its Execution once it is due. */
const readRetry = ({ key, ...row }: RetryRow): readonly { readonly key: number; readonly effect: OpenEffect }[] => {
  try {
    const open = toOpenCommand(row)
    return open.kind === 'effect' ? [{ key, effect: open }] : []
  } catch {
    return []
  }
}
