// The database as one workspace sees it.

import { StoreUnavailableError } from '../../src-runtime/shared/store-errors.ts'
import type { Database, Values } from './database.ts'
import { missesParent } from './postgres-errors.ts'

export type Scope = {
  /** The rows of a SELECT that names the workspace as `scope.workspace`. Its own parameters begin with $2. */
  read<Row>(select: string, values?: Values): Promise<readonly Row[]>
  /** The same for a statement that is not prepared: PostgreSQL plans it for these values. */
  readOnce<Row>(select: string, values: Values): Promise<readonly Row[]>
  /** Calls a function, whose first parameter is the workspace's key. */
  call<Row>(text: string, values: Values): Promise<readonly Row[]>
}

/** PostgreSQL cannot store U+0000 and refuses parameters with it, so nothing has such a name. */
export const isKnowable = (value: unknown): boolean => typeof value !== 'string' || !value.includes('\0')

export const createScope = (db: Database, workspaceKey: () => Promise<number>): Scope => ({
  read: async (select, values = []) => {
    if (!values.every(isKnowable)) return []
    return db.run(fixedRead(select), [await workspaceKey(), ...values])
  },
  readOnce: async (select, values) => db.runOnce(scopedRead(select), [await workspaceKey(), ...values]),
  call: async (text, values) => {
    const key = await workspaceKey()
    try {
      return await db.run(text, [key, ...values])
    } catch (error) {
      if (!missesParent(error) || (await db.run(IS_THERE, [key])).length > 0) throw error
      throw new StoreUnavailableError('the workspace was removed', { cause: error })
    }
  },
})

/** All workspaces of the process share them. */
const fixedReads = new Map<string, string>()

const fixedRead = (select: string): string => {
  const text = fixedReads.get(select) ?? scopedRead(select)
  fixedReads.set(select, text)
  return text
}

/**
 * A read of one workspace, whose key is the first parameter, in one call. `select` names it as `scope.workspace` in its
 * conditions, and so is evaluated behind the setting that row-level security asks for: the subquery depends on it, and
 * OFFSET 0 keeps the planner from joining the two the other way round.
 */
export const scopedRead = (select: string): string =>
  `SELECT r.* FROM (SELECT set_config('wes.workspace', $1::int::text, true)::int AS workspace OFFSET 0) AS scope
   CROSS JOIN LATERAL (${select} OFFSET 0) AS r`

const IS_THERE = scopedRead('SELECT w.key FROM workspaces w WHERE w.key = scope.workspace AND w.removed_at IS NULL')
