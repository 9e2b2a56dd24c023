// Of which workspaces rows are that messages name: they name no workspace. What is asked for meanwhile shares the next read.

import type { Database } from './database.ts'
import { inBatches, ONE_AFTER_ANOTHER } from './in-batches.ts'

const MOST_NAMED = 1_000

/** Answers the key of the workspace; `undefined`: there is no such row. */
export type WorkspaceOf = (id: string) => Promise<number | undefined>

export const createWorkspaceOf = (db: Database): WorkspaceOf => {
  const text = 'SELECT id, workspace FROM executions WHERE id = ANY ($1::text[])'
  const readAll = async (ids: readonly string[]): Promise<readonly (number | undefined)[]> => {
    const rows = await db.run<{ id: string; workspace: number }>(text, [ids])
    const found = new Map(rows.map(({ id, workspace }) => [id, workspace]))
    return ids.map((id) => found.get(id))
  }
  return inBatches(MOST_NAMED, readAll, ONE_AFTER_ANOTHER)
}
