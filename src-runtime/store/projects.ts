// The projects of the runtime. The default one exists from the start.

import type Database from 'better-sqlite3'
import type { GroupCommit } from './group-commit.ts'
import { prepare } from './prepare.ts'
import type { ProjectRecord, ProjectStore } from '../ports/programs.ts'

type ProjectRow = { readonly id: string; readonly name: string; readonly isDefault: number; readonly createdAt: number }

type Created = Awaited<ReturnType<ProjectStore['create']>>

const COLUMNS = 'id, name, is_default AS isDefault, created_at AS createdAt'

export const createProjectStore = (db: Database.Database, group: GroupCommit): ProjectStore => {
  const selectAll = prepare<[], ProjectRow>(db, `SELECT ${COLUMNS} FROM projects ORDER BY is_default DESC, key`)
  const selectOne = prepare<[string], ProjectRow>(db, `SELECT ${COLUMNS} FROM projects WHERE id = ?`)
  const selectName = prepare<[string], number>(db, 'SELECT 1 FROM projects WHERE name = ?').pluck()
  const insert = prepare<[string, string, number]>(
    db,
    'INSERT INTO projects (id, name, is_default, created_at) VALUES (?, ?, 0, ?)',
  )

  return {
    list: () => selectAll.all().map(toRecord),
    get: (id) => {
      const row = selectOne.get(id)
      return row === undefined ? undefined : toRecord(row)
    },
    create: ({ id, name, createdAt }) =>
      group.commit<Created>(() => {
        if (selectName.get(name) !== undefined) return { result: { kind: 'name_taken' } }
        return {
          write: () => {
            insert.run(id, name, createdAt)
            return { result: { kind: 'created', project: { id, name, isDefault: false, createdAt } } }
          },
        }
      }),
  }
}

/** It exists from the start and cannot be renamed or removed. */
export const ensureDefaultProject = (db: Database.Database, now: () => number): void => {
  prepare(
    db,
    `INSERT INTO projects (id, name, is_default, created_at)
     SELECT 'default', 'Default', 1, ? WHERE NOT EXISTS (SELECT 1 FROM projects WHERE is_default = 1)`,
  ).run(now())
}

const toRecord = (row: ProjectRow): ProjectRecord => ({ ...row, isDefault: row.isDefault === 1 })
