// Says why a Trigger did not fire, or that nobody knows whether it did: firing once more would start another Execution. Pure.

import { failureOf, isWithoutAnswer, titleOf, wordsOf } from '../../api/failures.ts'
import { mayHaveBeenSaved } from './save-refusal.ts'

export type FireRefusal = { readonly title: string; readonly message: string; readonly code: string }

export const fireRefusal = (error: unknown): FireRefusal => {
  const failure = failureOf(error)
  const { code, message } = failure
  if (!mayHaveBeenSaved(error)) return { title: 'Nothing was started', message, code }
  const advice = 'It may have fired all the same: look at its last firings before you try again.'
  const words = isWithoutAnswer(failure) ? wordsOf(failure, advice) : `${message} ${advice}`
  return { title: titleOf(failure, 'The Trigger may have fired'), message: words, code }
}
