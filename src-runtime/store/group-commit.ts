// One transaction for everything that wants to commit while the event loop brings more of it: one flush to the disk is
// shared by all of them, and each caller's promise settles after it. Here is decided when; shared-transaction.ts does it.

import { createSharedTransaction, type Job, type Plan, type TransactionOptions } from './shared-transaction.ts'
import { StoreClosedError } from './store.ts'

export type GroupCommit = {
  /**
   * `others`: about how many more will soon ask for a commit, whatever becomes of this one. It waits for half of them; who
   * does not know waits for as many as there were the last time.
   */
  readonly commit: <Result>(plan: Plan<Result>, others?: number) => Promise<Result>
  /** What is written and held open becomes durable now: whoever reads must see nothing that may still be undone. */
  readonly settle: () => void
  /** Settles when everything that was asked for is settled; later commits reject with StoreClosedError. */
  readonly close: () => Promise<void>
}

/**
 * A commit waits while every turn of the event loop brings more to be committed, but no longer than this: twice the
 * callers to a commit is nearly half the bytes, since each rewrites the last page of every table. Who is alone waits for
 * one turn of the loop, some microseconds.
 */
const GATHER_MS = 3

/**
 * Others are awaited, but not more than these, and for a millisecond each but no longer than that. With 32 callers who
 * start Executions that is a third less to write, at the same throughput.
 */
const MOST_AWAITED = 64
const PATIENCE_MS = 12

/**
 * Who is alone and began something that runs ahead has its transaction held open for what comes of that, so that both
 * share a flush: nearly always it comes within this.
 */
const HELD_MS = 1

export const createGroupCommit = (options: TransactionOptions): GroupCommit => {
  const transaction = createSharedTransaction(options)
  let queue: Job[] = []
  let scheduled = false
  /** How many there were at the last look, and until when to go on looking. */
  let gathered = 0
  let gatherUntil = 0
  /** How many others came with the last commit: callers come back. */
  let company = 0
  let patience: ReturnType<typeof setTimeout> | undefined
  let holding: ReturnType<typeof setTimeout> | undefined
  let closed: Promise<void> | undefined
  let onDrained: (() => void) | undefined

  const wait = (others: number | undefined) => {
    if (transaction.isHeld) return queueMicrotask(settle)
    const awaited = others === undefined ? company : Math.ceil(others / 2)
    if (queue.length >= Math.min(awaited, MOST_AWAITED)) return schedule()
    patience ??= setTimeout(schedule, Math.min(awaited, PATIENCE_MS))
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
    if (transaction.isHeld) flush()
  }

  const flush = () => {
    scheduled = false
    clearTimeout(holding)
    const jobs = queue
    queue = []
    if (jobs.length === 0 && !transaction.isHeld) return
    company = Math.max(jobs.length - 1, 0)
    const left = transaction.take(jobs)
    if (transaction.isHeld) holding = setTimeout(settle, HELD_MS)
    if (left.length > 0) queue = left.concat(queue)
    if (queue.length > 0) schedule()
    else if (!transaction.isHeld) onDrained?.()
  }

  return {
    commit: <Result>(plan: Plan<Result>, others?: number) =>
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
