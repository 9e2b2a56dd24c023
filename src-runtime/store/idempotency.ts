// Idempotency keys, of starts within a project and of events within an Execution. They are kept for a day and removed a
// few at a time.

import type Database from 'better-sqlite3'
import { prepare } from './prepare.ts'
import type { SentKey } from '../ports/executions.ts'

const KEPT_MS = 24 * 60 * 60 * 1000

/**
 * Storing this many keys checks four times as many others, in rotation, and removes old ones. This avoids an index on age,
 * which every start would have to write. The table holds a quarter more than a day's keys.
 */
const KEPT_BETWEEN = 16
const LOOKED_AT = 4 * KEPT_BETWEEN

type Mark = { readonly scope: number; readonly key: string }

const BEGINNING: Mark = { scope: 0, key: '' }
const END: Mark = { scope: Number.MAX_SAFE_INTEGER, key: '' }

/** The request that a key was sent with, and its result: the key of an Execution, or the position of an event. */
export type KeptKey = { readonly bodyHash: string; readonly target: number }

export type KeyTable = {
  readonly get: (scope: number, key: string) => KeptKey | undefined
  readonly keep: (scope: number, sent: SentKey, target: number) => void
}

type Row = KeptKey & { readonly createdAt: number }

const createKeyTable = (
  db: Database.Database,
  now: () => number,
  { table, scope, target }: { readonly table: string; readonly scope: string; readonly target: string },
): KeyTable => {
  const select = prepare<[number, string], Row>(
    db,
    `SELECT body_hash AS bodyHash, ${target} AS target, created_at AS createdAt FROM ${table}
     WHERE ${scope} = ? AND key = ?`,
  )
  const replace = prepare(
    db,
    `INSERT OR REPLACE INTO ${table} (${scope}, key, body_hash, ${target}, created_at) VALUES (?, ?, ?, ?, ?)`,
  )
  const selectLast = prepare<[number, string], Mark>(
    db,
    `SELECT ${scope} AS scope, key FROM ${table} WHERE (${scope}, key) > (?, ?)
     ORDER BY ${scope}, key LIMIT 1 OFFSET ${LOOKED_AT - 1}`,
  )
  const removeOldWithin = prepare(
    db,
    `DELETE FROM ${table} WHERE (${scope}, key) > (?, ?) AND (${scope}, key) <= (?, ?) AND created_at <= ?`,
  )
  let looked: Mark | undefined
  /** The first key counts as many: a runtime may end before it has stored more. */
  let keptSince = KEPT_BETWEEN - 1

  const removeOldAfter = (mark: Mark, until: number): Mark => {
    const last = selectLast.get(mark.scope, mark.key) ?? END
    removeOldWithin.run(mark.scope, mark.key, last.scope, last.key, until)
    return last
  }

  /** Begins at a key that was just stored, and not always with the same keys. */
  const removeOld = (stored: Mark, until: number): void => {
    looked = removeOldAfter(looked ?? stored, until)
    if (looked === END) looked = removeOldAfter(BEGINNING, until)
  }

  return {
    get: (inScope, key) => {
      const row = select.get(inScope, key)
      return row === undefined || row.createdAt <= now() - KEPT_MS ? undefined : row
    },
    keep: (inScope, { key, bodyHash }, keptTarget) => {
      const at = now()
      replace.run(inScope, key, bodyHash, keptTarget, at)
      keptSince += 1
      if (keptSince < KEPT_BETWEEN) return
      keptSince = 0
      removeOld({ scope: inScope, key }, at - KEPT_MS)
    },
  }
}

/** By project; the target is an Execution's key. When the Execution is deleted, its key counts as never sent. */
export const createStartKeys = (db: Database.Database, now: () => number): KeyTable => {
  const keys = createKeyTable(db, now, { table: 'idempotency', scope: 'project', target: 'execution' })
  const exists = prepare<[number], number>(db, 'SELECT 1 FROM executions WHERE key = ?').pluck()
  return {
    ...keys,
    get: (project, key) => {
      const kept = keys.get(project, key)
      return kept === undefined || exists.get(kept.target) === undefined ? undefined : kept
    },
  }
}

/** By Execution; the target is the event's position. */
export const createEventKeys = (db: Database.Database, now: () => number): KeyTable =>
  createKeyTable(db, now, { table: 'event_keys', scope: 'execution', target: 'position' })
