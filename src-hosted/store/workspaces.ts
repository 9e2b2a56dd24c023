// Workspaces: made by whoever runs the service, each with a default project.

import type { Database } from './database.ts'
import { violates } from './postgres-errors.ts'
import type { Scope } from './scope.ts'
import type { NewWorkspace, WorkspaceContents, WorkspaceRecord, WorkspaceStore, WorkspaceSummary } from './store.ts'
import type { TenantStore } from './tenancy.ts'

type WorkspaceRow = {
  readonly id: string
  readonly name: string
  readonly plan: string
  readonly created_at: number
  readonly removed_at: number | null
  readonly default_project_id: string
}

const READ = `SELECT w.id, w.name, w.plan, w.created_at, w.removed_at, j.id AS default_project_id
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

/** `w` is the workspace. An Execution with a status below 4 has not ended. */
const COUNTED = `CROSS JOIN LATERAL (
    SELECT coalesce(sum(s.count), 0)::bigint AS executions, coalesce(sum(s.count) FILTER (WHERE s.status < 4), 0)::bigint AS live
    FROM projects j JOIN status_counts s ON s.project = j.key WHERE j.workspace = w.key) AS c
  LEFT JOIN usage_stored u ON u.workspace = w.key`
const LIST = `SELECT w.id, w.name, w.created_at, w.removed_at, c.executions, c.live, coalesce(u.stored_bytes, 0) AS stored_bytes,
    (SELECT max(t.last_used_at) FROM tokens t WHERE t.workspace = w.key) AS last_used_at
  FROM (
    SELECT * FROM workspaces o WHERE (o.name, o.id) > ($1::text, $2::text) ORDER BY o.name, o.id LIMIT $3) AS w
  ${COUNTED} ORDER BY w.name, w.id`
const CONTENTS = `SELECT c.executions, c.live, coalesce(u.stored_bytes, 0) AS stored_bytes,
    (SELECT count(*) FROM projects j WHERE j.workspace = w.key) AS projects,
    (SELECT count(*) FROM projects j JOIN programs p ON p.project = j.key WHERE j.workspace = w.key) AS programs,
    (SELECT count(*) FROM projects j JOIN triggers t ON t.project = j.key WHERE j.workspace = w.key) AS triggers,
    (SELECT count(*) FROM tokens t WHERE t.workspace = w.key) AS tokens
  FROM workspaces w ${COUNTED} WHERE w.id = $1`

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
      const [row] = await db.run<{ found_id: string; is_new: boolean }>(ENSURE, [id, name, defaultProjectId])
      return { workspace: (await get(row!.found_id))!, isNew: row!.is_new }
    },
    list: async ({ after, limit }) => {
      const rows = await db.run<SummaryRow>(LIST, [after?.name ?? '', after?.id ?? '', limit + 1])
      return { items: rows.slice(0, limit).map(toSummary), more: rows.length > limit }
    },
    contents: async (id) => {
      const [row] = await db.run<ContentsRow>(CONTENTS, [id])
      return row && toContents(row)
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
  ...(row.removed_at !== null && { removedAt: row.removed_at }),
  defaultProjectId: row.default_project_id,
})

type SummaryRow = Pick<WorkspaceRow, 'id' | 'name' | 'created_at' | 'removed_at'> & {
  readonly executions: number
  readonly live: number
  readonly stored_bytes: number
  readonly last_used_at: number | null
}

const toSummary = (row: SummaryRow): WorkspaceSummary => ({
  id: row.id,
  name: row.name,
  createdAt: row.created_at,
  ...(row.removed_at !== null && { removedAt: row.removed_at }),
  executions: row.executions,
  liveExecutions: row.live,
  storedBytes: row.stored_bytes,
  ...(row.last_used_at !== null && { lastUsedAt: row.last_used_at }),
})

type ContentsRow = Pick<SummaryRow, 'executions' | 'live' | 'stored_bytes'> &
  Pick<WorkspaceContents, 'projects' | 'programs' | 'triggers' | 'tokens'>

const toContents = ({ live, stored_bytes, ...counts }: ContentsRow): WorkspaceContents => ({
  ...counts,
  liveExecutions: live,
  storedBytes: stored_bytes,
})
