// How much memory the answers on one connection to a local runtime may take until the caller has read them. Further reads on it
// wait. Otherwise a few callers that send many requests and do not read could take all memory.

import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { ApiError } from '../contract/errors.ts'
import { createFairPlaces, unlessAborted, unlessEither, type EndsWait, type FairPlaces } from '../shared/fair-places.ts'
import type { RequestRoom } from './request-room.ts'

const MOST_BYTES = 2 * 1024 ** 2
/** An answer of which nothing is read keeps its memory this long. */
const SILENCE_MS = 30_000
const KEY = 'answers'

export const createAnswerMemory = (silenceMs = SILENCE_MS): RequestRoom<unknown> => {
  const connections = new WeakMap<Socket, FairPlaces>()
  const answersOn = ({ req: { socket } }: ServerResponse): FairPlaces => {
    const known = connections.get(socket) ?? createFairPlaces(MOST_BYTES, () => MOST_BYTES)
    connections.set(socket, known)
    return known
  }
  return {
    take: async (_who, { bytes, isRead }, gone, response) => {
      if (!isRead) return () => {}
      const answers = answersOn(response)
      try {
        return await answers.take(KEY, unlessEither(unlessAborted(gone), unlessNext(response)), bytes)
      } catch {
        return gone.aborted ? new ApiError('unavailable', 'The caller is gone.') : answers.occupy(KEY, bytes)
      }
    },
    turn: () => Promise.resolve(),
    occupy: (_who, bytes, response) => answersOn(response).occupy(KEY, bytes),
    silenceMs,
  }
}

/** What is sent next does not wait: answers behind it, which are sent after it, may have all memory. */
const unlessNext =
  (response: ServerResponse): EndsWait =>
  (reject) => {
    const onSocket = (): void => reject(new Error('it is sent next'))
    if (response.socket !== null) onSocket()
    response.once('socket', onSocket)
    return () => response.off('socket', onSocket)
  }
