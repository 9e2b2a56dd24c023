// The environment of effects, and all sealed values.

import type { Database } from './database.ts'
import type { Scope } from './scope.ts'
import { toStored } from './stored-text.ts'
import type { EnvironmentStore, SealedVariable, SecretStore } from './tenancy.ts'

const OF_PROJECT = `FROM environment e JOIN projects j ON j.key = e.project
  WHERE e.workspace = scope.workspace AND j.id = $2 ORDER BY e.name`
const LIST = `SELECT e.name, e.created_at, e.updated_at ${OF_PROJECT}`
const VALUES = `SELECT e.name, e.sealed ${OF_PROJECT}`
const CHANGE = 'SELECT wes_change_environment($1, $2, $3, $4, $5, $6, $7) AS outcome'

type VariableRow = { readonly name: string; readonly created_at: number; readonly updated_at: number }

export const createEnvironmentStore = (scope: Scope): EnvironmentStore => {
  const list: EnvironmentStore['list'] = async (projectId) =>
    (await scope.read<VariableRow>(LIST, [projectId])).map((row) => ({
      name: row.name,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
    }))
  return {
    list,
    change: async (projectId, { set, remove, most, mostBytes }) => {
      const names = set.map(({ name }) => name)
      const sealed = set.map((one) => one.sealed)
      const [row] = await scope.call<{ outcome: 'changed' | 'too_many' | 'too_large' }>(CHANGE, [
        ...[projectId, names, sealed, remove.map(toStored), most, mostBytes],
      ])
      const { outcome } = row!
      return outcome === 'changed' ? list(projectId) : outcome
    },
    values: (projectId) => scope.read<SealedVariable>(VALUES, [projectId]),
  }
}

/** Behind the variable $4 of the project $3. */
const VARIABLES_OF_OTHERS = `SELECT w.id AS workspace_id, j.id AS project_id, e.name, e.sealed
  FROM environment e JOIN projects j ON j.key = e.project JOIN workspaces w ON w.key = e.workspace
  WHERE split_part(e.sealed, ':', 1) <> $1
    AND (e.project, e.name) > (coalesce((SELECT p.key FROM projects p WHERE p.id = $3), 0), $4)
  ORDER BY e.project, e.name LIMIT $2`
/** Behind the row $3. */
const SECRETS_OF_OTHERS = `SELECT w.id AS workspace_id, t.id, t.secret AS sealed
  FROM triggers t JOIN workspaces w ON w.key = t.workspace
  WHERE split_part(t.secret, ':', 1) <> $1 AND t.id > $3 ORDER BY t.id LIMIT $2`
const TOKENS_OF_OTHERS = `SELECT w.id AS workspace_id, t.id, t.sealed
  FROM tokens t JOIN workspaces w ON w.key = t.workspace
  WHERE split_part(t.sealed, ':', 1) <> $1 AND t.id > $3 ORDER BY t.id LIMIT $2`
const REPLACE_VARIABLE = `UPDATE environment e SET sealed = $4 FROM projects j
  WHERE j.key = e.project AND j.id = $1 AND e.name = $2 AND e.sealed = $3`
const REPLACE_SECRET = 'UPDATE triggers SET secret = $3 WHERE id = $1 AND secret = $2'
const REPLACE_TOKEN = 'UPDATE tokens SET sealed = $3 WHERE id = $1 AND sealed = $2'

type OfWorkspace = { readonly workspace_id: string; readonly sealed: string }
type VariableOfOthers = OfWorkspace & { readonly project_id: string; readonly name: string }
type SecretOfOthers = OfWorkspace & { readonly id: string }

/** Of all workspaces. */
export const createSecretStore = (db: Database): SecretStore => ({
  sealedByOthers: async (kind, keyId, limit, after) => {
    if (kind === 'variable') {
      const behind = after?.kind === 'variable' ? [after.projectId, after.name] : ['', '']
      const rows = await db.run<VariableOfOthers>(VARIABLES_OF_OTHERS, [keyId, limit, ...behind])
      return rows.map(({ workspace_id: workspaceId, project_id: projectId, ...row }) => ({
        kind,
        workspaceId,
        projectId,
        ...row,
      }))
    }
    const behind = after === undefined || after.kind === 'variable' ? '' : after.id
    const text = kind === 'token' ? TOKENS_OF_OTHERS : SECRETS_OF_OTHERS
    const rows = await db.run<SecretOfOthers>(text, [keyId, limit, behind])
    return rows.map(({ workspace_id: workspaceId, ...row }) => ({ kind, workspaceId, ...row }))
  },
  replaceSealed: async (row, sealed) => {
    if (row.kind === 'variable') await db.run(REPLACE_VARIABLE, [row.projectId, row.name, row.sealed, sealed])
    else await db.run(row.kind === 'token' ? REPLACE_TOKEN : REPLACE_SECRET, [row.id, row.sealed, sealed])
  },
})
