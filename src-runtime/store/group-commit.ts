// Puts commits that are requested close together into one transaction, so that they share one flush to the disk. Each
// caller's promise settles after it. This module decides when to commit; shared-transaction.ts commits.

import { createSharedTransaction, type Job, type Plan, type TransactionOptions } from './shared-transaction.ts'
import { StoreClosedError } from '../shared/store-errors.ts'

export type GroupCommit = {
  readonly commit: <Result>(plan: Plan<Result>) => Promise<Result>
  /** Commits the transaction that is held open, because a reader must not see writes that may still be undone. */
  readonly settle: () => void
  /** Settles when all requested commits have settled; later ones reject with StoreClosedError. */
  readonly close: () => Promise<void>
}

/**
 * While each turn of the event loop adds callers, the commit waits, up to this time. Without it, ten sequential steps
 * of one caller take a fifth more flushes. A single caller waits for one turn of the loop, some microseconds.
 */
const GATHER_MS = 3

/**
 * Callers often commit again at once. So a commit waits for half as many callers as shared the last one: at most
 * `MOST_AWAITED` callers, for one millisecond each, at most `LONGEST_WAIT_MS`. Without it, 64 callers who start
 * Executions write a tenth to a quarter more bytes, because each commit rewrites the last page of every table. Waiting
 * for all of them saves another fifth of the flushes, and costs 32 callers of ten steps a seventh of their throughput.
 */
const MOST_AWAITED = 64
const LONGEST_WAIT_MS = 12

/**
 * When the write of a single caller starts work that runs ahead of its commit, the store keeps the transaction open
 * this long, so that the result shares the flush. Nearly every result comes in time. Without it, a short Execution
 * takes 2 flushes, not 1.2.
 */
const HELD_MS = 1

export const createGroupCommit = (options: TransactionOptions): GroupCommit => {
  const transaction = createSharedTransaction(options)
  let queue: Job[] = []
  let scheduled = false
  /** The queue's length at the last check, and until when to wait for more. */
  let gathered = 0
  let gatherUntil = 0
  /** Half of the others that shared the last commit. */
  let expected = 0
  let waiting: ReturnType<typeof setTimeout> | undefined
  let holding: ReturnType<typeof setTimeout> | undefined
  let closed: Promise<void> | undefined
  let onDrained: (() => void) | undefined

  const wait = () => {
    if (transaction.isHeld) return queueMicrotask(settle)
    if (queue.length >= Math.min(expected, MOST_AWAITED)) return schedule()
    waiting ??= setTimeout(schedule, Math.min(expected, LONGEST_WAIT_MS))
  }

  const schedule = () => {
    clearTimeout(waiting)
    waiting = undefined
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
    expected = Math.ceil((jobs.length - 1) / 2)
    const left = transaction.take(jobs)
    if (transaction.isHeld) holding = setTimeout(settle, HELD_MS)
    if (left.length > 0) queue = left.concat(queue)
    if (queue.length > 0) schedule()
    else if (!transaction.isHeld) onDrained?.()
  }

  return {
    commit: <Result>(plan: Plan<Result>) =>
      new Promise<Result>((resolve, reject) => {
        if (closed !== undefined) return reject(new StoreClosedError('the store is closed'))
        queue.push({ plan, resolve: (result) => resolve(result as Result), reject })
        wait()
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
