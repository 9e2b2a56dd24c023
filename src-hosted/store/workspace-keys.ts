// A workspace's key, by its id. Neither ever changes, so keys that were read are kept.

import { forgetOldest } from '../../src-runtime/shared/forget-oldest.ts'
import type { Database } from './database.ts'

const MOST_KEPT = 100_000

/** Rejects when there is no such workspace, which means a fault: the caller has a valid token of it. */
export const createWorkspaceKeys = (db: Database): ((workspaceId: string) => Promise<number>) => {
  const known = new Map<string, number>()
  return async (id) => {
    const kept = known.get(id)
    if (kept !== undefined) return kept
    const [row] = await db.run<{ key: number }>('SELECT key FROM workspaces WHERE id = $1', [id])
    if (row === undefined) throw new Error(`there is no workspace ${id}`)
    known.set(id, row.key)
    forgetOldest(known, MOST_KEPT)
    return row.key
  }
}
