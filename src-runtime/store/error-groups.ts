// Failures, grouped by fingerprint. A group has a count and times; an Execution's row names its group.

import type Database from 'better-sqlite3'
import type { ExecutionError } from '../engine/journal.ts'
import { fingerprintOf } from '../shared/error-fingerprint.ts'
import { prepare } from './prepare.ts'

type Failure = {
  readonly key: number
  readonly projectKey: number
  readonly programKey: number
  /** ms since the epoch */
  readonly at: number
  readonly error: ExecutionError
}

export type ErrorGroups = {
  readonly add: (failure: Failure) => void
  /** Call it before the Execution's row is deleted. */
  readonly remove: (key: number) => void
}

export const createErrorGroups = (db: Database.Database): ErrorGroups => {
  const upsert = prepare<[number, number, string, number, number], number>(
    db,
    `INSERT INTO error_groups (project, program, fingerprint, count, first_at, last_at) VALUES (?, ?, ?, 1, ?, ?)
     ON CONFLICT (program, fingerprint) DO UPDATE SET count = count + 1,
       first_at = min(first_at, excluded.first_at), last_at = max(last_at, excluded.last_at)
     RETURNING key`,
  ).pluck()
  const setGroup = prepare(db, 'UPDATE executions SET error_group = ? WHERE key = ?')
  const selectGroup = prepare<[number], number | null>(db, 'SELECT error_group FROM executions WHERE key = ?').pluck()
  const decrease = prepare(db, 'UPDATE error_groups SET count = count - 1 WHERE key = ?')
  const removeEmpty = prepare(db, 'DELETE FROM error_groups WHERE key = ? AND count <= 0')

  return {
    add: ({ key, projectKey, programKey, at, error }) => {
      setGroup.run(upsert.get(projectKey, programKey, fingerprintOf(error), at, at), key)
    },
    remove: (key) => {
      const group = selectGroup.get(key)
      if (typeof group !== 'number') return
      decrease.run(group)
      removeEmpty.run(group)
    },
  }
}

const PAGE = 1_000

/** Groups the failures that an older runtime stored. */
export const groupStoredFailures = (db: Database.Database): void => {
  const groups = createErrorGroups(db)
  const select = prepare<[number], Omit<Failure, 'error'> & { readonly error: string }>(
    db,
    `SELECT e.key AS key, v.project AS projectKey, v.program AS programKey, e.error AS error,
       coalesce(e.finished_at, e.created_at) AS at
     FROM executions e CROSS JOIN versions v ON v.key = e.version
     WHERE e.key > ? AND e.error IS NOT NULL ORDER BY e.key LIMIT ${PAGE}`,
  )
  let after = 0
  for (;;) {
    const failures = select.all(after)
    for (const failure of failures) groups.add({ ...failure, error: JSON.parse(failure.error) as ExecutionError })
    if (failures.length < PAGE) return
    after = failures.at(-1)!.key
  }
}
