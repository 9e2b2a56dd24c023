// What operations depend on, bound to one workspace: an operation cannot name another one. Each operation names the
// ports that it needs, and awaits them, so a home may answer from a database over the network as well as from its own
// memory.

import type { Manifest } from '../contract/models.ts'
import type { JsonText } from '../engine/journal.ts'
import type { Ids } from '../shared/ids.ts'
import type { ProgramCheck, ProgramSource } from '../sandbox/program-hosts.ts'
import type { Bulks } from './bulks.ts'
import type { Changes } from './changes.ts'
import type { Eventually } from './eventually.ts'
import type { ExecutionReads, JournalReads } from './executions.ts'
import type { OverviewReads } from './overview.ts'
import type { ProgramStore, ProjectStore, VersionRecord } from './programs.ts'
import type { Worker } from './worker.ts'

/** Tells readers of changes by itself what was committed. */
export type OperationStore = {
  readonly projects: Eventually<ProjectStore>
  readonly programs: Eventually<ProgramStore>
  readonly executions: Eventually<ExecutionReads>
  readonly journal: Eventually<JournalReads>
  readonly overview: Eventually<OverviewReads>
  /** Absent: callers may read in cursors at which number of the store a page ends. */
  readonly sealedCursors?: () => Promise<SealedCursors>
}

export type SealedCursors = {
  seal(cursor: string): string
  /** `undefined`: it was not sealed so. */
  open(sealed: string): string | undefined
}

/** Each rejects with an ApiError if nothing can be checked now. */
export type ProgramSchemas = {
  /** Throws `invalid_input`. An input that was not given counts as null. */
  checkInput(version: VersionRecord, input: unknown, text: JsonText | undefined): void | Promise<void>
  /** Throws `invalid_input`. An event without a schema takes anything. */
  checkPayload(
    version: VersionRecord,
    event: string,
    payload: unknown,
    text: JsonText | undefined,
  ): void | Promise<void>
  /** Why the schemas of a manifest cannot be used, beginning with the path; undefined when they can. */
  faultOf(manifest: Manifest, text: JsonText): string | undefined | Promise<string | undefined>
}

/** Answers a question that was asked a moment ago as it was answered then, where that took long. */
export type ReuseCostly = <Answer>(question: unknown, compute: () => Promise<Answer>) => Promise<Answer>

export type OperationPorts = {
  /** The project of requests that name none. */
  readonly defaultProjectId: string
  /** Whether uploaded Programs with effects run here. */
  readonly runsUploadedEffects: boolean
  readonly store: OperationStore
  readonly worker: Worker
  readonly hosts: { check(source: ProgramSource): Promise<ProgramCheck> }
  /** Where uploaded effects run: resolves to what is wrong with their code. */
  checkEffects?(source: ProgramSource): Promise<string | undefined>
  readonly ids: Ids
  /** ms since the epoch. A store with a clock of its own may take its own time for what it stores. */
  readonly now: () => number
  readonly changes: Changes
  readonly schemas: ProgramSchemas
  readonly bulks: Eventually<Bulks>
  readonly reuse: ReuseCostly
  /** Where Programs come from source: waits until it has been read for the first time. False: it had been before. */
  sourceRead?(): Promise<boolean>
}
