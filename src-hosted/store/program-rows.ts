// Rows of versions and Programs.

import type { ProgramRecord, VersionArtifact, VersionRecord } from '../../src-runtime/ports/programs.ts'
import type { Database } from './database.ts'
import type { OwnedArtifact } from './store.ts'
import { fromStored } from './stored-text.ts'

export type VersionRow = {
  readonly id: string
  readonly program_id: string
  readonly project_id: string
  readonly number: number
  readonly digest: string
  readonly has_effects: boolean
  readonly runnable: boolean
  readonly manifest: string
  readonly created_at: number
}

export type ProgramRow = VersionRow & {
  readonly description: string | null
  readonly program_runnable: boolean
  readonly program_created_at: number
  readonly program_updated_at: number
}

/** Of a version `v`, its Program `p` and project `j`. */
export const VERSION_COLUMNS = `v.id, p.id AS program_id, j.id AS project_id, v.number, v.digest, v.has_effects,
  v.runnable, v.manifest, v.created_at`

export const toVersion = (row: VersionRow): VersionRecord => ({
  id: row.id,
  programId: row.program_id,
  projectId: row.project_id,
  number: row.number,
  digest: row.digest,
  origin: 'upload',
  hasEffects: row.has_effects,
  runnable: row.runnable,
  manifest: row.manifest,
  createdAt: row.created_at,
})

export const toProgram = (row: ProgramRow): ProgramRecord => ({
  id: row.program_id,
  projectId: row.project_id,
  ...(row.description !== null && { description: fromStored(row.description) }),
  latestVersion: toVersion(row),
  runnable: row.program_runnable,
  createdAt: row.program_created_at,
  updatedAt: row.program_updated_at,
})

export type ArtifactRow = VersionRow & {
  readonly code: string
  readonly source_map: string | null
  readonly effects: string | null
}

export const ARTIFACT_COLUMNS = `${VERSION_COLUMNS}, a.code, a.source_map, a.effects`
export const ARTIFACTS = `artifacts a JOIN versions v ON v.key = a.version JOIN programs p ON p.key = v.program
  JOIN projects j ON j.key = v.project`

export const toArtifact = (row: ArtifactRow): VersionArtifact => ({
  version: toVersion(row),
  code: fromStored(row.code),
  ...(row.source_map !== null && { sourceMap: fromStored(row.source_map) }),
  ...(row.effects !== null && { effects: row.effects }),
})

const OWNED_ARTIFACT = `SELECT ${ARTIFACT_COLUMNS}, w.id AS workspace_id
  FROM ${ARTIFACTS} JOIN workspaces w ON w.key = v.workspace WHERE v.id = $1`

/** Of whichever workspace. */
export const readArtifact = async (db: Database, versionId: string): Promise<OwnedArtifact | undefined> => {
  const [row] = await db.run<ArtifactRow & { workspace_id: string }>(OWNED_ARTIFACT, [versionId])
  return row && { ...toArtifact(row), workspaceId: row.workspace_id }
}
