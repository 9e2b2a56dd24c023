// Reads Programs and versions.

import type Database from 'better-sqlite3'
import { toBoundedPage } from '../shared/bounded-page.ts'
import { prepare } from './prepare.ts'
import type { ProgramRecord, VersionRecord } from '../ports/programs.ts'
import type { ProgramFromFolder, SourceProgramStore } from './store.ts'

type VersionRow = Omit<VersionRecord, 'hasEffects' | 'runnable' | 'source'> & {
  readonly hasEffects: number
  readonly runnable: number
  readonly sourceFolder: string | null
  readonly sourcePath: string | null
}

type ProgramRow = VersionRow & {
  readonly description: string | null
  readonly programRunnable: number
  readonly programCreatedAt: number
  readonly programUpdatedAt: number
}

type ArtifactRow = {
  readonly code: string
  readonly sourceMap: string | null
  readonly effects: string | null
}

const VERSION_COLUMNS = `v.id AS id, p.id AS programId, j.id AS projectId, v.number AS number, v.digest AS digest,
  v.origin AS origin, v.has_effects AS hasEffects, v.runnable AS runnable,
  v.source_folder AS sourceFolder, v.source_path AS sourcePath, v.manifest AS manifest,
  v.created_at AS createdAt`

const PROGRAM_COLUMNS = `${VERSION_COLUMNS}, p.description AS description, p.created_at AS programCreatedAt,
  p.updated_at AS programUpdatedAt,
  EXISTS (SELECT 1 FROM versions r WHERE r.program = p.key AND r.runnable = 1) AS programRunnable`

const PROGRAMS = 'projects j JOIN programs p ON p.project = j.key'
const VERSIONS = `${PROGRAMS} JOIN versions v ON v.program = p.key`
const LATEST = `${VERSIONS} AND v.number = (SELECT max(n.number) FROM versions n WHERE n.program = p.key)`

/** Characters. */
const MANIFESTS_IN_A_PAGE = 4 * 1024 * 1024

export type ProgramReads = Omit<SourceProgramStore, 'deploy' | 'retire' | 'remove' | 'removeUnused'>

export const createProgramReads = (db: Database.Database): ProgramReads => {
  const selectProgram = prepare<[string, string], ProgramRow>(
    db,
    `SELECT ${PROGRAM_COLUMNS} FROM ${LATEST} WHERE j.id = ? AND p.id = ?`,
  )
  const selectPrograms = prepare<[string, string, number], ProgramRow>(
    db,
    `SELECT ${PROGRAM_COLUMNS} FROM ${LATEST} WHERE j.id = ? AND p.id > ? ORDER BY p.id LIMIT ?`,
  )
  const selectVersions = prepare<[string, string, number, number], VersionRow>(
    db,
    `SELECT ${VERSION_COLUMNS} FROM ${VERSIONS} WHERE j.id = ? AND p.id = ? AND v.number < ?
     ORDER BY v.number DESC LIMIT ?`,
  )
  const selectVersion = prepare<[string, string, number], VersionRow>(
    db,
    `SELECT ${VERSION_COLUMNS} FROM ${VERSIONS} WHERE j.id = ? AND p.id = ? AND v.number = ?`,
  )
  const selectRunnable = prepare<[string, string], VersionRow>(
    db,
    `SELECT ${VERSION_COLUMNS} FROM ${VERSIONS} WHERE j.id = ? AND p.id = ? AND v.runnable = 1
     ORDER BY v.number DESC LIMIT 1`,
  )
  const selectFromFolder = prepare<[string], ProgramFromFolder>(
    db,
    `SELECT j.id AS projectId, p.id AS programId, v.source_path AS path FROM ${VERSIONS}
     WHERE v.source_folder = ? AND v.number = (SELECT max(n.number) FROM versions n
       WHERE n.program = p.key AND n.origin = 'source' AND n.runnable = 1)
     ORDER BY p.id`,
  )
  const selectById = prepare<[string], VersionRow>(db, `SELECT ${VERSION_COLUMNS} FROM ${VERSIONS} WHERE v.id = ?`)
  const selectArtifact = prepare<[string], ArtifactRow>(
    db,
    `SELECT a.code AS code, a.source_map AS sourceMap, a.effects AS effects
     FROM versions v JOIN artifacts a ON a.version = v.key WHERE v.id = ?`,
  )

  return {
    get: (projectId, programId) => mapped(selectProgram.get(projectId, programId), toProgram),
    list: ({ projectId, afterId, limit }) =>
      toBoundedPage(selectPrograms.all(projectId, afterId ?? '', limit + 1), limit, toProgram, {
        of: ({ latestVersion }) => latestVersion.manifest.length,
        budget: MANIFESTS_IN_A_PAGE,
      }),
    fromFolder: (folder) => selectFromFolder.all(folder),
    versions: ({ projectId, programId, beforeNumber, limit }) =>
      toBoundedPage(
        selectVersions.all(projectId, programId, beforeNumber ?? Number.MAX_SAFE_INTEGER, limit + 1),
        limit,
        toVersion,
        { of: ({ manifest }) => manifest.length, budget: MANIFESTS_IN_A_PAGE },
      ),
    version: (projectId, programId, number) => mapped(selectVersion.get(projectId, programId, number), toVersion),
    ofExecution: ({ projectId, programId, versionNumber }) =>
      mapped(selectVersion.get(projectId, programId, versionNumber), toVersion),
    newestRunnable: (projectId, programId) => mapped(selectRunnable.get(projectId, programId), toVersion),
    artifact: (versionId) => {
      const version = selectById.get(versionId)
      const artifact = selectArtifact.get(versionId)
      if (version === undefined || artifact === undefined) return undefined
      return {
        version: toVersion(version),
        code: artifact.code,
        ...(artifact.sourceMap === null ? {} : { sourceMap: artifact.sourceMap }),
        ...(artifact.effects === null ? {} : { effects: artifact.effects }),
      }
    },
  }
}

const mapped = <Row, Item>(row: Row | undefined, toItem: (row: Row) => Item): Item | undefined =>
  row === undefined ? undefined : toItem(row)

const toVersion = (row: VersionRow): VersionRecord => ({
  id: row.id,
  programId: row.programId,
  projectId: row.projectId,
  number: row.number,
  digest: row.digest,
  origin: row.origin,
  hasEffects: row.hasEffects === 1,
  runnable: row.runnable === 1,
  ...(row.sourceFolder === null || row.sourcePath === null
    ? {}
    : { source: { folder: row.sourceFolder, path: row.sourcePath } }),
  manifest: row.manifest,
  createdAt: row.createdAt,
})

const toProgram = (row: ProgramRow): ProgramRecord => ({
  id: row.programId,
  projectId: row.projectId,
  ...(row.description === null ? {} : { description: row.description }),
  latestVersion: toVersion(row),
  runnable: row.programRunnable === 1,
  createdAt: row.programCreatedAt,
  updatedAt: row.programUpdatedAt,
})
