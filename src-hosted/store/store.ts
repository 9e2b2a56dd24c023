// The store of the hosted service, in PostgreSQL. It has two parts: what the operations of one workspace read and write,
// and what processes need to run Executions. No other folder contains SQL of PostgreSQL.
//
// Times are ms since the epoch, of PostgreSQL's clock. A write is durable when its promise settles. Every promise may
// reject with StoreUnavailableError: the database cannot be reached, or did not answer in time. A write may have been made
// then. All writes may be sent again.

import type { ReceivedEvent } from '../../src-runtime/engine/accept.ts'
import type { ActedEarly, EarlyAction } from '../../src-runtime/engine/act-early.ts'
import type { DamagedExecution } from '../../src-runtime/engine/damaged-execution.ts'
import type { Change } from '../../src-runtime/engine/change.ts'
import type { OpenEffect } from '../../src-runtime/engine/effect-attempts.ts'
import type { ExecutionHead, LoadedExecution, OpenCommand } from '../../src-runtime/engine/execution-state.ts'
import type { JournalEntry, JsonText, NewEntry, Status, TerminalStatus } from '../../src-runtime/engine/journal.ts'
import type { EffectDelivery } from '../../src-runtime/engine/live-execution.ts'
import type { Moment } from '../../src-runtime/engine/plan-deliveries.ts'
import type { Bulk } from '../../src-runtime/contract/inspection-models.ts'
import type { Bulks } from '../../src-runtime/ports/bulks.ts'
import type { Eventually } from '../../src-runtime/ports/eventually.ts'
import type { NewExecution, ReceivedWith } from '../../src-runtime/ports/executions.ts'
import type { OperationStore } from '../../src-runtime/ports/operation-ports.ts'
import type { Page } from '../../src-runtime/ports/page.ts'
import type { VersionArtifact } from '../../src-runtime/ports/programs.ts'
import type { PoolState } from './database.ts'
import type { AccessStore, ScheduleStore, SecretStore, TenantStore, UsageFolding } from './tenancy.ts'
import type { WorkspaceOf } from './workspace-of.ts'

export type HostedStore = {
  /**
   * Accepts what callers of one workspace send. All rows that it touches belong to that workspace. `loadsWoken`: visits follow
   * in this process.
   */
  acceptFor(workspaceId: string, options?: { readonly loadsWoken: boolean }): Acceptance
  /** What operations read and write of one workspace, beside that. */
  forWorkspace(workspaceId: string): WorkspaceStores
  readonly engine: EngineStore
  readonly changes: ChangeStore
  readonly notices: Notices
  readonly workspaces: WorkspaceStore
  readonly workspaceRemoval: WorkspaceRemoval
  readonly access: AccessStore
  readonly schedules: ScheduleStore
  readonly usage: UsageFolding
  readonly secrets: SecretStore
  readonly bulkWork: BulkWork
  readonly upkeep: Upkeep
  /** PostgreSQL's clock, from its last answers; behind it by about the way of an answer. */
  now(): number
  /** How often that went back. */
  setBacks(): number
  /** Of this process, for metrics. */
  connections(): readonly (PoolState & { readonly pool: string })[]
  /** Waits for what is under way. May be called twice. Later calls reject with StoreClosedError. */
  close(): Promise<void>
}

export type WorkspaceStores = OperationStore & {
  readonly bulks: Eventually<Bulks>
  /** The rest that belongs to the workspace. */
  readonly tenant: TenantStore
}

/** `wake`: the Execution has work now, and needs a visit. Otherwise one is on its way already. */
export type Woken = { readonly executionId: string; readonly wake: boolean }

/** Each is one statement under the lock of the Execution's row, decided as the engine decides. */
export type Acceptance = {
  /**
   * Stores an Execution: `queued`, with the time of its commit as `createdAt`, or with turns that ran ahead, or run, with the time
   * that these turns were given. Unless it is `started`, drop what ran ahead.
   */
  start(execution: NewExecution, ahead?: Ahead): Promise<Started>
  receive(key: number, event: ReceivedEvent): Promise<Received>
  /** Repeatable. One that is queued ends at once. */
  requestCancel(key: number): Promise<CancelRequested>
  /** Makes an open command due now. `open`: the command with its new time; absent when it was due already. */
  actEarly(
    key: number,
    action: EarlyAction,
    command: number,
  ): Promise<
    | (Woken & { readonly kind: 'accepted'; readonly open?: OpenCommand })
    | Extract<ActedEarly, { kind: 'refused' }>
    | { readonly kind: 'gone' }
  >
}

/** Turns that ran before anything was stored. */
export type Ahead = {
  /** Decided for the head of a queued Execution. */
  readonly change: Change
  readonly wakeAt: number | undefined
  /** What its turns cost. */
  readonly computeMs?: number
  readonly begun?: CommittedTurns['begun']
}

export type Started =
  | {
      readonly kind: 'started'
      readonly head: ExecutionHead
      /** Of the change's first entry. */ readonly firstPosition: number
    }
  | { readonly kind: 'repeated'; readonly key: number }
  | { readonly kind: 'conflict' }
  | { readonly kind: 'version_gone' | 'trigger_changed' }

export type Received =
  | (Woken & {
      readonly kind: 'received'
      readonly receivedAt: number
      /** With `loadsWoken`, as `EngineStore.load` reads it; absent: ask that. */
      readonly loaded?: Loaded
    })
  | { readonly kind: 'repeated'; readonly received: ReceivedWith }
  | { readonly kind: 'finished'; readonly status: TerminalStatus }
  | { readonly kind: 'buffer_full' }
  | { readonly kind: 'gone' }

export type CancelRequested =
  | (Woken & { readonly kind: 'accepted'; readonly status: Status })
  | { readonly kind: 'finished'; readonly status: TerminalStatus }
  | { readonly kind: 'gone' }

export type Due = {
  /** The key of its workspace. */
  readonly workspace: number
  /** ms since the epoch. */
  readonly dueAt: number
}

export type DueTimer = Due & { readonly executionId: string }

/** Claims what is due within `aheadMs`, or was due. Workspaces take turns. `isMore`: one of them may have more. */
export type ClaimDue<One extends Due> = (query: {
  readonly aheadMs: number
  readonly limit: number
  /** For each workspace. */
  readonly limitOfOne: number
  /** Keys of workspaces, which get nothing. */
  readonly busy: readonly number[]
}) => Promise<{ readonly due: readonly One[]; readonly isMore: boolean }>

/** What processes need to run Executions. It does not know workspaces: every statement names its rows. */
export type EngineStore = {
  /**
   * One call with all that a visit needs; `undefined` when there is no such Execution. May reject if `dropped` aborts before it has
   * begun.
   */
  load(executionId: string, dropped?: AbortSignal): Promise<Loaded | undefined>
  /**
   * Stores turns, or an end outside a turn. Writes nothing if the row has other turns or another cancel than the caller has
   * seen, or has ended. If anything came from outside since (`stirred`), the row stays awake, and the change's
   * `wakeAt` is not written: load again.
   */
  commit(seen: Seen, turns: CommittedTurns): Promise<Committed | Lost>
  /**
   * Puts the row to sleep until `wakeAt`, after a visit that delivered nothing; absent: until something comes from outside.
   * False if something came since: load again.
   */
  rest(seen: Pick<Seen, 'key' | 'turns' | 'stirred'>, wakeAt: number | undefined): Promise<boolean>
  /**
   * Notes that this process performs an attempt, unless another one does. If others ask for the attempt and its performer
   * does not call `stillPerforms` for `deadAfterMs`, it has died; also if it has not called `noteAlive` for 12 s, while this process has
   * every second. From then on the attempt's `deaths` are known: 1 at first, and one more with each performer that dies while the
   * attempt is under way in it, as `noteUnderWay` has said.
   */
  takeAttempt(effect: EffectKey, performer: string, deadAfterMs: number): Promise<AttemptTaken>
  /** From now on, the death of its performer counts, or does not. To be called where its `deaths` are known. */
  noteUnderWay(effect: EffectKey, performer: string, isUnderWay: boolean): Promise<void>
  /** The performer stops before the attempt has an outcome; its death does not count. */
  letGo(effect: EffectKey, performer: string): Promise<void>
  /** Stores what an attempt led to, if that attempt is open and has no outcome yet. */
  outcome(effect: EffectKey, outcome: EffectOutcome): Promise<OutcomeStored>
  /** Notes that this process still performs these attempts. Answers those that their Programs still await. */
  stillPerforms(effects: readonly EffectKey[], performer: string): Promise<readonly EffectKey[]>
  /** Notes that this process is there; to be called every second. */
  noteAlive(performer: string): Promise<void>
  /**
   * Notes that a worker of this release is at `url`, and that the others are registered at Restate. Answers those of them to which a
   * release came for the first time after this one came to `url`. What was not noted for 30 days is forgotten.
   */
  noteAddress(url: string, release: string, others: readonly string[]): Promise<readonly string[]>
  /** Appends what effects log, unless the Execution has ended. */
  appendLogs(key: number, entries: readonly NewEntry[]): Promise<void>
  /**
   * Claims Executions whose `wakeAt` passed `graceMs` ago or earlier, and moves it forward: by 10 s at first, then twice as
   * far each time, until a visit commits or puts the row to sleep. No two callers claim the same Execution. Workspaces share a
   * call, and take turns from call to call where they are more than its limit. `isMore`: there may be more. Timers are not
   * among them: see `dueTimers`. No row is moved beyond its next one. `isTry`: nobody may be told of them, so they are moved by 10 s only,
   * however often they were.
   */
  overdue(query: {
    readonly graceMs: number
    readonly limit: number
    readonly isTry?: boolean
  }): Promise<{ readonly ids: readonly string[]; readonly isMore: boolean }>
  /**
   * Claims in the same way, by 5 s at first, Executions with a timer or time-out of more than a second that is due within `aheadMs`, or
   * was due. So are those whose claimant has died.
   */
  readonly dueTimers: ClaimDue<DueTimer>
  /** Open effects whose next attempt is more than a second away, a page at a time: the next one begins after `next`. */
  retries(
    after: RetryMark | undefined,
    limit: number,
  ): Promise<{
    readonly now: number
    readonly effects: readonly { readonly executionId: string; readonly effect: OpenEffect }[]
    readonly next: RetryMark | undefined
  }>
  /**
   * Makes Executions overdue whose `wakeAt` is further away than the lease, or an hour where the sweeper has claimed them, and that wait for
   * no time: a page at a time; the next one begins after the answer. `undefined`: there are no more.
   */
  endLongLeases(after: LeaseMark | undefined, leaseMs: number, limit: number): Promise<LeaseMark | undefined>
  /**
   * Makes Executions overdue by `overdueMs` that are overdue by less, or whose `wakeAt` comes within `withinMs`, or within
   * `claimedWithinMs`, which is longer, where the sweeper has claimed them; and that wait for no timer until then. Answers whether there
   * may be more than `limit`.
   */
  endLeases(asked: {
    readonly withinMs: number
    readonly claimedWithinMs: number
    readonly overdueMs: number
    readonly limit: number
  }): Promise<boolean>
  /** The earliest `wakeAt`; `undefined`: no row has one. For tests and metrics. */
  nextWakeAt(): Promise<number | undefined>
  /** The key of the workspace of an Execution. Takes one connection, however many are asked for. */
  readonly workspaceOf: WorkspaceOf
  /** Those of the given Executions that have ended or were deleted. */
  endedAmong(keys: readonly number[]): Promise<readonly number[]>
  /** What a version contains. Never changes. */
  artifact(versionId: string): Promise<OwnedArtifact | undefined>
  /** When the newest turn began that is stored. */
  lastTurnAt(key: number): Promise<number | undefined>
  /** Entries that a replay needs: without logs, failed attempts and received events. A page has 8 MiB at most. */
  recorded(key: number, afterPosition: number, limit: number): Promise<Page<JournalEntry>>
  /**
   * The data of entries by position, for events that are delivered and for replays: of the first positions given, as far as it is
   * 8 MiB at most, or of one.
   */
  dataAt(key: number, positions: readonly number[]): Promise<ReadonlyMap<number, JsonText>>
}

export type LeaseMark = { readonly workspace: number; readonly wakeAt: number; readonly key: number }

export type RetryMark = { readonly project: number; readonly execution: number; readonly command: number }

/** And whose it is. */
export type OwnedArtifact = VersionArtifact & { readonly workspaceId: string }

export type Loaded = LoadedExecution & {
  readonly workspaceId: string
  /** `{ input? }` before the first turn, `{}` after it. */
  readonly startData: JsonText
  /** Outcomes of effects that were not delivered, in the order in which they were stored: 4 MiB of them, or a single one. */
  readonly outcomes: readonly EffectDelivery[]
  /** Those that come after these: load again once these are delivered. */
  readonly unread: readonly Moment[]
  /** Data of buffered events by position: of the first ones, as far as they are small. `dataAt` has the others. */
  readonly payloads: ReadonlyMap<number, JsonText>
  /** How often something came from outside: events, outcomes, cancels, early actions. */
  readonly stirred: number
  readonly wakeAt?: number
  /** Of the Restate invocation that committed last. */
  readonly lastInvocation?: string
  /** When its cancel was delivered, if it was. */
  readonly cancelDeliveredAt?: number
  /** When it was read. */
  readonly now: number
  /** Some data cannot be read and is missing here: the Execution must fail. */
  readonly damage?: DamagedExecution
}

/** What a visit knows of the row that it changes. */
export type Seen = {
  /** Commits of one workspace that come at the same moment are stored together. */
  readonly workspaceId: string
  readonly key: number
  readonly turns: number
  readonly cancelRequestedAt: number | undefined
  readonly stirred: number
  /** When it was loaded: events behind it were not seen. */
  readonly lastPosition: number
  /** How many commands it has had, and how many events were buffered: so many rows may be removed when it ends. */
  readonly lastCommand: number
  readonly buffered: number
}

export type CommittedTurns = {
  /** From `settleTurns` or `endOutsideTurn`. */
  readonly change: Change
  /** When it needs a visit at the latest; absent: only something from outside can wake it. */
  readonly wakeAt: number | undefined
  /** Absent: no invocation owns what the turns opened. */
  readonly invocation?: string
  readonly computeMs?: number
  /** Which of the effects that the change opens begin at once, and in which process. */
  readonly begun?: { readonly performer: string; readonly commands: ReadonlySet<number> }
}

export type Committed = {
  readonly kind: 'committed'
  /** Position of the change's first entry: an event may have come in between. */
  readonly firstPosition: number
  /** More has come from outside than the caller had seen: load again. */
  readonly stirred: number
  readonly now: number
}

export type Lost =
  /**
   * What the row has instead. With the same turns and a new cancel, the change can be settled again. With the same turns
   * and the same cancel, an event that the caller has not seen came in time, and wins over a time-out among the turns: load again.
   */
  | {
      readonly kind: 'lost'
      readonly turns: number
      readonly cancelRequestedAt: number | undefined
      readonly status: Status
    }
  | { readonly kind: 'gone' }

export type EffectKey = { readonly executionId: string; readonly command: number; readonly attempt: number }

export type AttemptTaken =
  | (TakenAttempt & { readonly kind: 'taken' })
  /** Another process performs it. `isCertain`: it has confirmed that since it was asked last. */
  | { readonly kind: 'elsewhere'; readonly isCertain: boolean }
  /** It has failed, and another attempt is open. */
  | { readonly kind: 'later'; readonly attempt: number; readonly dueAt: number | undefined }
  /** It has an outcome, which may not have been delivered yet. */
  | { readonly kind: 'answered' }
  /** Its Program does not await it any more. */
  | { readonly kind: 'gone' }

export type TakenAttempt = {
  readonly workspaceId: string
  readonly head: Pick<ExecutionHead, 'key' | 'id' | 'projectId' | 'programId' | 'versionId' | 'versionNumber'>
  /** `deaths`, where known, counts that of the last performer. */
  readonly effect: OpenEffect
  /** `{ input?, retry?, timeoutMs? }` */
  readonly data: JsonText
  readonly now: number
}

export type EffectOutcome =
  /** What is delivered: `{ result?, early? }` or `{ error, early? }`. */
  | { readonly kind: 'result' | 'failure'; readonly data: JsonText; readonly computeMs?: number }
  /** From `failAttempt`; `entry` is its `effect_attempt_failed`. `wakeAt`: see `CommittedTurns`. */
  | {
      readonly kind: 'retry'
      readonly next: OpenEffect
      readonly entry: NewEntry
      readonly wakeAt: number
      readonly computeMs?: number
    }

export type OutcomeStored =
  | { readonly kind: 'stored'; readonly wake: boolean }
  /** That attempt is not open any more, or has an outcome. */
  | { readonly kind: 'late' }

export type NewWorkspace = { readonly id: string; readonly name: string; readonly defaultProjectId: string }

export type WorkspaceRecord = NewWorkspace & {
  readonly planId: string
  readonly createdAt: number
  /** When its removal began, which has not ended. */
  readonly removedAt?: number
}

/** Counts and stored bytes are as they were folded last. */
export type WorkspaceSummary = Pick<WorkspaceRecord, 'id' | 'name' | 'createdAt' | 'removedAt'> & {
  readonly executions: number
  /** Those that have not ended. */
  readonly liveExecutions: number
  readonly storedBytes: number
  /** When one of its tokens was, to the minute. */
  readonly lastUsedAt?: number
}

export type WorkspaceContents = Pick<WorkspaceSummary, 'executions' | 'liveExecutions' | 'storedBytes'> & {
  readonly projects: number
  readonly programs: number
  readonly triggers: number
  readonly tokens: number
}

export type WorkspaceStore = {
  /** With its default project. */
  create(workspace: NewWorkspace): Promise<{ readonly kind: 'created' | 'id_taken' }>
  get(id: string): Promise<WorkspaceRecord | undefined>
  /** The one of that id, else those of that name. Names need not differ. */
  find(idOrName: string): Promise<readonly WorkspaceRecord[]>
  /** Creates the first workspace with an admin's token, in one transaction. False if there is a workspace already. */
  makeFirst(
    workspace: NewWorkspace,
    token: { readonly id: string; readonly name: string; readonly digest: Buffer; readonly sealed: string },
  ): Promise<boolean>
  /** Creates the workspace unless one has that name, also when several processes ask at once. */
  ensure(workspace: NewWorkspace): Promise<{ readonly workspace: WorkspaceRecord; readonly isNew: boolean }>
  /** By name, then by id. */
  list(query: {
    readonly after?: Pick<WorkspaceRecord, 'name' | 'id'>
    readonly limit: number
  }): Promise<Page<WorkspaceSummary>>
  /** `undefined`: there is no such workspace. */
  contents(id: string): Promise<WorkspaceContents | undefined>
}

/**
 * Removes workspaces, in slices that hold up nobody else. Each may be called again, also when an earlier removal was not ended. Of a
 * workspace that is not there, there is nothing to do.
 */
export type WorkspaceRemoval = {
  /** Removes all that gives access to it. From now on it accepts nothing, fires nothing, and its usage does not count. */
  begin(workspaceId: string): Promise<void>
  /** A slice of its Executions that have not ended, whatever they do. How many. */
  endExecutions(workspaceId: string): Promise<number>
  /** A slice of what else it has. Answers how many Executions were among it, and whether more is left. */
  removeSlice(workspaceId: string): Promise<{ readonly executions: number; readonly isMore: boolean }>
  /** How long ago its removal began; `undefined`: it is gone. */
  begunAgoMs(workspaceId: string): Promise<number | undefined>
  /** Removes the workspace itself. False if something is left of it, or was added. */
  end(workspaceId: string): Promise<boolean>
}

/** The remaining items of bulks. Several processes may ask; each gets different items. */
export type BulkWork = {
  /** Items of a running bulk that no process works on, leased to this one; of none of the workspaces `busy`. `undefined`: there are none. */
  take(query: {
    readonly limit: number
    readonly leaseMs: number
    readonly busy: readonly string[]
  }): Promise<TakenItems | undefined>
  /** From now on, they are leased for so long, if they are not settled. */
  extend(taken: TakenItems, leaseMs: number): Promise<void>
  /** All that are taken are free: their process has died. */
  endLeases(): Promise<void>
  /**
   * Notes the outcome of the first items, of as many as are counted; the others are free. If this does not settle, another process gets all of them
   * after the lease.
   */
  settle(taken: TakenItems, counts: { readonly done: number; readonly failed: number }): Promise<void>
  /**
   * Of a bulk that deletes: deletes them and notes the outcome in one transaction, or in a few. May be called again. An item with a fault,
   * of which `onFault` is told, has failed.
   */
  delete(taken: TakenItems, onFault: (error: unknown) => void): Promise<void>
}

export type TakenItems = {
  readonly workspaceId: string
  readonly bulkId: string
  readonly action: Bulk['action']
  /** Only Executions of this project are found. */
  readonly projectId: string | undefined
  /** Index of the first item in the bulk. The bulk's id and the index together name an item, and never change. */
  readonly firstNumber: number
  /** `undefined`: it was deleted. */
  readonly executionIds: readonly (string | undefined)[]
}

/**
 * Regular work. Several processes may call it; each piece is done by one of them. Answers whether more is left. What takes
 * several statements ends between two of them once `isStopped`.
 */
export type Upkeep = {
  /** Folds changes into counts. Called once a second, so that counts have few unfolded changes to read. */
  fold(): Promise<boolean>
  /**
   * Removes a slice of what is old: idempotency keys and changes older than a day, and what remains of deleted Executions.
   * Four times a minute, and again at once while more is left.
   */
  removeOld(isStopped?: () => boolean): Promise<boolean>
  /** The same for Executions of a workspace that ended before a time. */
  removeEnded(endedBefore: (workspaceId: string) => number | undefined, isStopped?: () => boolean): Promise<boolean>
}

/** A place in the stream of committed changes. */
/** A place in the stream of all workspaces: never shown. */
export type ChangeMark = { readonly xid: bigint; readonly seq: bigint }

/** What the callers of one workspace are shown of marks. It tells nothing of other workspaces. */
export type MarkIds = {
  idOf(mark: ChangeMark): string
  /** The changes behind the mark of an id that this workspace was not given are `gone`. */
  markOf(id: string): ChangeMark
}

export type ChangeStore = {
  /** Compares two marks, for `sort`. */
  compare(one: ChangeMark, other: ChangeMark): number
  idsOf(workspaceId: string): Promise<MarkIds>
  /** The mark of now: everything that is committed later comes after it. */
  latest(): Promise<ChangeMark>
  /**
   * Changes of all workspaces in their final order: a change is answered once none can come before it any more. `gone`: the
   * changes after the mark are not kept any more (24 h). Behind the last change there is, the mark that is answered is that of
   * now, not that of the change, unless a crash of PostgreSQL could make changes to come be before it. `readTo`: all changes before it
   * were read. `isMore`: there may be more. Those of workspaces that were removed are left out.
   */
  after(
    mark: ChangeMark,
    limit: number,
  ): Promise<
    | {
        readonly kind: 'changes'
        readonly items: readonly StoredChange[]
        readonly mark: ChangeMark
        readonly readTo: ChangeMark
        readonly isMore: boolean
      }
    | { readonly kind: 'gone' }
  >
}

export type StoredChange = { readonly workspaceId: string; readonly mark: ChangeMark } & (
  | {
      readonly kind: 'execution'
      readonly key: number
      readonly executionId: string
      readonly programId: string
      readonly projectId: string
      readonly status: Status
      readonly at: number
      /** `status` was its last. */
      readonly deleted?: true
    }
  | {
      readonly kind: 'program'
      readonly programId: string
      readonly projectId: string
      /** Of the newest version. */
      readonly versionNumber: number
      readonly at: number
    }
)

/** Hints between processes. Any of them may be lost. */
export type Notices = {
  /** PostgreSQL takes fewer than 8,000 bytes of them at once. Settles when the hints were sent or lost. Never rejects. */
  send(notices: readonly string[]): Promise<void>
  /** `onGap`: the connection is new, so some may have been missed. Listens again by itself until it is stopped. */
  listen(onNotice: (notice: string) => void, onGap: () => void): { stop(): Promise<void> }
}
