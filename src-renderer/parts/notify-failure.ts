import { EARLIER_ACCESS, type Failure, titleOf, wordsOf } from '../api/failures.ts'
import { notifyFault, type Place } from '../ui/toasts.tsx'
import { bulkRefusal } from './bulk-refusal.ts'

/**
 * `refused`: the title if the service refused it. `noAnswer`: what to do if nobody knows whether it was done. `place`: the
 * connection.
 */
export const notifyFailure = (failure: Failure, refused: string, noAnswer: string, place: Place): void =>
  tell(failure, { title: titleOf(failure, refused), detail: wordsOf(failure, noAnswer) }, place)

/** Of a bulk action that was not started. For `nothing` and `isSent` see `bulkRefusal`. */
export const notifyBulkFailure = (failure: Failure, nothing: string, isSent: boolean, place: Place): void =>
  tell(failure, bulkRefusal(nothing, failure, isSent), place)

type Words = { readonly title: string; readonly detail: string }

const tell = ({ code }: Failure, { title, detail }: Words, place: Place): void => {
  if (code !== EARLIER_ACCESS) notifyFault(title, { detail, place })
}

/** What to do if nobody knows whether a bulk action was stopped. */
export const STOP_AGAIN = 'It may go on: stop it again if it does.'
