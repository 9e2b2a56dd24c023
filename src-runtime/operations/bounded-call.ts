// Runs foreign-made work, such as a regular expression that came with an artifact, for so long and no longer. The time
// is V8's to keep: it ends loops, recursion and backtracking alike, and nothing in between can catch it.

import { createContext, Script } from 'node:vm'

export type BoundedCall = <Value>(
  work: () => Value,
) => { readonly kind: 'done'; readonly value: Value } | { readonly kind: 'too_slow' }

export const createBoundedCall = (timeoutMs: number): BoundedCall => {
  const context: { work: () => unknown } = { work: () => undefined }
  createContext(context)
  const script = new Script('work()')
  return <Value>(work: () => Value) => {
    context.work = work
    try {
      return { kind: 'done', value: script.runInContext(context, { timeout: timeoutMs }) as Value }
    } catch (error) {
      if (isTimeout(error)) return { kind: 'too_slow' }
      throw error
    } finally {
      context.work = () => undefined
    }
  }
}

const isTimeout = (error: unknown): boolean =>
  error instanceof Error && (error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
