// The bulks of one process, in the background: a few Executions at a time, of each bulk in turn, so that neither other
// callers nor small bulks are delayed. Each action is durable; the progress of a bulk is in memory only.

import { ApiError } from '../contract/errors.ts'
import type { Bulk } from '../contract/inspection-models.ts'
import type { BulkStarted } from '../ports/bulks.ts'
import { pause } from '../shared/pause.ts'
import { isAnsweredUnavailable, isBusy, isUnavailable } from './is-unavailable.ts'

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
const TRY_AGAIN_MS = 250
const MOST_UNFINISHED = 20
const MOST_KEPT = 200

type Entry = { bulk: Bulk }
/** Not part of the entry, which is kept once the bulk has ended: a step may hold as many ids as matched. */
type Waiting = { readonly entry: Entry; readonly step: BulkStep }

export const createBulkRuns = (onError: (error: unknown) => void): BulkRuns => {
  const all = new Map<string, Entry>()
  /** In the order of their turns. */
  const queue: Waiting[] = []
  let isWorking = false
  let work = Promise.resolve()

  const runOne = async (entry: Entry, step: BulkStep, index: number): Promise<void> => {
    let isDone = false
    try {
      isDone = await step(index)
    } catch (error) {
      if ((isBusy(error) || isAnsweredUnavailable(error)) && isRunning(entry)) {
        await pause(TRY_AGAIN_MS)
        return runOne(entry, step, index)
      }
      if (isUnavailable(error)) stopOf(entry)
      else if (!(error instanceof ApiError)) onError(error)
    }
    const { done, failed } = entry.bulk
    entry.bulk = isDone ? { ...entry.bulk, done: done + 1 } : { ...entry.bulk, failed: failed + 1 }
  }

  const runSome = async (waiting: Waiting): Promise<void> => {
    const { entry, step } = waiting
    if (!isRunning(entry)) return
    const { matched, done, failed } = entry.bulk
    const from = done + failed
    const indexes = Array.from({ length: Math.min(AT_ONCE, matched - from) }, (_, offset) => from + offset)
    await Promise.all(indexes.map((index) => runOne(entry, step, index)))
    if (!isRunning(entry)) return
    if (from + indexes.length < matched) queue.push(waiting)
    else entry.bulk = { ...entry.bulk, status: 'done' }
  }

  const runAll = async (): Promise<void> => {
    isWorking = true
    while (queue.length > 0) {
      await new Promise((resolve) => setImmediate(resolve))
      const next = queue.shift()
      if (next !== undefined) await runSome(next)
    }
    isWorking = false
  }

  const isRunning = ({ bulk }: Entry): boolean => bulk.status === 'running'

  const stopOf = (entry: Entry): void => {
    if (isRunning(entry)) entry.bulk = { ...entry.bulk, status: 'stopped' }
  }

  /** Drops the oldest bulks that have ended. */
  const forget = (): void => {
    for (const [id, entry] of all) {
      if (all.size <= MOST_KEPT) return
      if (!isRunning(entry)) all.delete(id)
    }
  }

  return {
    start: ({ id, action, matched, step }) => {
      if ([...all.values()].filter(isRunning).length >= MOST_UNFINISHED) return { kind: 'too_many_under_way' }
      const status = matched === 0 ? 'done' : 'running'
      const entry: Entry = { bulk: { id, action, status, matched, done: 0, failed: 0 } }
      all.set(id, entry)
      forget()
      if (isRunning(entry)) queue.push({ entry, step })
      if (!isWorking) work = runAll()
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
