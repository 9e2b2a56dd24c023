import { EARLIER_ACCESS, type Failure, titleOf, wordsOf } from '../api/failures.ts'
import { notifyFault, type Place } from '../ui/toasts.tsx'

/**
 * `refused`: the title if the service refused it. `noAnswer`: what to do if nobody knows whether it was done. `place`: the
 * connection.
 */
export const notifyFailure = (failure: Failure, refused: string, noAnswer: string, place: Place): void => {
  if (failure.code !== EARLIER_ACCESS) notifyFault(titleOf(failure, refused), wordsOf(failure, noAnswer), place)
}

/** What to do if nobody knows whether a bulk action was stopped. */
export const STOP_AGAIN = 'It may go on: stop it again if it does.'
