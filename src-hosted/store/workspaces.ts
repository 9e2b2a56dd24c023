// Workspaces: made by whoever runs the service, each with a default project.

import type { Database } from './database.ts'
import { violates } from './postgres-errors.ts'
import type { Scope } from './scope.ts'
import type { NewWorkspace, WorkspaceRecord, WorkspaceStore } from './store.ts'
import type { TenantStore } from './tenancy.ts'

type WorkspaceRow = {
  readonly id: string
  readonly name: string
  readonly plan: string
  readonly created_at: number
  readonly default_project_id: string
}

const READ = `SELECT w.id, w.name, w.plan, w.created_at, j.id AS default_project_id
  FROM workspaces w JOIN projects j ON j.workspace = w.key AND j.is_default`

const CREATE = `WITH made AS (
    INSERT INTO workspaces (id, name, created_at) VALUES ($1, $2, wes_now()) RETURNING key, created_at)
  INSERT INTO projects (workspace, id, name, is_default, created_at) SELECT key, $3, 'Default', true, created_at FROM made`
const ENSURE = 'SELECT * FROM wes_ensure_workspace($1, $2, $3)'
const MAKE_FIRST = 'SELECT wes_make_first_workspace($1, $2, $3, $4, $5, $6, $7) AS is_made'
const GET = `${READ} WHERE w.id = $1`
/** A workspace may take the id of another one as its name. */
const FIND = `${READ} WHERE w.id = $1 OR (w.name = $1 AND NOT EXISTS (SELECT FROM workspaces o WHERE o.id = $1))
  ORDER BY w.key LIMIT 10`
const OWN = `${READ} WHERE w.key = scope.workspace`
const RENAME = 'SELECT wes_rename_workspace($1, $2)'

export const createWorkspaceStore = (db: Database): WorkspaceStore => {
  const get = async (id: string): Promise<WorkspaceRecord | undefined> => {
    const [row] = await db.run<WorkspaceRow>(GET, [id])
    return row && toWorkspace(row)
  }
  return {
    get,
    find: async (idOrName) => (await db.run<WorkspaceRow>(FIND, [idOrName])).map(toWorkspace),
    makeFirst: async ({ id, name, defaultProjectId }, token) => {
      const values = [id, name, defaultProjectId, token.id, token.name, token.digest, token.sealed]
      const [row] = await db.run<{ is_made: boolean }>(MAKE_FIRST, values)
      return row!.is_made
    },
    create: async ({ id, name, defaultProjectId }: NewWorkspace) => {
      try {
        await db.run(CREATE, [id, name, defaultProjectId])
        return { kind: 'created' }
      } catch (error) {
        if (violates(error, 'workspaces_id_key')) return { kind: 'id_taken' }
        throw error
      }
    },
    ensure: async ({ id, name, defaultProjectId }) => {
      const [row] = await db.run<{ found_id: string }>(ENSURE, [id, name, defaultProjectId])
      return (await get(row!.found_id))!
    },
  }
}

export const createOwnWorkspace = (scope: Scope): Pick<TenantStore, 'workspace' | 'rename'> => {
  const workspace = async (): Promise<WorkspaceRecord> => {
    const [row] = await scope.read<WorkspaceRow>(OWN)
    return toWorkspace(row!)
  }
  return {
    workspace,
    rename: async (name) => {
      await scope.call(RENAME, [name])
      return workspace()
    },
  }
}

const toWorkspace = (row: WorkspaceRow): WorkspaceRecord => ({
  id: row.id,
  name: row.name,
  planId: row.plan,
  createdAt: row.created_at,
  defaultProjectId: row.default_project_id,
})
