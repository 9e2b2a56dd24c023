// The keys of idempotency that starts were sent with, kept for a day and removed a few at a time.

import type Database from 'better-sqlite3'
import { prepare } from './prepare.ts'
import type { ExecutionStore, NewExecution } from './store.ts'

const KEPT_MS = 24 * 60 * 60 * 1000

/**
 * Each kept key looks at this many others, in their order and round and round, and removes those that are old: an index
 * of their age would be one more to be written by every start. The table holds a quarter more than a day's keys.
 */
const LOOKED_AT = 4

const BEGINNING = { project: 0, key: '' }

type Sent = NonNullable<NewExecution['idempotency']>
type Row = { readonly bodyHash: string; readonly execution: number; readonly createdAt: number }

export type Idempotency = {
  readonly find: (
    project: number,
    sent: Sent,
  ) => { readonly kind: 'repeated'; readonly key: number } | { readonly kind: 'conflict' } | undefined
  readonly startedWith: ExecutionStore['startedWith']
  readonly keep: (project: number, sent: Sent, execution: number) => void
}

export const createIdempotency = (db: Database.Database, now: () => number): Idempotency => {
  // A key whose Execution was deleted is as if it had never been sent.
  const kept = 'CROSS JOIN executions e ON e.key = i.execution'
  const select = prepare<[number, string], Row>(
    db,
    `SELECT i.body_hash AS bodyHash, i.execution AS execution, i.created_at AS createdAt
     FROM idempotency i ${kept} WHERE i.project = ? AND i.key = ?`,
  )
  const selectInProject = prepare<[string, string], Row>(
    db,
    `SELECT i.body_hash AS bodyHash, i.execution AS execution, i.created_at AS createdAt
     FROM projects j CROSS JOIN idempotency i ON i.project = j.key ${kept} WHERE j.id = ? AND i.key = ?`,
  )
  const replace = prepare(
    db,
    'INSERT OR REPLACE INTO idempotency (project, key, body_hash, execution, created_at) VALUES (?, ?, ?, ?, ?)',
  )
  const selectNext = prepare<[number, string], { project: number; key: string; createdAt: number }>(
    db,
    `SELECT project, key, created_at AS createdAt FROM idempotency WHERE (project, key) > (?, ?)
     ORDER BY project, key LIMIT ${LOOKED_AT}`,
  )
  const remove = prepare(db, 'DELETE FROM idempotency WHERE project = ? AND key = ?')
  let looked = BEGINNING

  const removeOld = (until: number): void => {
    const found = selectNext.all(looked.project, looked.key)
    for (const { project, key, createdAt } of found) if (createdAt <= until) remove.run(project, key)
    looked = found.length < LOOKED_AT ? BEGINNING : found.at(-1)!
  }

  return {
    find: (project, sent) => {
      const row = select.get(project, sent.key)
      if (row === undefined || row.createdAt <= now() - KEPT_MS) return undefined
      return row.bodyHash === sent.bodyHash ? { kind: 'repeated', key: row.execution } : { kind: 'conflict' }
    },
    startedWith: (projectId, key, at) => {
      const row = selectInProject.get(projectId, key)
      if (row === undefined || row.createdAt <= at - KEPT_MS) return undefined
      return { key: row.execution, bodyHash: row.bodyHash }
    },
    keep: (project, sent, execution) => {
      const at = now()
      replace.run(project, sent.key, sent.bodyHash, execution, at)
      removeOld(at - KEPT_MS)
    },
  }
}
