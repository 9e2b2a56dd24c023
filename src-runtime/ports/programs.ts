// Projects, Programs and versions, as operations read and write them.

import type { JsonText } from '../engine/journal.ts'
import type { Page } from './page.ts'

export type ProjectRecord = {
  readonly id: string
  readonly name: string
  readonly isDefault: boolean
  readonly createdAt: number
}

export type ProjectStore = {
  /** Oldest first, the default one first. */
  list(): readonly ProjectRecord[]
  get(id: string): ProjectRecord | undefined
  create(project: {
    id: string
    name: string
    createdAt: number
  }): Promise<{ kind: 'created'; project: ProjectRecord } | { kind: 'name_taken' } | { kind: 'too_many'; most: number }>
}

export type VersionRecord = {
  readonly id: string
  readonly programId: string
  readonly projectId: string
  readonly number: number
  readonly digest: string
  readonly origin: 'upload' | 'source'
  readonly hasEffects: boolean
  readonly runnable: boolean
  /** Where a version from source was found; its effects run in that folder. */
  readonly source?: VersionSource
  /** The manifest as it was deployed, unknown members included. */
  readonly manifest: JsonText
  readonly createdAt: number
}

export type ProgramRecord = {
  readonly id: string
  readonly projectId: string
  readonly description?: string
  readonly latestVersion: VersionRecord
  /** Some version is runnable here. */
  readonly runnable: boolean
  readonly createdAt: number
  readonly updatedAt: number
}

export type VersionSource = {
  /** The project folder, absolute. */
  readonly folder: string
  /** The Program's file, relative to it. */
  readonly path: string
}

export type NewVersion = {
  readonly id: string
  readonly projectId: string
  readonly programId: string
  readonly description?: string
  readonly digest: string
  readonly origin: 'upload' | 'source'
  readonly source?: VersionSource
  readonly runnable: boolean
  readonly manifest: JsonText
  readonly code: string
  readonly sourceMap?: string
  /** `{ code, sourceMap? }` of the effect bundle, stored and not run. */
  readonly effects?: JsonText
  readonly createdAt: number
}

export type VersionArtifact = {
  readonly version: VersionRecord
  readonly code: string
  readonly sourceMap?: string
  readonly effects?: JsonText
}

export type VersionOfExecution = {
  readonly projectId: string
  readonly programId: string
  readonly versionId: string
  readonly versionNumber: number
}

export type ProgramStore = {
  /**
   * Stores a version, unless its digest equals that of the latest version. Then `description` does not change either,
   * but a version that was retired, or only uploaded, becomes runnable when its source is found.
   */
  deploy(version: NewVersion): Promise<{ readonly kind: 'created' | 'unchanged'; readonly program: ProgramRecord }>
  /** Removes a version that nothing needs; says why not. `undefined` when there is no such version. */
  remove(
    projectId: string,
    programId: string,
    number: number,
  ): Promise<'removed' | 'used' | 'newest' | 'newest_runnable' | undefined>
  get(projectId: string, programId: string): ProgramRecord | undefined
  /** By id, ascending, after `afterId`. */
  list(query: { projectId: string; afterId?: string; limit: number }): Page<ProgramRecord>
  /** Newest first, with numbers below `beforeNumber`. */
  versions(query: { projectId: string; programId: string; beforeNumber?: number; limit: number }): Page<VersionRecord>
  version(projectId: string, programId: string, number: number): VersionRecord | undefined
  /** The version that an Execution runs, which nobody can remove. */
  ofExecution(head: VersionOfExecution): VersionRecord | undefined
  /**
   * A version that was the newest one a while ago, unless `isRead`: a start of it that says `isNewest` is refused if there
   * is a newer one.
   */
  newestRunnable(projectId: string, programId: string, isRead?: boolean): VersionRecord | undefined
  artifact(versionId: string): VersionArtifact | undefined
}
