// SQLite's store: what operations need (ports/), and what the worker, the source and start-up of a local runtime need.
// Reads are synchronous. Writes are asynchronous, and settle after the COMMIT that makes them durable, which they share
// with other writes. This folder implements it; no other folder contains SQL.

import type { Change } from '../engine/change.ts'
import type { OpenEffect } from '../engine/effect-attempts.ts'
import type { ExecutionHead, LoadedExecution, OpenCommand } from '../engine/execution-state.ts'
import type { JournalEntry } from '../engine/journal.ts'
import type { ExecutionChange, ProgramChange } from '../ports/changes.ts'
import type {
  ExecutionReads,
  ExecutionRecord,
  JournalReads,
  NewExecution,
  ReceivedWith,
  StartOutcome,
} from '../ports/executions.ts'
import type { ExecutionFilter, OverviewReads } from '../ports/overview.ts'
import type { Page } from '../ports/page.ts'
import type { ProgramStore, ProjectStore } from '../ports/programs.ts'

export type Store = {
  readonly projects: ProjectStore
  readonly programs: SourceProgramStore
  readonly executions: ExecutionStore
  readonly journal: JournalStore
  readonly overview: OverviewStore
  /** Whether the last write failed because the disk is full. */
  diskIsFull(): boolean
  /** Bytes on disk of the data directory's database files. */
  sizeBytes(): number
  /** Waits for pending writes, checkpoints, closes. May be called twice. Later writes reject with StoreClosedError. */
  close(): Promise<void>
}

/**
 * Reported after each COMMIT, in commit order: the last change of each Execution, and of each Program of which a version
 * was stored, retired or removed.
 */
export type CommittedChange = ExecutionChange | ProgramChange

export type ProgramFromFolder = { readonly projectId: string; readonly programId: string; readonly path: string }

/** Versions from source come and go with the files of a project folder. */
export type SourceProgramStore = ProgramStore & {
  /** The source was removed: its versions take no new starts; their Executions continue. */
  retire(projectId: string, programId: string): Promise<void>
  /** Programs whose newest runnable version from source came from that folder, by id. */
  fromFolder(folder: string): readonly ProgramFromFolder[]
  /** Removes versions from source that no Execution is on and that are older than the newest 20. Answers how many. */
  removeUnused(projectId: string, programId: string): Promise<number>
}

/** Answers whether a turn runs now, whose commit may share the flush. */
export type StartWork = () => boolean

export type ChangeOptions = {
  /**
   * Called with the change when it is written but not durable yet, if anything was written. What it returns is called once
   * all changes of the transaction were seen. If the promise rejects, the change was undone.
   */
  readonly ahead?: (changed: Changed) => StartWork | void
}

export type ExecutionStore = ExecutionReads & {
  /**
   * Inserts the row (`queued`) and its `execution_started`. Idempotency keys are kept for 24 h, per project. `ahead` is
   * called when both are written but not durable yet, as for a change. If the promise rejects, the start was undone.
   */
  start(execution: NewExecution, ahead?: (head: ExecutionHead) => StartWork | void): Promise<StartOutcome>
  /**
   * Runs `decide` on the current row inside the transaction, and writes what it returns; `undefined` writes nothing.
   * Settles with the new row, the change and the position of its first entry; `undefined` when there is no such
   * Execution.
   */
  change(key: number, decide: Decide, options?: ChangeOptions): Promise<Changed | undefined>
  /** The key of an id, if there is such an Execution. */
  keyOf(id: string): number | undefined
  record(key: number): ExecutionRecord | undefined
  /** What the engine needs to continue the Execution; `undefined` when there is none. */
  load(key: number): LoadedExecution | undefined
  /** When the next timer, timeout or retry after `after` is due; both in ms since the epoch. */
  nextDueAt(after: number): number | undefined
  /**
   * Open commands that became due after the mark and not later than `until`, in order of `dueAt`, key, command.
   * Continue with the last one as the mark; fewer than `limit` means that there are no more.
   */
  due(after: DueMark, until: number, limit: number): readonly DueMark[]
  /** Open effects with a time for their next attempt, in order of key and command. The next page begins after `next`. */
  retries(
    after: CommandMark,
    limit: number,
  ): {
    readonly effects: readonly { readonly key: number; readonly effect: OpenEffect }[]
    readonly next: CommandMark | undefined
  }
  /**
   * Keys, ascending, of Executions that had work when the process ended: queued, running, cancelling, with the first
   * attempt of an effect, or waiting with a buffered event that an open wait could take. Later attempts are among what
   * is due. A page is about `limit` long; the next one begins after `next`.
   */
  unfinished(afterKey: number, limit: number): { readonly keys: readonly number[]; readonly next: number | undefined }
}

/** One open command. */
export type CommandMark = { readonly key: number; readonly command: number }

/** One open command and when it became due (ms since the epoch). */
export type DueMark = CommandMark & { readonly dueAt: number }

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

/** Reads in slices of a few milliseconds. */
export type OverviewStore = OverviewReads & {
  /** Up to `most` keys of matching Executions, newest first. */
  keys(filter: ExecutionFilter, most: number): Promise<readonly number[]>
}

export type JournalStore = JournalReads & {
  /** The page without entries that a replay does not need: logs, failed attempts, and received events. */
  recorded(key: number, afterPosition: number, limit: number): Page<JournalEntry>
  /** The `effect_scheduled` entry of a command. */
  scheduled(key: number, command: number): JournalEntry | undefined
}
