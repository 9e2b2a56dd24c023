// A transaction that many callers share. Each caller has its own savepoint, so that its failure does not undo the
// writes of others. Callers are answered after the COMMIT. While a single caller's work runs ahead, the transaction may
// stay open.

import type Database from 'better-sqlite3'
import type { Logger } from 'pino'
import { concernsOneCaller, toStoreError } from './store-errors.ts'
import { createFaultLevels } from '../shared/fault-levels.ts'
import { StoreUnavailableError } from '../shared/store-errors.ts'
import type { StatusMove } from './status-counts.ts'
import type { CommittedChange, StartWork } from './store.ts'
import type { ExecutionChange, ProgramChange } from '../ports/changes.ts'

/**
 * Reads and decides inside the transaction, and returns its writes as a function. So a caller that throws while
 * deciding, or has nothing to write, costs no savepoint.
 */
export type Plan<Result> = () => { readonly result: Result } | { readonly write: () => Written<Result> }

type Touched = Omit<ExecutionChange, 'at'> | Omit<ProgramChange, 'at'>

export type Written<Result> = {
  readonly result: Result
  readonly touched?: Touched
  readonly moved?: StatusMove | undefined
  /**
   * Takes over into memory what was written, ahead of the commit, and returns the work that this starts. Called after the
   * writes of all jobs, and the work after all of these calls, so that it sees what all jobs have written. Must be undone if
   * the commit fails.
   */
  readonly ahead?: () => StartWork | void
}

export type Job = {
  readonly plan: Plan<unknown>
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

/** A job that ran in the open transaction, and what to tell its caller if that commits. */
type Ran = { readonly job: Job; readonly settle: () => void } & Pick<Written<unknown>, 'touched' | 'moved' | 'ahead'>

export type TransactionOptions = {
  readonly db: Database.Database
  readonly now: () => number
  /** Writes how the callers changed the counts by status, once for all callers of a transaction. */
  readonly writeCounts: (moves: readonly StatusMove[]) => void
  /** Called when everything is written, before COMMIT. */
  readonly onWritten?: (() => void) | undefined
  readonly onCommitted: (changes: readonly CommittedChange[]) => void
  /** Clears caches that were filled inside the transaction. */
  readonly onRollback: () => void
  /** After each COMMIT, and when one failed, with the reason. */
  readonly onTried?: ((failed?: StoreUnavailableError) => void) | undefined
  readonly log?: Logger | undefined
}

export type SharedTransaction = {
  /**
   * Runs the jobs, in the open transaction if there is one, and commits. Returns the jobs that did not fit into its
   * time limit. After a single job that started work ahead, the transaction stays open until the next call.
   */
  readonly take: (jobs: readonly Job[]) => Job[]
  readonly isHeld: boolean
}

/** A transaction takes no more callers after this long, to limit how long it blocks the event loop. */
const TRANSACTION_BUDGET_MS = 6

export const createSharedTransaction = (options: TransactionOptions): SharedTransaction => {
  const { db } = options
  const begin = db.prepare('BEGIN IMMEDIATE')
  const commitAll = db.prepare('COMMIT')
  const rollback = db.prepare('ROLLBACK')
  const savepoint = db.prepare('SAVEPOINT caller')
  const release = db.prepare('RELEASE caller')
  const undo = db.prepare('ROLLBACK TO caller')
  const levelOf = createFaultLevels()

  /** Jobs that ran in the transaction that is held open. */
  let held: readonly Ran[] = []

  const take = (jobs: readonly Job[]): Job[] => {
    const earlier = held
    const ran: Ran[] = []
    held = []
    const deadline = performance.now() + TRANSACTION_BUDGET_MS
    let taken = 0
    try {
      if (earlier.length === 0) begin.run()
      else if (!db.inTransaction) throw new Error('the transaction did not stay open')
      while (taken < jobs.length && (taken === 0 || performance.now() < deadline)) ran.push(run(jobs[taken++]!))
      const began = runAhead(ran)
      if (began && earlier.length === 0 && jobs.length === 1 && db.inTransaction) {
        held = ran
        return []
      }
      // Outside of the transaction, the counts would change although the callers' writes were undone.
      if (!db.inTransaction) throw new Error('the transaction was rolled back')
      options.writeCounts([...earlier, ...ran].flatMap(({ moved }) => moved ?? []))
      commitAll.run()
    } catch (error) {
      // BEGIN failed: the remaining jobs would fail in the same way.
      abandon([...earlier.map(({ job }) => job), ...(taken === 0 ? jobs : jobs.slice(0, taken))], error)
      return taken === 0 ? [] : jobs.slice(taken)
    }
    options.onTried?.()
    // Two commits shared one flush, so their callers are told in commit order.
    publish(earlier)
    publish(ran)
    for (const { settle } of [...earlier, ...ran]) settle()
    return jobs.slice(taken)
  }

  /** Throws only errors that end the whole transaction. */
  const run = (job: Job): Ran => {
    try {
      const planned = job.plan()
      if ('result' in planned) return { job, settle: () => job.resolve(planned.result) }
      savepoint.run()
      const { result, ...more } = writeOrUndo(planned.write)
      return { job, settle: () => job.resolve(result), ...more }
    } catch (error) {
      if (!db.inTransaction || !concernsOneCaller(error)) throw error
      return { job, settle: () => job.reject(toStoreError(error)) }
    }
  }

  const writeOrUndo = <Result>(write: () => Written<Result>): Written<Result> => {
    try {
      const written = write()
      release.run()
      return written
    } catch (error) {
      if (db.inTransaction) {
        undo.run()
        release.run()
        options.onRollback()
      }
      throw error
    }
  }

  /** Returns whether any turn runs now. */
  const runAhead = (ran: readonly Ran[]): boolean => {
    const works = ran.flatMap(({ ahead }) => (ahead && orLog(ahead)) ?? [])
    const began = works.map((work) => orLog(work)).includes(true)
    if (options.onWritten !== undefined) orLog(options.onWritten)
    return began
  }

  const orLog = <Result>(call: () => Result): Result | undefined => {
    try {
      return call()
    } catch (error) {
      options.log?.error({ err: error }, 'work that ran ahead of a commit threw')
      return undefined
    }
  }

  const abandon = (jobs: readonly Job[], error: unknown) => {
    try {
      // After a full disk or an I/O error, SQLite may have rolled back already.
      if (db.inTransaction) rollback.run()
    } catch (rollbackError) {
      options.log?.error({ err: rollbackError }, 'a transaction could not be rolled back')
    }
    options.onRollback()
    const known = toStoreError(error)
    const storeError =
      known instanceof StoreUnavailableError
        ? known
        : new StoreUnavailableError('the transaction could not be committed', { cause: error })
    options.log?.[levelOf(storeError, 'error')](
      { err: storeError, callers: jobs.length },
      'a transaction was rolled back',
    )
    options.onTried?.(storeError)
    for (const job of jobs) job.reject(storeError)
  }

  const publish = (ran: readonly Ran[]) => {
    const at = options.now()
    const touched = new Map<number | string, CommittedChange>()
    for (const one of ran) {
      if (one.touched === undefined) continue
      // Delete first, so that the order is that of the last change.
      const key = keyOf(one.touched)
      touched.delete(key)
      touched.set(key, { ...one.touched, at })
    }
    if (touched.size === 0) return
    try {
      options.onCommitted([...touched.values()])
    } catch (error) {
      // The writes are durable even if a listener throws.
      options.log?.error({ err: error }, 'a listener to committed changes threw')
    }
  }

  return {
    take,
    get isHeld() {
      return held.length > 0
    },
  }
}

const keyOf = (touched: Touched): number | string =>
  touched.kind === 'program' ? `${touched.projectId}/${touched.programId}` : touched.key
