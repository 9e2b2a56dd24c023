// Says why a bulk action was not started. Pure.

import { EARLIER_ACCESS, failureOf, titleOf, untitledWordsOf, wordsOf } from '../api/failures.ts'

const ADVICE = 'It may be under way all the same: look at the Executions before you try again.'

/** undefined if nobody is told. `nothing`: such as `Nothing was deleted`. `isSent`: whether the failed request was the one that starts it. */
export const bulkRefusal = (
  nothing: string,
  error: unknown,
  isSent: boolean,
): { readonly title: string; readonly message: string } | undefined => {
  const failure = failureOf(error)
  if (failure.code === EARLIER_ACCESS) return undefined
  if (failure.kind === 'unsupported') return { title: nothing, message: 'This server has no bulk actions' }
  if (!isSent) return { title: nothing, message: untitledWordsOf(failure, 'Try again.') }
  return { title: titleOf(failure, nothing), message: wordsOf(failure, ADVICE) }
}
