// The bulks of one process, in the background: a few Executions at a time, one bulk after the other, so that other
// callers are not delayed. Each action is durable; the progress of a bulk is in memory only.

import { ApiError } from '../contract/errors.ts'
import type { Bulk } from '../contract/inspection-models.ts'
import type { BulkStarted } from '../ports/bulks.ts'
import { isUnavailable } from './is-unavailable.ts'

/** Acts on one Execution. Returns whether that was possible; may also throw an ApiError when it was not. */
export type BulkStep = (index: number) => Promise<boolean>

export type BulkRuns = {
  start(run: {
    readonly id: string
    readonly action: Bulk['action']
    readonly matched: number
    readonly step: BulkStep
  }): Exclude<BulkStarted, { kind: 'too_many_matched' }>
  get(id: string): Bulk | undefined
  stop(id: string): Bulk | undefined
  /** Stops all bulks. Settles when no action is running. */
  close(): Promise<void>
}

const AT_ONCE = 32
const MOST_RUNNING = 20
const MOST_KEPT = 200

type Entry = { bulk: Bulk }

export const createBulkRuns = (onError: (error: unknown) => void): BulkRuns => {
  const all = new Map<string, Entry>()
  let work = Promise.resolve()
  let running = 0

  const runOne = async (entry: Entry, step: BulkStep, index: number): Promise<void> => {
    let isDone = false
    try {
      isDone = await step(index)
    } catch (error) {
      if (isUnavailable(error)) stopOf(entry)
      else if (!(error instanceof ApiError)) onError(error)
    }
    const { done, failed } = entry.bulk
    entry.bulk = isDone ? { ...entry.bulk, done: done + 1 } : { ...entry.bulk, failed: failed + 1 }
  }

  const run = async (entry: Entry, step: BulkStep): Promise<void> => {
    const { matched } = entry.bulk
    for (let from = 0; from < matched && entry.bulk.status === 'running'; from += AT_ONCE) {
      const indexes = Array.from({ length: Math.min(AT_ONCE, matched - from) }, (_, offset) => from + offset)
      await Promise.all(indexes.map((index) => runOne(entry, step, index)))
      await new Promise((resolve) => setImmediate(resolve))
    }
    if (entry.bulk.status === 'running') entry.bulk = { ...entry.bulk, status: 'done' }
    running -= 1
  }

  const stopOf = (entry: Entry): void => {
    if (entry.bulk.status === 'running') entry.bulk = { ...entry.bulk, status: 'stopped' }
  }

  /** Drops the oldest bulks that have ended. */
  const forget = (): void => {
    for (const [id, { bulk }] of all) {
      if (all.size <= MOST_KEPT) return
      if (bulk.status !== 'running') all.delete(id)
    }
  }

  return {
    start: ({ id, action, matched, step }) => {
      if (running >= MOST_RUNNING) return { kind: 'too_many_under_way' }
      const entry: Entry = { bulk: { id, action, status: 'running', matched, done: 0, failed: 0 } }
      all.set(id, entry)
      forget()
      running += 1
      work = work.then(() => run(entry, step))
      return { kind: 'started', bulk: entry.bulk }
    },
    get: (id) => all.get(id)?.bulk,
    stop: (id) => {
      const entry = all.get(id)
      if (entry !== undefined) stopOf(entry)
      return entry?.bulk
    },
    close: () => {
      for (const entry of all.values()) stopOf(entry)
      return work
    },
  }
}
