// One transaction for everything that wants to commit while the event loop brings more of it: one flush to the disk is
// shared by all of them, and each caller's promise settles after it.

import type Database from 'better-sqlite3'
import type { Logger } from 'pino'
import { concernsOneCaller, toStoreError } from './store-errors.ts'
import { StoreClosedError, StoreUnavailableError } from './store.ts'
import type { CommittedChange } from './store.ts'

/**
 * Reads and decides inside the transaction; what it wants written, it returns as a function. So a caller that throws
 * while deciding, or has nothing to write, costs no savepoint.
 */
export type Plan<Result> = () => { readonly result: Result } | { readonly write: () => Written<Result> }

export type Written<Result> = {
  readonly result: Result
  readonly touched?: Omit<CommittedChange, 'at'>
  /** Begins what may run ahead of the commit. Called when everybody's writes are written; must undo itself if they fail. */
  readonly ahead?: () => void
}

export type GroupCommit = {
  /** `others`: about how many more will soon ask for a commit, whatever becomes of this one. It waits for some of them. */
  readonly commit: <Result>(plan: Plan<Result>, others?: number) => Promise<Result>
  /** What is written and held open becomes durable now: whoever reads must see nothing that may still be undone. */
  readonly settle: () => void
  /** Settles when everything that was asked for is settled; later commits reject with StoreClosedError. */
  readonly close: () => Promise<void>
}

type Job = {
  readonly plan: Plan<unknown>
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

/** A job that ran in the open transaction, and what to tell its caller if that commits. */
type Ran = { readonly job: Job; readonly settle: () => void } & Pick<Written<unknown>, 'touched' | 'ahead'>

/**
 * A commit waits while every turn of the event loop brings more to be committed, but no longer than this: twice the
 * callers to a commit is nearly half the bytes, since each rewrites the last page of every table. Who is alone waits for
 * one turn of the loop, some microseconds.
 */
const GATHER_MS = 3

/**
 * Who knows that others come waits until half of them are there, but not for more than these, and a millisecond for each
 * but no longer than that. Nobody else is kept waiting by it.
 */
const MOST_AWAITED = 16
const PATIENCE_MS = 8

/**
 * Who is alone and began something that runs ahead has its transaction held open for what comes of that, so that both
 * share a flush: nearly always it comes within this.
 */
const HELD_MS = 1

/** A transaction takes no more callers after this long, so that it never holds up the event loop. */
const TRANSACTION_BUDGET_MS = 6

export const createGroupCommit = (options: {
  readonly db: Database.Database
  readonly now: () => number
  /** Everything of a transaction is written and its COMMIT comes next. */
  readonly onWritten?: (() => void) | undefined
  readonly onCommitted: (changes: readonly CommittedChange[]) => void
  /** Whatever was cached from inside the transaction is void. */
  readonly onRollback: () => void
  readonly log?: Logger | undefined
}): GroupCommit => {
  const { db } = options
  const begin = db.prepare('BEGIN IMMEDIATE')
  const commitAll = db.prepare('COMMIT')
  const rollback = db.prepare('ROLLBACK')
  const savepoint = db.prepare('SAVEPOINT caller')
  const release = db.prepare('RELEASE caller')
  const undo = db.prepare('ROLLBACK TO caller')

  let queue: Job[] = []
  let scheduled = false
  /** How many there were at the last look, and until when to go on looking. */
  let gathered = 0
  let gatherUntil = 0
  let patience: ReturnType<typeof setTimeout> | undefined
  /** Of the transaction that is held open. */
  let held: Ran[] | undefined
  let holding: ReturnType<typeof setTimeout> | undefined
  let closed: Promise<void> | undefined
  let onDrained: (() => void) | undefined

  const wait = (others: number) => {
    if (held !== undefined) return queueMicrotask(settle)
    if (queue.length >= Math.min(Math.ceil(others / 2), MOST_AWAITED)) return schedule()
    patience ??= setTimeout(schedule, Math.min(others, PATIENCE_MS))
  }

  const schedule = () => {
    clearTimeout(patience)
    patience = undefined
    if (scheduled) return
    scheduled = true
    gathered = 0
    gatherUntil = performance.now() + GATHER_MS
    setImmediate(gather)
  }

  const gather = () => {
    if (queue.length === gathered || performance.now() > gatherUntil) return flush()
    gathered = queue.length
    setImmediate(gather)
  }

  const settle = () => {
    if (held !== undefined) flush()
  }

  const flush = () => {
    scheduled = false
    clearTimeout(holding)
    const jobs = queue
    queue = []
    if (jobs.length === 0 && held === undefined) return
    const left = transact(jobs)
    if (left.length > 0) queue = left.concat(queue)
    if (queue.length > 0) schedule()
    else if (held === undefined) onDrained?.()
  }

  /** Answers the jobs for which there was no time. */
  const transact = (jobs: Job[]): Job[] => {
    const wasHeld = held !== undefined
    const ran: Ran[] = held ?? []
    const before = ran.map(({ job }) => job)
    held = undefined
    const deadline = performance.now() + TRANSACTION_BUDGET_MS
    let taken = 0
    try {
      if (!wasHeld) begin.run()
      else if (!db.inTransaction) throw new Error('the transaction did not stay open')
      while (taken < jobs.length && (taken === 0 || performance.now() < deadline)) ran.push(run(jobs[taken++]!))
      const began = runAhead(ran.slice(before.length))
      if (began && !wasHeld && jobs.length === 1 && db.inTransaction) {
        held = ran
        holding = setTimeout(settle, HELD_MS)
        return []
      }
      commitAll.run()
    } catch (error) {
      // Without a transaction (BEGIN failed) nobody behind would fare better.
      abandon([...before, ...(taken === 0 ? jobs : jobs.slice(0, taken))], error)
      return taken === 0 ? [] : jobs.slice(taken)
    }
    // Somebody was to hear of the one before the other, had they not shared a flush.
    publish(ran.slice(0, before.length))
    publish(ran.slice(before.length))
    for (const { settle } of ran) settle()
    return jobs.slice(taken)
  }

  /** Throws only what makes the whole transaction impossible. */
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

  /** Whether anything began. */
  const runAhead = (ran: readonly Ran[]): boolean => {
    const begins = ran.flatMap(({ ahead }) => ahead ?? [])
    for (const begin of [...begins, options.onWritten]) {
      try {
        begin?.()
      } catch (error) {
        options.log?.error({ err: error }, 'what should run ahead of a commit threw')
      }
    }
    return begins.length > 0
  }

  const abandon = (jobs: readonly Job[], error: unknown) => {
    try {
      // A full disk and I/O errors may have rolled everything back already.
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
    options.log?.error({ err: storeError, callers: jobs.length }, 'a transaction was rolled back')
    for (const job of jobs) job.reject(storeError)
  }

  const publish = (ran: readonly Ran[]) => {
    const at = options.now()
    const touched = new Map<number, CommittedChange>()
    for (const one of ran) {
      if (one.touched === undefined) continue
      // Deleted first, so that an Execution stands where it was touched last.
      touched.delete(one.touched.key)
      touched.set(one.touched.key, { ...one.touched, at })
    }
    if (touched.size === 0) return
    try {
      options.onCommitted([...touched.values()])
    } catch (error) {
      // The writes are durable, whatever the listener does.
      options.log?.error({ err: error }, 'a listener to committed changes threw')
    }
  }

  return {
    commit: <Result>(plan: Plan<Result>, others = 0) =>
      new Promise<Result>((resolve, reject) => {
        if (closed !== undefined) return reject(new StoreClosedError('the store is closed'))
        queue.push({ plan, resolve: (result) => resolve(result as Result), reject })
        wait(others)
      }),
    settle,
    close: () =>
      (closed ??= new Promise((resolve) => {
        settle()
        if (queue.length === 0) return resolve()
        onDrained = resolve
      })),
  }
}
