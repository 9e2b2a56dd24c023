// Idempotency keys, of starts within a project and of events within an Execution. They are kept for a day and removed a
// few at a time.

import type Database from 'better-sqlite3'
import { prepare } from './prepare.ts'
import type { SentKey } from '../ports/executions.ts'

const KEPT_MS = 24 * 60 * 60 * 1000

/**
 * Storing a key checks this many others, in rotation, and removes old ones. This avoids an index on age, which every
 * start would have to write. The table holds a quarter more than a day's keys.
 */
const LOOKED_AT = 4

const BEGINNING = { scope: 0, key: '' }

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
  const selectNext = prepare<[number, string], { scope: number; key: string; createdAt: number }>(
    db,
    `SELECT ${scope} AS scope, key, created_at AS createdAt FROM ${table} WHERE (${scope}, key) > (?, ?)
     ORDER BY ${scope}, key LIMIT ${LOOKED_AT}`,
  )
  const remove = prepare(db, `DELETE FROM ${table} WHERE ${scope} = ? AND key = ?`)
  let looked = BEGINNING

  const removeOld = (until: number): void => {
    const found = selectNext.all(looked.scope, looked.key)
    for (const one of found) if (one.createdAt <= until) remove.run(one.scope, one.key)
    looked = found.length < LOOKED_AT ? BEGINNING : found.at(-1)!
  }

  return {
    get: (inScope, key) => {
      const row = select.get(inScope, key)
      return row === undefined || row.createdAt <= now() - KEPT_MS ? undefined : row
    },
    keep: (inScope, { key, bodyHash }, keptTarget) => {
      const at = now()
      replace.run(inScope, key, bodyHash, keptTarget, at)
      removeOld(at - KEPT_MS)
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
