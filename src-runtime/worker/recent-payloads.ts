// Payloads of events that came a moment ago: most are delivered at once, and are then not read from the disk again.
// Bounded in total; whatever is not here is in the journal.

import type { JsonText } from '../engine/journal.ts'

const MOST_LENGTH = 8 * 1024 * 1024
/** Longer ones are read again. */
const LONGEST = 256 * 1024

export type RecentPayloads = {
  keep(eventId: string, data: JsonText): void
  /** Answers it once. */
  take(eventId: string): JsonText | undefined
}

export const createRecentPayloads = (): RecentPayloads => {
  /** Oldest first. */
  const payloads = new Map<string, JsonText>()
  let length = 0

  const take = (eventId: string): JsonText | undefined => {
    const data = payloads.get(eventId)
    if (data === undefined) return undefined
    payloads.delete(eventId)
    length -= data.length
    return data
  }

  return {
    keep: (eventId, data) => {
      if (data.length > LONGEST) return
      payloads.set(eventId, data)
      length += data.length
      for (const oldest of payloads.keys()) {
        if (length <= MOST_LENGTH) return
        take(oldest)
      }
    },
    take,
  }
}
