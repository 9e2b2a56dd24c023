// The store's port. Reads are synchronous. Writes are asynchronous, and settle after the COMMIT that makes them
// durable, which they share with other writes. This folder implements the port on SQLite; no other folder contains SQL.

import type { Change } from '../engine/change.ts'
import type { ExecutionHead, LoadedExecution, OpenCommand } from '../engine/execution-state.ts'
import type { ExecutionError, JournalEntry, JsonText, Status } from '../engine/journal.ts'

export type Store = {
  readonly projects: ProjectStore
  readonly programs: ProgramStore
  readonly executions: ExecutionStore
  readonly journal: JournalStore
  readonly overview: OverviewStore
  /** Bytes on disk of the data directory's database files. */
  sizeBytes(): number
  /** Waits for pending writes, checkpoints, closes. May be called twice. Later writes reject with StoreClosedError. */
  close(): Promise<void>
}

/** Reported once per Execution and COMMIT, in commit order, after it is durable. */
export type CommittedChange = {
  readonly key: number
  readonly executionId: string
  readonly programId: string
  readonly projectId: string
  readonly status: Status
  /** ms since the epoch */
  readonly at: number
  /** The Execution was deleted; `status` was its last. */
  readonly deleted?: true
}

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
  }): Promise<{ kind: 'created'; project: ProjectRecord } | { kind: 'name_taken' }>
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

export type ProgramFromFolder = { readonly projectId: string; readonly programId: string; readonly path: string }

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

export type Page<Item> = { readonly items: readonly Item[]; readonly more: boolean }

export type ProgramStore = {
  /**
   * Stores a version, unless its digest equals that of the latest version. Then `description` does not change either,
   * but a version that was retired, or only uploaded, becomes runnable when its source is found.
   */
  deploy(version: NewVersion): Promise<{ readonly kind: 'created' | 'unchanged'; readonly program: ProgramRecord }>
  /** The source was removed: its versions take no new starts; their Executions continue. */
  retire(projectId: string, programId: string): Promise<void>
  /** Programs with a runnable version from source in that folder, by id. */
  fromFolder(folder: string): readonly ProgramFromFolder[]
  /** Removes a version that nothing needs; says why not. `undefined` when there is no such version. */
  remove(
    projectId: string,
    programId: string,
    number: number,
  ): Promise<'removed' | 'used' | 'newest' | 'newest_runnable' | undefined>
  /** Removes versions from source that no Execution is on and that are older than the newest 20. Answers how many. */
  removeUnused(projectId: string, programId: string): Promise<number>
  get(projectId: string, programId: string): ProgramRecord | undefined
  /** By id, ascending, after `afterId`. */
  list(query: { projectId: string; afterId?: string; limit: number }): Page<ProgramRecord>
  /** Newest first, with numbers below `beforeNumber`. */
  versions(query: { projectId: string; programId: string; beforeNumber?: number; limit: number }): Page<VersionRecord>
  version(projectId: string, programId: string, number: number): VersionRecord | undefined
  newestRunnable(projectId: string, programId: string): VersionRecord | undefined
  artifact(versionId: string): VersionArtifact | undefined
}

export type ExecutionRecord = {
  readonly head: ExecutionHead
  readonly error?: ExecutionError
  /** By command; empty when terminal. */
  readonly waitingFor: readonly OpenCommand[]
}

export type NewExecution = {
  readonly id: string
  readonly projectId: string
  readonly programId: string
  readonly versionId: string
  readonly versionNumber: number
  readonly createdAt: number
  /** `{ input? }` */
  readonly data: JsonText
  /** Id of the Execution that this one runs again. */
  readonly againOf?: string
  readonly idempotency?: SentKey
}

/** An `Idempotency-Key`, and the hash that detects another request with the same key. */
export type SentKey = { readonly key: string; readonly bodyHash: string }

export type ExecutionFilter = {
  readonly projectId: string
  readonly statuses?: readonly Status[]
  readonly programId?: string
  readonly notProgramIds?: readonly string[]
  readonly versionNumber?: number
  /** ms since the epoch; all exclusive */
  readonly createdAfter?: number
  readonly createdBefore?: number
  readonly finishedAfter?: number
  readonly finishedBefore?: number
  /** An id's prefix, or text in the error's message (without regard to ASCII case). */
  readonly text?: string
  /** Excludes errors whose message contains this text. */
  readonly notText?: string
  /** Failed, waiting while an effect backs off, or waiting for the same event for more than an hour. */
  readonly needsAttention?: boolean
  readonly waitingKind?: OpenCommand['kind']
  readonly waitingName?: string
  readonly errorFingerprint?: string
}

export type ExecutionQuery = ExecutionFilter & {
  /** Keys below this one. */
  readonly beforeKey?: number
  readonly limit: number
}

export type ChangeOptions = {
  /**
   * Called with the change when it is written but not durable yet, if anything was written. If the promise rejects, the
   * change was undone.
   */
  readonly ahead?: (changed: Changed) => void
}

export type ExecutionStore = {
  /**
   * Inserts the row (`queued`) and its `execution_started`. Idempotency keys are kept for 24 h, per project. `ahead` is
   * called when both are written but not durable yet. If the promise rejects, the start was undone.
   */
  start(execution: NewExecution, ahead?: (head: ExecutionHead) => void): Promise<StartOutcome>
  /**
   * What an idempotency key started, while the key is kept. A repeated request gets this result even if the Program
   * would refuse it now.
   */
  startedWith(
    projectId: string,
    idempotencyKey: string,
  ): { readonly key: number; readonly bodyHash: string } | undefined
  /** The event of an Execution that was sent with an idempotency key, while the key is kept. */
  receivedWith(key: number, idempotencyKey: string): ReceivedWith | undefined
  /**
   * Runs `decide` on the current row inside the transaction, and writes what it returns; `undefined` writes nothing.
   * Settles with the new row, the change and the position of its first entry; `undefined` when there is no such
   * Execution.
   */
  change(key: number, decide: Decide, options?: ChangeOptions): Promise<Changed | undefined>
  /** The key of an id, if there is such an Execution. */
  keyOf(id: string): number | undefined
  head(key: number): ExecutionHead | undefined
  record(key: number): ExecutionRecord | undefined
  /** The first characters of the input's JSON; `undefined` when there is no input. */
  inputPreview(key: number): string | undefined
  /** Removes an Execution that has ended, and everything about it. `undefined` when there is no such Execution. */
  delete(key: number): Promise<Deleted | undefined>
  /** What the engine needs to continue the Execution; `undefined` when there is none. */
  load(key: number): LoadedExecution | undefined
  /** When the next timer, timeout or retry after `after` is due; both in ms since the epoch. */
  nextDueAt(after: number): number | undefined
  /**
   * Open commands that became due after the mark and not later than `until`, in order of `dueAt`, key, command.
   * Continue with the last one as the mark; fewer than `limit` means that there are no more.
   */
  due(after: DueMark, until: number, limit: number): readonly DueMark[]
  /**
   * Keys, ascending, of Executions that had work when the process ended: queued, running, cancelling, with the first
   * attempt of an effect, or waiting with a buffered event that an open wait could take. Later attempts are among what
   * is due. A page is about `limit` long; the next one begins after `next`.
   */
  unfinished(afterKey: number, limit: number): { readonly keys: readonly number[]; readonly next: number | undefined }
}

export type StartOutcome =
  | { readonly kind: 'started'; readonly head: ExecutionHead }
  | { readonly kind: 'repeated'; readonly key: number }
  | { readonly kind: 'conflict' }
  /** It was removed since it was looked up. */
  | { readonly kind: 'version_gone' }

export type Deleted =
  /** `isAll`: its whole journal was removed as well. */
  { readonly kind: 'deleted'; readonly isAll: boolean } | { readonly kind: 'not_finished'; readonly status: Status }

/** One open command and when it became due (ms since the epoch). */
export type DueMark = { readonly dueAt: number; readonly key: number; readonly command: number }

export type ReceivedWith = { readonly position: number; readonly bodyHash: string }

export type Decide = (current: {
  readonly head: ExecutionHead
  receivedWith(idempotencyKey: string): ReceivedWith | undefined
  /** Whether a wait for an event of that name is open, with a timeout after `at` if it has one. */
  hasOpenWait(name: string, at: number): boolean
  /** The command, unless it was answered or never was. */
  open(command: number): OpenCommand | undefined
}) => Change | undefined

export type Changed = {
  readonly head: ExecutionHead
  readonly change: Change | undefined
  /** Position of the change's first entry; entries follow one another. */
  readonly firstPosition: number
}

/** Reads many Executions, in slices of a few milliseconds. */
export type OverviewStore = {
  /** Newest first. */
  list(query: ExecutionQuery): Promise<Page<ExecutionRecord>>
  /** Up to `most` keys of matching Executions, newest first. */
  keys(filter: ExecutionFilter, most: number): Promise<readonly number[]>
  /** Of each status. */
  counts(filter: ExecutionFilter): Promise<Readonly<Record<Status, number>>>
  /** Number of matching, waiting Executions that need attention. Failed ones are not included; count them by status. */
  awaitingAttention(filter: ExecutionFilter): Promise<number>
  /** By kind, name and Program. */
  waiting(query: WaitingGroupQuery): Promise<Page<WaitingGroupRecord>>
  /** The most recent failure first. */
  errors(query: ErrorGroupQuery): Promise<Page<ErrorGroupRecord>>
  metrics(query: MetricsQuery): Promise<MetricsRecord>
}

export type WaitingMark = {
  readonly kind: OpenCommand['kind']
  /** Empty for timers. */
  readonly name: string
  readonly programId: string
}

export type WaitingGroupQuery = {
  readonly projectId: string
  /** The last group of the page before. */
  readonly after?: WaitingMark
  readonly limit: number
}

export type WaitingGroupRecord = WaitingMark & {
  /** Executions. */
  readonly count: number
  /** ms since the epoch */
  readonly oldestSince: number
  readonly exampleExecutionId: string
}

export type ErrorGroupQuery = {
  readonly projectId: string
  readonly programId?: string
  /** Those behind this one. */
  readonly before?: { readonly lastAt: number; readonly key: number }
  readonly limit: number
}

export type ErrorGroupRecord = {
  readonly key: number
  readonly fingerprint: string
  readonly programId: string
  readonly code: string
  readonly name?: string
  readonly message: string
  readonly count: number
  /** ms since the epoch, like `lastAt` */
  readonly firstAt: number
  readonly lastAt: number
  readonly exampleExecutionId: string
}

export type MetricsQuery = {
  readonly projectId: string
  readonly programId?: string
  /** ms since the epoch */
  readonly from: number
  readonly stepMs: number
  readonly steps: number
}

export type MetricsRecord = {
  /** One for each step. */
  readonly points: readonly StepRecord[]
  /** Now. */
  readonly queued: number
}

export type StepRecord = {
  readonly started: number
  readonly completed: number
  readonly failed: number
  readonly cancelled: number
  readonly p50Ms: number | null
  readonly p95Ms: number | null
}

export type JournalStore = {
  /** Entries with positions above `afterPosition`, oldest first. */
  page(key: number, afterPosition: number, limit: number): Page<JournalEntry>
  /** The same without entries that a replay does not need: logs, failed attempts, and received events. */
  recorded(key: number, afterPosition: number, limit: number): Page<JournalEntry>
  entry(key: number, position: number): JournalEntry | undefined
  /** The `effect_scheduled` entry of a command. */
  scheduled(key: number, command: number): JournalEntry | undefined
}

/** The store is shutting down. */
export class StoreClosedError extends Error {
  override readonly name = 'StoreClosedError'
}

/** The disk is full, or cannot be written. The write was undone. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError'
}
