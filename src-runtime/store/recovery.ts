// Which Executions had work when the process ended. Asked once, at the start, page by page.

import type Database from 'better-sqlite3'
import { openKindCodes, statusCodes } from '../shared/row-codes.ts'
import { prepare } from './prepare.ts'
import type { ExecutionStore } from './store.ts'

const ACTIVE = (['queued', 'running', 'cancelling'] as const).map((status) => statusCodes.toCode(status))
/** A page reads Executions with this many events together, or one that has more. */
const EVENTS_PER_PAGE = 10_000
const EVENT = openKindCodes.toCode('event')
const EFFECT = openKindCodes.toCode('effect')

type OldestEvent = { readonly name: string; readonly position: number; readonly receivedAt: number }
type OpenWait = { readonly name: string; readonly dueAt: number | null; readonly position: number | null }

export const createUnfinished = (db: Database.Database): ExecutionStore['unfinished'] => {
  const selectVersions = prepare<[], number>(db, 'SELECT key FROM versions').pluck()
  const selectActive = prepare<[number, number, number, number], number>(
    db,
    `SELECT key FROM executions INDEXED BY executions_by_version
       WHERE version = ? AND status = ? AND key > ? ORDER BY key LIMIT ?`,
  ).pluck()
  const selectFirstAttempts = prepare<[number, number], number>(
    db,
    `SELECT DISTINCT execution FROM pending INDEXED BY pending_first_attempts
       WHERE kind = ${EFFECT} AND due_at IS NULL AND execution > ? ORDER BY execution LIMIT ?`,
  ).pluck()
  const selectNextWithEvents = prepare<[number], { key: number; events: number }>(
    db,
    `SELECT i.execution AS key, e.buffered AS events FROM inbox i JOIN executions e ON e.key = i.execution
       WHERE i.execution > ? ORDER BY i.execution LIMIT 1`,
  )
  // SQLite takes `receivedAt` from the row with the least position.
  const selectOldest = prepare<[number], OldestEvent>(
    db,
    `SELECT name, min(position) AS position, received_at AS receivedAt FROM inbox WHERE execution = ? GROUP BY name`,
  )
  const selectWaits = prepare<[number], OpenWait>(
    db,
    `SELECT name, due_at AS dueAt, position FROM pending WHERE execution = ? AND kind = ${EVENT}`,
  )

  /** As the engine plans: the oldest event of a name wins if it came before a timeout, or stands before the wait. */
  const isDeliverable = (key: number): boolean => {
    const oldest = new Map(selectOldest.all(key).map((event) => [event.name, event]))
    for (const { name, dueAt, position } of selectWaits.all(key)) {
      const event = oldest.get(name)
      if (event === undefined) continue
      if (dueAt === null || dueAt > event.receivedAt || (position !== null && position > event.position)) return true
    }
    return false
  }

  /** Executions with a deliverable event, up to a key; very many may have events that they do not wait for. */
  const selectDeliverable = (afterKey: number, limit: number): { keys: readonly number[]; upTo: number } => {
    const keys: number[] = []
    let upTo = afterKey
    let events = 0
    for (let looked = 0; looked < limit && events < EVENTS_PER_PAGE; looked++) {
      const next = selectNextWithEvents.get(upTo)
      if (next === undefined) return { keys, upTo: Infinity }
      upTo = next.key
      events += next.events
      if (isDeliverable(upTo)) keys.push(upTo)
    }
    return { keys, upTo }
  }

  return (afterKey, limit) => {
    const deliverable = selectDeliverable(afterKey, limit)
    const found = [selectFirstAttempts.all(afterKey, limit)]
    for (const version of selectVersions.all()) {
      // One status at a time, because only so do the keys come sorted from the index.
      for (const status of ACTIVE) found.push(selectActive.all(version, status, afterKey, limit))
    }
    // The list was cut off, so it is complete only up to its last key.
    const known = Math.min(deliverable.upTo, ...found.map((keys) => (keys.length < limit ? Infinity : keys.at(-1)!)))
    const keys = new Set([...deliverable.keys, ...found.flat()])
    return {
      keys: [...keys].filter((key) => key <= known).sort((one, other) => one - other),
      next: known === Infinity ? undefined : known,
    }
  }
}
