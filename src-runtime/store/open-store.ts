// The store on SQLite: one file, one connection, one group commit.

import type Database from 'better-sqlite3'
import type { Logger } from 'pino'
import { createChangedKeys } from './changed-keys.ts'
import { createDiskRoom } from './disk-room.ts'
import { filesOf, openUpgraded, sizeOf } from './database.ts'
import { explainDamage } from './migrate.ts'
import { createExecutionRows } from './execution-rows.ts'
import { createExecutionStore } from './executions.ts'
import { createGroupCommit, type GroupCommit } from './group-commit.ts'
import { createJournalStore } from './journal.ts'
import { createLabelSearch, type LabelSearch } from './label-search.ts'
import { createOverviewStore } from './overview.ts'
import { createProgramStore } from './programs.ts'
import { createProjectStore, ensureDefaultProject } from './projects.ts'
import { createStatusCounts } from './status-counts.ts'
import { toStoreError } from './store-errors.ts'
import { upgradeApart, type UpgradeApart } from './upgrade-apart.ts'
import { StoreClosedError } from '../shared/store-errors.ts'
import type { CommittedChange, ExecutionStore, Store } from './store.ts'
import { createTimeline } from './timeline.ts'
import { createVersionRefs } from './version-refs.ts'
import { createWaitingBlocks, type WaitingBlocks } from './waiting-blocks.ts'

type StoreOptions = {
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Called before each COMMIT, when everything is written, so that other work can start while the disk flushes. */
  readonly onWritten?: () => void
  /** Called after each COMMIT that touched Executions or Programs, before the callers' promises settle. */
  readonly onCommitted: (changes: readonly CommittedChange[]) => void
  /** The disk became full, or has room again. */
  readonly onDiskFull?: (isFull: boolean) => void
  readonly log?: Logger
}

/**
 * Opens or creates the database. Throws StoreUnavailableError when it cannot be used, DatabaseRefusedError when it must
 * not be. The caller holds the data directory's lock.
 */
export const openStore = async (
  options: StoreOptions & {
    readonly file: string
    /** The process that had it before was killed: told what is lost of what that had stored, as a sentence. */
    readonly onLogFault?: ((fault: string) => void) | undefined
    /** How a database of an older version is upgraded. */
    readonly upgrade?: UpgradeApart
  },
): Promise<Store> => {
  const { file, now, onLogFault, upgrade = {} } = options
  const { onUpgrade } = upgrade
  const db = await openUpgraded({
    file,
    now,
    onLogFault,
    onUpgrade,
    upgrade: (opened) => upgradeApart(opened, upgrade),
  })
  try {
    return createStore(db, options)
  } catch (error) {
    db.close()
    throw toStoreError(explainDamage(error, file))
  }
}

/** Uses an open database, and closes it in `close`. */
export const createStore = (db: Database.Database, options: StoreOptions): Store => {
  const { now, onWritten, onCommitted, onDiskFull = () => {}, log } = options
  const file = db.name
  ensureDefaultProject(db, now)
  const versions = createVersionRefs(db)
  const timeline = createTimeline(db)
  const rows = createExecutionRows(db, versions)
  const statusCounts = createStatusCounts(db)
  const blocks: WaitingBlocks = createWaitingBlocks(db, rows.lastKey, (plan) => group.commit(plan))
  const labelSearch: LabelSearch = createLabelSearch(db, rows.lastKey, (plan) => group.commit(plan))
  const changed = createChangedKeys()
  const onRollback = () => {
    versions.forget()
    rows.recent.forget()
    timeline.forget()
    blocks.forget()
    labelSearch.forget()
  }
  const room = createDiskRoom({
    // Writes the first page again, with what is in it.
    write: () => group.commit(() => ({ write: () => ({ result: db.pragma(`user_version = ${userVersion(db)}`) }) })),
    onChange: onDiskFull,
  })
  const onTried = room.tried
  const { write: writeCounts } = statusCounts
  const group = createGroupCommit({ db, now, writeCounts, onWritten, onCommitted, onRollback, onTried, log })
  const journal = createJournalStore(db)
  const { entry } = journal
  const executions = createExecutionStore({
    ...{ db, now, group, versions, timeline, rows, blocks, labelSearch, changed, entry },
  })
  let closed: Promise<void> | undefined

  return {
    projects: guarded(db, group, createProjectStore(db, group)),
    programs: guarded(db, group, createProgramStore(db, group, versions)),
    executions: guarded(db, group, executions),
    journal: guarded(db, group, journal),
    overview: guardedAsync(
      db,
      group,
      createOverviewStore({
        db,
        now,
        timeline,
        rows,
        statusCounts,
        versions,
        blocks,
        labelSearch,
        changed,
        record: executions.record,
      }),
    ),
    diskIsFull: room.isFull,
    sizeBytes: () => filesOf(file).reduce((sum, name) => sum + sizeOf(name), 0),
    close: () =>
      (closed ??= group.close().then(() => {
        room.close()
        rows.recent.forget()
        closeDatabase(db, log)
      })),
  }
}

const userVersion = (db: Database.Database): number => Number(db.pragma('user_version', { simple: true }))

const closeDatabase = (db: Database.Database, log: Logger | undefined): void => {
  try {
    db.pragma('wal_checkpoint(TRUNCATE)')
  } catch (error) {
    // The WAL holds everything acknowledged; the next start reads it.
    log?.warn({ err: error }, 'the last checkpoint failed')
  }
  db.close()
}

/** These join the transaction that is held open. All others read, and so commit it first. */
const JOINING: ReadonlySet<string> = new Set<keyof ExecutionStore>(['start', 'change'])

/** Translates the errors of reads. group-commit.ts translates those of writes. */
const guarded = <Port extends object>(db: Database.Database, group: GroupCommit, port: Port): Port =>
  wrapped(port, (method, name) => (...args) => {
    if (!JOINING.has(name)) group.settle()
    try {
      return method(...args)
    } catch (error) {
      throw readError(db, error)
    }
  })

/** The same for asynchronous reads. */
const guardedAsync = <Port extends object>(db: Database.Database, group: GroupCommit, port: Port): Port =>
  wrapped(port, (method) => async (...args) => {
    group.settle()
    try {
      const read = await method(...args)
      // Between its slices, the read may have seen writes that are not durable yet.
      group.settle()
      return read
    } catch (error) {
      throw readError(db, error)
    }
  })

type Method = (...args: unknown[]) => unknown

const wrapped = <Port extends object>(port: Port, wrap: (method: Method, name: string) => Method): Port =>
  Object.fromEntries(Object.entries(port).map(([name, method]: [string, Method]) => [name, wrap(method, name)])) as Port

const readError = (db: Database.Database, error: unknown): unknown =>
  db.open ? toStoreError(error) : new StoreClosedError('the store is closed', { cause: error })
