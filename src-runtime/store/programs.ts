// Programs, their versions and the compiled artifacts. What a version contains is never changed.

import type Database from 'better-sqlite3'
import { forgetOldest } from '../shared/forget-oldest.ts'
import type { GroupCommit } from './group-commit.ts'
import { prepare } from './prepare.ts'
import { createProgramReads } from './program-reads.ts'
import { createRemoveVersions } from './remove-versions.ts'
import type { NewVersion, ProgramStore, VersionRecord, VersionSource } from '../ports/programs.ts'
import type { SourceProgramStore } from './store.ts'
import { touchedProgram } from './touched.ts'
import type { VersionRefs } from './version-refs.ts'

type Deployed = Awaited<ReturnType<ProgramStore['deploy']>>

export const createProgramStore = (
  db: Database.Database,
  group: GroupCommit,
  versions: VersionRefs,
): SourceProgramStore => {
  const reads = createProgramReads(db)
  const newest = createNewestRunnable(reads.newestRunnable)
  const write = createVersionWriter(db)
  const adoptSource = prepare(
    db,
    `UPDATE versions SET origin = 'source', runnable = 1, source_folder = ?, source_path = ? WHERE id = ?`,
  )
  /** Of a Program, all versions from source: they can be started while it has any. */
  const setSourceRunnable = prepare<[{ runnable: 0 | 1; projectId: string; programId: string }]>(
    db,
    `UPDATE versions SET runnable = @runnable WHERE origin = 'source' AND runnable <> @runnable AND program =
       (SELECT p.key FROM programs p JOIN projects j ON j.key = p.project WHERE j.id = @projectId AND p.id = @programId)`,
  )
  return {
    ...reads,
    newestRunnable: newest.of,
    ...createRemoveVersions(db, group, versions, reads.get),
    deploy: (version) =>
      group.commit<Deployed>(() => {
        const current = reads.get(version.projectId, version.programId)
        if (current?.latestVersion.digest === version.digest) {
          const { source, programId, projectId } = version
          if (source === undefined || isFrom(current.latestVersion, source)) {
            return { result: { kind: 'unchanged', program: current } }
          }
          return {
            write: () => {
              newest.forget()
              adoptSource.run(source.folder, source.path, current.latestVersion.id)
              setSourceRunnable.run({ runnable: 1, projectId, programId })
              const program = reads.get(projectId, programId) ?? current
              return { result: { kind: 'unchanged', program }, ...touchedProgram(program) }
            },
          }
        }
        return {
          write: () => {
            newest.forget()
            write(version, (current?.latestVersion.number ?? 0) + 1)
            const { projectId, programId } = version
            if (version.source !== undefined) setSourceRunnable.run({ runnable: 1, projectId, programId })
            const program = reads.get(projectId, programId)
            if (program === undefined) throw new Error(`Program ${programId} is gone within its transaction`)
            return { result: { kind: 'created', program }, ...touchedProgram(program) }
          },
        }
      }),
    retire: (projectId, programId) =>
      group.commit<void>(() => ({
        write: () => {
          newest.forget()
          setSourceRunnable.run({ runnable: 0, projectId, programId })
          return { result: undefined, ...touchedProgram(reads.get(projectId, programId)) }
        },
      })),
  }
}

const MOST_KEPT = 256
/** A version with a longer manifest is read at each start. */
const LONGEST_MANIFEST = 16 * 1024

/**
 * The version that each start asks for, from memory. Nobody reads between a write and its commit, so what was kept before a
 * write is forgotten with it, and what is read after it is committed. Neither the newest runnable version nor a newer one
 * is ever removed.
 */
const createNewestRunnable = (read: ProgramStore['newestRunnable']) => {
  const kept = new Map<string, VersionRecord>()
  return {
    of: (projectId: string, programId: string): VersionRecord | undefined => {
      const name = `${projectId}/${programId}`
      const known = kept.get(name)
      if (known !== undefined) return known
      const version = read(projectId, programId)
      if (version === undefined || version.manifest.length > LONGEST_MANIFEST) return version
      kept.set(name, version)
      forgetOldest(kept, MOST_KEPT)
      return version
    },
    forget: () => kept.clear(),
  }
}

const isFrom = (version: VersionRecord, { folder, path }: VersionSource): boolean =>
  version.runnable && version.source?.folder === folder && version.source.path === path

const createVersionWriter = (db: Database.Database): ((version: NewVersion, number: number) => void) => {
  const selectProject = prepare<[string], number>(db, 'SELECT key FROM projects WHERE id = ?').pluck()
  const upsertProgram = prepare<[number, string, string | null, number, number], number>(
    db,
    `INSERT INTO programs (project, id, description, created_at, updated_at) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (project, id) DO UPDATE SET description = excluded.description, updated_at = excluded.updated_at
       RETURNING key`,
  ).pluck()
  const insertVersion = prepare(
    db,
    `INSERT INTO versions (project, program, number, id, digest, origin, has_effects, runnable, created_at,
       source_folder, source_path, manifest)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const insertArtifact = prepare(db, 'INSERT INTO artifacts (version, code, source_map, effects) VALUES (?, ?, ?, ?)')

  return (version, number) => {
    const project = selectProject.get(version.projectId)
    if (project === undefined) throw new Error(`there is no project ${version.projectId}`)
    const { createdAt } = version
    const program = upsertProgram.get(project, version.programId, version.description ?? null, createdAt, createdAt)
    const inserted = insertVersion.run(
      project,
      program,
      number,
      version.id,
      version.digest,
      version.origin,
      version.effects === undefined ? 0 : 1,
      version.runnable ? 1 : 0,
      createdAt,
      version.source?.folder ?? null,
      version.source?.path ?? null,
      version.manifest,
    )
    insertArtifact.run(inserted.lastInsertRowid, version.code, version.sourceMap ?? null, version.effects ?? null)
  }
}
