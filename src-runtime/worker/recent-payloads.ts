// Caches the payloads of recent events: most are delivered at once, and then need not be read from the journal. Its
// size is bounded.

import type { JsonText } from '../engine/journal.ts'
import { createSizedMap } from '../shared/sized-map.ts'

const MOST_LENGTH = 8 * 1024 * 1024
/** Longer payloads are not cached. */
const LONGEST = 256 * 1024

export type RecentPayloads = {
  keep(eventId: string, data: JsonText): void
  /** Returns the payload and removes it. */
  take(eventId: string): JsonText | undefined
}

export const createRecentPayloads = (): RecentPayloads => {
  const payloads = createSizedMap<string, JsonText>(MOST_LENGTH, ({ length }) => length)
  return {
    keep: (eventId, data) => {
      if (data.length <= LONGEST) payloads.set(eventId, data)
    },
    take: payloads.take,
  }
}
