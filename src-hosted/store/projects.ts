// The projects of one workspace. `default` names its default one, which has an id like every other.

import { PROJECTS_LIMIT } from '../../src-runtime/contract/limits.ts'
import type { Eventually } from '../../src-runtime/ports/eventually.ts'
import type { ProjectRecord, ProjectStore } from '../../src-runtime/ports/programs.ts'
import { violates } from './postgres-errors.ts'
import type { Scope } from './scope.ts'

type ProjectRow = {
  readonly id: string
  readonly name: string
  readonly is_default: boolean
  readonly created_at: number
}

const COLUMNS = 'j.id, j.name, j.is_default, j.created_at'
const ALL = `SELECT ${COLUMNS} FROM projects j WHERE j.workspace = scope.workspace ORDER BY j.is_default DESC, j.key`
const ONE = `SELECT ${COLUMNS} FROM projects j
  WHERE j.workspace = scope.workspace AND (j.id = $2 OR ($2 = 'default' AND j.is_default))`
const CREATE = 'SELECT * FROM wes_create_project($1, $2, $3, $4)'

export const createProjectStore = (scope: Scope): Eventually<ProjectStore> => ({
  list: async () => (await scope.read<ProjectRow>(ALL)).map(toRecord),
  get: async (id) => {
    const [row] = await scope.read<ProjectRow>(ONE, [id])
    return row && toRecord(row)
  },
  create: async ({ id, name }) => {
    try {
      const [row] = await scope.call<{ at: number | null }>(CREATE, [id, name, PROJECTS_LIMIT])
      const { at: createdAt } = row!
      if (createdAt === null) return { kind: 'too_many', most: PROJECTS_LIMIT }
      return { kind: 'created', project: { id, name, isDefault: false, createdAt } }
    } catch (error) {
      if (violates(error, 'projects_workspace_name_key')) {
        return { kind: 'name_taken' }
      }
      throw error
    }
  },
})

const toRecord = (row: ProjectRow): ProjectRecord => ({
  id: row.id,
  name: row.name,
  isDefault: row.is_default,
  createdAt: row.created_at,
})
