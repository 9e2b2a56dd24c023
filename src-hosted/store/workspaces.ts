// Workspaces: made by whoever runs the service, each with a default project.

import type { Database } from './database.ts'
import { violates } from './postgres-errors.ts'
import type { NewWorkspace, WorkspaceRecord, WorkspaceStore } from './store.ts'

type WorkspaceRow = {
  readonly id: string
  readonly name: string
  readonly created_at: number
  readonly default_project_id: string
}

const CREATE = `WITH made AS (
    INSERT INTO workspaces (id, name, created_at) VALUES ($1, $2, wes_now()) RETURNING key, created_at)
  INSERT INTO projects (workspace, id, name, is_default, created_at) SELECT key, $3, 'Default', true, created_at FROM made`
const GET = `SELECT w.id, w.name, w.created_at, j.id AS default_project_id
  FROM workspaces w JOIN projects j ON j.workspace = w.key AND j.is_default WHERE w.id = $1`

export const createWorkspaceStore = (db: Database): WorkspaceStore => {
  const get = async (id: string): Promise<WorkspaceRecord | undefined> => {
    const [row] = await db.run<WorkspaceRow>(GET, [id])
    return row && { id: row.id, name: row.name, createdAt: row.created_at, defaultProjectId: row.default_project_id }
  }
  return {
    get,
    create: async ({ id, name, defaultProjectId }: NewWorkspace) => {
      try {
        await db.run(CREATE, [id, name, defaultProjectId])
        return { kind: 'created' }
      } catch (error) {
        if (violates(error, 'workspaces_id_key')) return { kind: 'id_taken' }
        throw error
      }
    },
  }
}
