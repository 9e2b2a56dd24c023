// Evaluates the definitions of single modules. What takes long is evaluated in the background, so that saves of other
// modules do not wait for it.

import { within } from '../shared/within.ts'
import type { Evaluation, Evaluator } from './evaluator.ts'

export type LateEvaluations = {
  /** Whether the last evaluation of a module is late, or has ended since and was not asked for. */
  isLate(key: string): boolean
  /** `late`: it is not known yet. The same code is asked for again after `onEnded`; other code ends the evaluation. */
  evaluate(key: string, code: string): Promise<Evaluation | { readonly kind: 'late' }>
}

/** How long others wait for an evaluation. */
export const WAITED_FOR_MS = 3_000

/** `onEnded` is called when one that was late has ended; without it, all are waited for. */
export const createLateEvaluations = (evaluator: Evaluator, onEnded: (() => void) | undefined): LateEvaluations => {
  type Late = { readonly code: string; readonly controller: AbortController; ended?: Evaluation }
  const late = new Map<string, Late>()

  return {
    isLate: (key) => late.has(key),
    evaluate: async (key, code) => {
      const known = late.get(key)
      if (known?.code === code && known.ended === undefined) return { kind: 'late' }
      late.delete(key)
      if (known?.code === code && known.ended !== undefined) return known.ended
      known?.controller.abort()
      if (onEnded === undefined) return evaluator.evaluate(code)
      const own: Late = { code, controller: new AbortController() }
      const evaluating = evaluator.evaluate(code, own.controller.signal)
      const soon = await within(WAITED_FOR_MS, evaluating)
      if (soon !== undefined) return soon
      late.set(key, own)
      const end = (evaluation: Evaluation | undefined): void => {
        if (late.get(key) !== own) return
        if (evaluation === undefined) late.delete(key)
        else own.ended = evaluation
        onEnded()
      }
      // The system may start no process for it; then the next scan tries again.
      evaluating.then(end, () => end(undefined))
      return { kind: 'late' }
    },
  }
}
