import type Database from 'better-sqlite3'
import { readStoredError } from '../engine/stored-error.ts'
import { toBoundedPage } from '../shared/bounded-page.ts'
import { shownMessage } from '../shared/error-fingerprint.ts'
import { prepare } from './prepare.ts'
import type { ErrorGroupQuery, ErrorGroupRecord } from '../ports/overview.ts'
import type { Page } from '../ports/page.ts'

type Parameters = {
  readonly project: string
  readonly program: string | null
  readonly lastAt: number
  readonly key: number
  readonly count: number
}

type GroupRow = Omit<ErrorGroupRecord, 'code' | 'name' | 'message' | 'exampleExecutionId'>

type ExampleRow = { readonly id: string; readonly error: string }

const COLUMNS = `g.key AS key, g.fingerprint AS fingerprint, p.id AS programId, g.count AS count,
  g.first_at AS firstAt, g.last_at AS lastAt`
const BEHIND = '(g.last_at, g.key) < (@lastAt, @key) ORDER BY g.last_at DESC, g.key DESC LIMIT @count'

/** Groups of failures, the most recent first. */
export const createListErrorGroups = (db: Database.Database): ((query: ErrorGroupQuery) => Page<ErrorGroupRecord>) => {
  const selectOfProject = prepare<[Parameters], GroupRow>(
    db,
    `SELECT ${COLUMNS} FROM error_groups g INDEXED BY error_groups_of_project CROSS JOIN programs p ON p.key = g.program
     WHERE g.project = (SELECT key FROM projects WHERE id = @project) AND ${BEHIND}`,
  )
  const selectOfProgram = prepare<[Parameters], GroupRow>(
    db,
    `SELECT ${COLUMNS} FROM error_groups g INDEXED BY error_groups_of_program CROSS JOIN programs p ON p.key = g.program
     WHERE g.program = (SELECT q.key FROM projects j CROSS JOIN programs q ON q.project = j.key
                        WHERE j.id = @project AND q.id = @program) AND ${BEHIND}`,
  )
  const selectExample = prepare<[number], ExampleRow>(
    db,
    `SELECT id, error FROM executions INDEXED BY executions_by_error WHERE error_group = ? ORDER BY key DESC LIMIT 1`,
  )

  const toRecord = (group: GroupRow): ErrorGroupRecord | undefined => {
    const example = selectExample.get(group.key)
    if (example === undefined) return undefined
    const error = readStoredError(example.error)
    const { code, name } = error
    return {
      ...group,
      code,
      ...(name !== undefined && { name }),
      message: shownMessage(error),
      exampleExecutionId: example.id,
    }
  }

  return ({ projectId, programId, before, limit }) => {
    const parameters = {
      project: projectId,
      program: programId ?? null,
      lastAt: before?.lastAt ?? Number.MAX_SAFE_INTEGER,
      key: before?.key ?? Number.MAX_SAFE_INTEGER,
      count: limit + 1,
    }
    const rows = (programId === undefined ? selectOfProject : selectOfProgram).all(parameters)
    return toBoundedPage(rows, limit, toRecord, { of: () => 1, budget: limit })
  }
}
