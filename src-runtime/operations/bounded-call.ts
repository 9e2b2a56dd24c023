// Runs untrusted work, such as an artifact's regular expression, within a time limit. V8 enforces the limit: it ends
// loops, recursion and backtracking, and the work cannot catch that.

import { closeSync, openSync } from 'node:fs'
import { devNull } from 'node:os'
import { createContext, Script } from 'node:vm'
import { ApiError } from '../contract/errors.ts'

export type BoundedOutcome<Value> = { readonly kind: 'done'; readonly value: Value } | { readonly kind: 'too_slow' }

const nothing = () => undefined
const context: { work: () => unknown } = { work: nothing }
createContext(context)
const script = new Script('work()')

/**
 * V8 measures wall-clock time. Work that got less than this share of a processor was not slow, and runs again for
 * longer.
 */
const FAIR_SHARE = 0.5
const RETRY_FACTOR = 4

/** More than the 5 that the thread takes with which Node enforces the limit. Without them, Node ends the whole process. */
const DESCRIPTORS = 8

/**
 * `work` may run twice, and may be ended at any point: it must have no side effects. Throws an ApiError if the process has
 * too few file descriptors left.
 */
export const boundedCall = <Value>(timeoutMs: number, work: () => Value): BoundedOutcome<Value> => {
  const before = process.threadCpuUsage()
  const outcome = runFor(timeoutMs, work)
  if (outcome.kind === 'done') return outcome
  const { user, system } = process.threadCpuUsage(before)
  const wasStarved = (user + system) / 1_000 < timeoutMs * FAIR_SHARE
  return wasStarved ? runFor(timeoutMs * RETRY_FACTOR, work) : outcome
}

const runFor = <Value>(timeoutMs: number, work: () => Value): BoundedOutcome<Value> => {
  refuseWithoutDescriptors()
  context.work = work
  try {
    return { kind: 'done', value: script.runInContext(context, { timeout: timeoutMs }) as Value }
  } catch (error) {
    if (isTimeout(error)) return { kind: 'too_slow' }
    throw error
  } finally {
    context.work = nothing
  }
}

const refuseWithoutDescriptors = (): void => {
  const opened: number[] = []
  try {
    while (opened.length < DESCRIPTORS) opened.push(openSync(devNull, 'r'))
  } catch {
    throw new ApiError('unavailable', 'Too many files and connections are open.', { 'retry-after': '1' })
  } finally {
    for (const descriptor of opened) closeSync(descriptor)
  }
}

/** The error comes from another V8 context, so `instanceof Error` is false. */
const isTimeout = (error: unknown): boolean =>
  (error as { readonly code?: unknown } | null | undefined)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
