// Runs foreign-made work, such as a regular expression that came with an artifact, for so long and no longer. The time
// is V8's to keep: it ends loops, recursion and backtracking alike, and nothing in between can catch it.

import { createContext, Script } from 'node:vm'

export type BoundedOutcome<Value> = { readonly kind: 'done'; readonly value: Value } | { readonly kind: 'too_slow' }

const nothing = () => undefined
const context: { work: () => unknown } = { work: nothing }
createContext(context)
const script = new Script('work()')

export const boundedCall = <Value>(timeoutMs: number, work: () => Value): BoundedOutcome<Value> => {
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
