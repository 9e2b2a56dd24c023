// Caches the payloads of recent events: most are delivered at once, and then need not be read from the journal. Its
// size is bounded.

import type { JsonText } from '../engine/journal.ts'

const MOST_LENGTH = 8 * 1024 * 1024
/** Longer payloads are not cached. */
const LONGEST = 256 * 1024

export type RecentPayloads = {
  keep(eventId: string, data: JsonText): void
  /** Returns the payload and removes it. */
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
