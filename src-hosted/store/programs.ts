// Programs, their versions and artifacts, of one workspace. What a version contains is never changed.

import type { Eventually } from '../../src-runtime/ports/eventually.ts'
import { StoreUnavailableError } from '../../src-runtime/shared/store-errors.ts'
import type { NewVersion, ProgramStore, VersionRecord } from '../../src-runtime/ports/programs.ts'
import { toBoundedPage } from '../../src-runtime/shared/bounded-page.ts'
import { inBatches } from './in-batches.ts'
import type { VersionsOfWorkspace } from './kept-versions.ts'
import { parameters } from './parameters.ts'
import {
  ARTIFACT_COLUMNS,
  ARTIFACTS,
  VERSION_COLUMNS,
  toArtifact,
  toProgram,
  toVersion,
  type ArtifactRow,
  type ProgramRow,
  type VersionRow,
} from './program-rows.ts'
import type { Scope } from './scope.ts'
import { toStored } from './stored-text.ts'

const VERSIONS = 'projects j JOIN programs p ON p.project = j.key JOIN versions v ON v.program = p.key'
const LATEST = `projects j JOIN programs p ON p.project = j.key
  CROSS JOIN LATERAL (SELECT * FROM versions n WHERE n.program = p.key ORDER BY n.number DESC LIMIT 1) AS v`
const PROGRAM_COLUMNS = `${VERSION_COLUMNS}, p.description, p.created_at AS program_created_at,
  p.updated_at AS program_updated_at,
  EXISTS (SELECT FROM versions r WHERE r.program = p.key AND r.runnable) AS program_runnable`
const IN_PROJECT = 'WHERE j.workspace = scope.workspace AND j.id = $2'

const PROGRAM = `SELECT ${PROGRAM_COLUMNS} FROM ${LATEST} ${IN_PROJECT} AND p.id = $3`
const PROGRAMS = `SELECT ${PROGRAM_COLUMNS} FROM ${LATEST} ${IN_PROJECT} AND p.id > $3 ORDER BY p.id LIMIT $4`
const LIST_VERSIONS = `SELECT ${VERSION_COLUMNS} FROM ${VERSIONS} ${IN_PROJECT} AND p.id = $3 AND v.number < $4
  ORDER BY v.number DESC LIMIT $5`
const VERSION = `SELECT ${VERSION_COLUMNS} FROM ${VERSIONS} ${IN_PROJECT} AND p.id = $3 AND v.number = $4`
const OF_DIGEST = `SELECT ${VERSION_COLUMNS} FROM ${VERSIONS} ${IN_PROJECT} AND p.id = $3 AND v.digest = $4
  ORDER BY v.number DESC LIMIT 1`
const RUNNABLE = `SELECT ${VERSION_COLUMNS} FROM ${VERSIONS} ${IN_PROJECT} AND p.id = $3 AND v.runnable
  ORDER BY v.number DESC LIMIT 1`
const ARTIFACT = `SELECT ${ARTIFACT_COLUMNS} FROM ${ARTIFACTS} WHERE v.workspace = scope.workspace AND v.id = $2`
const DEPLOY = `SELECT wes_deploy(${parameters(13)}) AS is_new`
const REMOVE = 'SELECT wes_remove_version($1, $2, $3, $4) AS outcome'

const MOST_TOGETHER = 64
/** Characters. */
const MANIFESTS_IN_A_PAGE = 4 * 1024 * 1024
const MOST_VERSIONS = 2_147_483_647

type WhichProgram = { readonly projectId: string; readonly programId: string }
type Removed = Awaited<ReturnType<ProgramStore['remove']>>

export const createProgramStore = (scope: Scope, kept: VersionsOfWorkspace): Eventually<ProgramStore> => {
  const get = async (projectId: string, programId: string) => {
    const [row] = await scope.read<ProgramRow>(PROGRAM, [projectId, programId])
    return row && toProgram(row)
  }
  const versionBy = async (select: string, values: readonly unknown[]) => {
    const [row] = await scope.read<VersionRow>(select, values)
    return row && toVersion(row)
  }
  const readNewest = inBatches(MOST_TOGETHER, async (asked: readonly WhichProgram[]) => {
    const read = new Map<string, Promise<VersionRecord | undefined>>()
    return Promise.all(
      asked.map(({ projectId, programId }) => {
        const key = JSON.stringify([projectId, programId])
        const found = read.get(key) ?? versionBy(RUNNABLE, [projectId, programId])
        read.set(key, found)
        return found
      }),
    )
  })
  return {
    get,
    deploy: async (version) => {
      const [row] = await scope.call<{ is_new: boolean }>(DEPLOY, deployValues(version))
      const { projectId, programId, digest } = version
      const program = await get(projectId, programId)
      if (program === undefined) throw new StoreUnavailableError(`Program ${programId} was removed with its workspace`)
      const kind = row!.is_new ? 'created' : 'unchanged'
      if (program.latestVersion.digest === digest) return { kind, program }
      // Somebody has deployed another one since.
      const own = await versionBy(OF_DIGEST, [projectId, programId, digest])
      return { kind, program: { ...program, latestVersion: own ?? program.latestVersion } }
    },
    remove: async (projectId, programId, number) => {
      const [row] = await scope.call<{ outcome: Exclude<Removed, undefined> | null }>(REMOVE, [
        ...[projectId, programId, number],
      ])
      return row!.outcome ?? undefined
    },
    list: async ({ projectId, afterId, limit }) =>
      toBoundedPage(await scope.read<ProgramRow>(PROGRAMS, [projectId, afterId ?? '', limit + 1]), limit, toProgram, {
        of: ({ latestVersion }) => latestVersion.manifest.length,
        budget: MANIFESTS_IN_A_PAGE,
      }),
    versions: async ({ projectId, programId, beforeNumber = MOST_VERSIONS, limit }) => {
      const before = Math.min(beforeNumber, MOST_VERSIONS)
      const rows = await scope.read<VersionRow>(LIST_VERSIONS, [projectId, programId, before, limit + 1])
      const size = { of: ({ manifest }: VersionRecord) => manifest.length, budget: MANIFESTS_IN_A_PAGE }
      return toBoundedPage(rows, limit, toVersion, size)
    },
    version: (projectId, programId, number) =>
      number > MOST_VERSIONS ? undefined : versionBy(VERSION, [projectId, programId, number]),
    ofExecution: async ({ projectId, programId, versionId, versionNumber }) => {
      const known = kept.get(['id', versionId])
      if (known !== undefined) return known
      const version = await versionBy(VERSION, [projectId, programId, versionNumber])
      if (version !== undefined) kept.keep(['id', versionId], version)
      return version
    },
    newestRunnable: async (projectId, programId, isRead = false) => {
      const known = isRead ? undefined : kept.get(['newest', projectId, programId])
      if (known !== undefined) return known
      const version = await readNewest({ projectId, programId })
      if (version !== undefined) kept.keep(['newest', projectId, programId], version)
      return version
    },
    artifact: async (versionId) => {
      const [row] = await scope.read<ArtifactRow>(ARTIFACT, [versionId])
      return row && toArtifact(row)
    },
  }
}

const deployValues = (version: NewVersion): readonly unknown[] => {
  const { projectId, programId, description, id, digest, runnable, manifest, code, sourceMap, effects } = version
  const bytes = [code, sourceMap, effects].reduce((sum, text) => sum + Buffer.byteLength(text ?? ''), 0)
  return [
    ...[projectId, programId, description === undefined ? null : toStored(description), id, digest],
    ...[effects !== undefined, runnable, manifest, toStored(code)],
    ...[sourceMap === undefined ? null : toStored(sourceMap), effects ?? null, bytes],
  ]
}
