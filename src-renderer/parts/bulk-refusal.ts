// Says why a bulk action was not started. Pure.

import { type Failure, titleOf, untitledWordsOf, wordsOf } from '../api/failures.ts'

const ADVICE = 'It may be under way all the same: look at the Executions before you try again.'

/** `nothing`: such as `Nothing was deleted`. `isSent`: whether the failed request was the one that starts it. */
export const bulkRefusal = (
  nothing: string,
  failure: Failure,
  isSent: boolean,
): { readonly title: string; readonly detail: string } => {
  if (failure.kind === 'unsupported') return { title: nothing, detail: 'This server has no bulk actions' }
  if (!isSent) return { title: nothing, detail: untitledWordsOf(failure, 'Try again.') }
  return { title: titleOf(failure, nothing), detail: wordsOf(failure, ADVICE) }
}
