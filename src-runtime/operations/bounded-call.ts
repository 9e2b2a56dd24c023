// Runs foreign-made work, such as a regular expression that came with an artifact, for so long and no longer. The time
// is V8's to keep: it ends loops, recursion and backtracking alike, and nothing in between can catch it.

import { createContext, Script } from 'node:vm'

export type BoundedOutcome<Value> = { readonly kind: 'done'; readonly value: Value } | { readonly kind: 'too_slow' }

const nothing = () => undefined
const context: { work: () => unknown } = { work: nothing }
createContext(context)
const script = new Script('work()')

/** V8 keeps wall-clock time. Work that got less than its share of a processor was not slow, and gets a longer turn. */
const FAIR_SHARE = 0.5
const PATIENCE = 4

/** `work` may run twice, and is cut off in the middle: it must not leave anything behind that matters. */
export const boundedCall = <Value>(timeoutMs: number, work: () => Value): BoundedOutcome<Value> => {
  const before = process.threadCpuUsage()
  const outcome = runFor(timeoutMs, work)
  if (outcome.kind === 'done') return outcome
  const { user, system } = process.threadCpuUsage(before)
  const wasStarved = (user + system) / 1_000 < timeoutMs * FAIR_SHARE
  return wasStarved ? runFor(timeoutMs * PATIENCE, work) : outcome
}

const runFor = <Value>(timeoutMs: number, work: () => Value): BoundedOutcome<Value> => {
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

/** The error is made in the other context: it is no Error of ours. */
const isTimeout = (error: unknown): boolean =>
  (error as { readonly code?: unknown } | null | undefined)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
