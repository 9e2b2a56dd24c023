// What filters of lists mean, in the stores of both homes.

import type { Status } from '../engine/journal.ts'
import type { ExecutionFilter } from '../ports/overview.ts'
import { ALL_STATUSES } from './row-codes.ts'

/** A longer wait for the same event needs attention. */
export const STALE_AFTER_MS = 60 * 60 * 1000

const ENDED: readonly Status[] = ['completed', 'failed', 'cancelled']
const AWAITING: readonly Status[] = ['running', 'waiting', 'cancelling']
const IN_NEED: readonly Status[] = ['failed', 'waiting']

/** Those of the filter's statuses that are possible with the rest of it. */
export const possibleStatuses = (filter: ExecutionFilter): readonly Status[] => {
  const hasEnded = filter.finishedAfter !== undefined || filter.finishedBefore !== undefined
  const waits = filter.waitingKind !== undefined || filter.waitingName !== undefined
  return ALL_STATUSES.filter(
    (status) =>
      (filter.statuses ?? ALL_STATUSES).includes(status) &&
      (!hasEnded || ENDED.includes(status)) &&
      (!waits || AWAITING.includes(status)) &&
      (filter.errorFingerprint === undefined || status === 'failed') &&
      (filter.needsAttention !== true || IN_NEED.includes(status)),
  )
}

/** ASCII letters only. For messages and labels, and for the texts that are looked for in them. */
export const inLowerCase = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())

/** Of an error's message. The rest is not searched, so that a failing Program cannot fill the index. */
export const SEARCHED_CHARACTERS = 4_096

/** How many parts of a text are looked up in the index. The rarest one decides the speed, so more do not help. */
export const PARTS_ASKED = 12
