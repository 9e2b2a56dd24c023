// How much memory the answers on one connection to a local runtime may take until the caller has read them. Further reads on it
// wait. Otherwise a few callers that send many requests and do not read could take all memory.

import type { Socket } from 'node:net'
import { ApiError } from '../contract/errors.ts'
import { createFairPlaces, unlessAborted, type FairPlaces } from '../shared/fair-places.ts'
import type { RequestRoom } from './request-room.ts'

const MOST_BYTES = 2 * 1024 ** 2
/** An answer of which nothing is read keeps its memory this long. */
const SILENCE_MS = 30_000
const KEY = 'answers'

export const createAnswerMemory = (silenceMs = SILENCE_MS): RequestRoom<unknown> => {
  const connections = new WeakMap<Socket, FairPlaces>()
  const answersOn = (connection: Socket): FairPlaces => {
    const known = connections.get(connection) ?? createFairPlaces(MOST_BYTES, () => MOST_BYTES)
    connections.set(connection, known)
    return known
  }
  return {
    take: async (_who, { bytes, isRead }, gone, connection) => {
      if (!isRead) return () => {}
      try {
        return await answersOn(connection).take(KEY, unlessAborted(gone), bytes)
      } catch {
        return new ApiError('unavailable', 'The caller is gone.')
      }
    },
    turn: () => Promise.resolve(),
    occupy: (_who, bytes, connection) => answersOn(connection).occupy(KEY, bytes),
    silenceMs,
  }
}
