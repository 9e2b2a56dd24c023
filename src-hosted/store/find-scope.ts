// What a filter's ids stand for: the project's key and, where Programs or a version are chosen, the keys of the versions.

import type { ExecutionFilter } from '../../src-runtime/ports/overview.ts'
import { forgetOldest } from '../../src-runtime/shared/forget-oldest.ts'
import type { Scope } from './scope.ts'

export type FoundScope = {
  readonly project: number
  /** `undefined`: all of the project. */
  readonly versions: readonly number[] | undefined
}

const PROJECT = 'SELECT j.key FROM projects j WHERE j.workspace = scope.workspace AND j.id = $2'
const VERSIONS = `SELECT v.key FROM versions v JOIN programs p ON p.key = v.program
  WHERE v.workspace = scope.workspace AND v.project = $2::int AND ($3::text IS NULL OR p.id = $3)
    AND ($4::text[] IS NULL OR p.id <> ALL ($4)) AND ($5::int IS NULL OR v.number = $5)`

const MOST_KEPT = 1_000
const LARGEST_NUMBER = 2_147_483_647

export type FindScope = (
  filter: Pick<ExecutionFilter, 'projectId' | 'programId' | 'notProgramIds' | 'versionNumber'>,
) => Promise<FoundScope | undefined>

/** `undefined`: there is no such project, or none of its Executions can match. */
export const createFindScope = (scope: Scope): FindScope => {
  const projects = new Map<string, number>()

  const projectKey = async (id: string): Promise<number | undefined> => {
    const kept = projects.get(id)
    if (kept !== undefined) return kept
    const [row] = await scope.read<{ key: number }>(PROJECT, [id])
    if (row !== undefined) projects.set(id, row.key)
    forgetOldest(projects, MOST_KEPT)
    return row?.key
  }

  return async ({ projectId, programId, notProgramIds, versionNumber }) => {
    const project = await projectKey(projectId)
    if (project === undefined || (versionNumber ?? 0) > LARGEST_NUMBER) return undefined
    if (programId === undefined && notProgramIds === undefined && versionNumber === undefined) {
      return { project, versions: undefined }
    }
    const values = [project, programId ?? null, notProgramIds ?? null, versionNumber ?? null]
    const rows = await scope.read<{ key: number }>(VERSIONS, values)
    return rows.length === 0 ? undefined : { project, versions: rows.map(({ key }) => key) }
  }
}
