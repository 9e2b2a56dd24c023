// Which Executions had work when the process ended. Asked once, at the start, page by page.

import type Database from 'better-sqlite3'
import { openKindCodes, statusCodes } from './codes.ts'
import { prepare } from './prepare.ts'
import type { ExecutionStore } from './store.ts'

const ACTIVE = (['queued', 'running', 'cancelling'] as const).map((status) => statusCodes.toCode(status))
const EVENT = openKindCodes.toCode('event')
const EFFECT = openKindCodes.toCode('effect')

export const createUnfinished = (db: Database.Database): ExecutionStore['unfinished'] => {
  const selectVersions = prepare<[], number>(db, 'SELECT key FROM versions').pluck()
  const selectActive = prepare<[number, number, number, number], number>(
    db,
    `SELECT key FROM executions INDEXED BY executions_by_version
       WHERE version = ? AND status = ? AND key > ? ORDER BY key LIMIT ?`,
  ).pluck()
  const selectWithEffects = prepare<[number, number], { key: number; isFirstAttempt: number }>(
    db,
    `SELECT execution AS key, max(due_at IS NULL) AS isFirstAttempt FROM pending INDEXED BY pending_effects
       WHERE kind = ${EFFECT} AND execution > ? GROUP BY execution ORDER BY execution LIMIT ?`,
  )
  // An event wins over a timeout that was not yet due when it was accepted, or if it stands before the wait.
  const selectDeliverable = prepare<[number, number], number>(
    db,
    `SELECT DISTINCT i.execution FROM inbox i
       WHERE i.execution > ? AND EXISTS (
         SELECT 1 FROM pending p WHERE p.execution = i.execution AND p.kind = ${EVENT} AND p.name = i.name
           AND (p.due_at IS NULL OR p.due_at > i.received_at OR p.position > i.position))
       ORDER BY i.execution LIMIT ?`,
  ).pluck()

  return (afterKey, limit) => {
    const withEffects = selectWithEffects.all(afterKey, limit)
    const found = [withEffects.map(({ key }) => key), selectDeliverable.all(afterKey, limit)]
    for (const version of selectVersions.all()) {
      // One status at a time, because only so do the keys come sorted from the index.
      for (const status of ACTIVE) found.push(selectActive.all(version, status, afterKey, limit))
    }
    // What was cut off is known up to its last key only.
    const known = Math.min(...found.map((keys) => (keys.length < limit ? Infinity : keys.at(-1)!)))
    const firstAttempts = withEffects.flatMap(({ key, isFirstAttempt }) => (isFirstAttempt === 1 ? [key] : []))
    const keys = new Set([...firstAttempts, ...found.slice(1).flat()])
    return {
      keys: [...keys].filter((key) => key <= known).sort((one, other) => one - other),
      next: known === Infinity ? undefined : known,
    }
  }
}
