// Bounds the memory that requests take in this process: large bodies until they are answered, and large answers until they
// are sent. A home that serves many callers gives the bound.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ServerResponse } from 'node:http'
import { ApiError } from '../contract/errors.ts'
import { BODY_LIMIT_BYTES, VALUE_LIMIT_BYTES } from '../contract/limits.ts'

/** What a request waits for before its body is read. */
export type NeededRoom = {
  /** More than 0. */
  readonly bytes: number
  /** It has no body: the bytes are for its answer. */
  readonly isRead: boolean
}

export type RequestRoom<Who> = {
  /**
   * Takes them, and waits for that until `gone` aborts where they are not free. The error is the answer when there are none
   * in time. Call the function once.
   */
  take(who: Who, needed: NeededRoom, gone: AbortSignal): Promise<Taken | ApiError>
  /** Takes them for an answer, whether or not they are free. */
  occupy(who: Who, bytes: number): Taken
  /** Takes them for a request whose answer is held, with its body, or for a stream; `undefined` where these take too much already. */
  hold(who: Who, bytes: number): Taken | undefined
  /** Settles when it is its turn to have a large body worked on, which takes the process a while. */
  turn(who: Who): Promise<void>
}

type Taken = () => void

/** The part of the room that one request has. */
export type OwnRoom = {
  /** To be awaited before its body is parsed. Absent where it has none that is large. */
  readonly turn?: () => Promise<void>
  /** The answer waits for something, or never ends: meanwhile the request needs no room for it. False: there is no room for what it needs. */
  hold(what: keyof typeof HELD_BYTES): boolean
  /** The answer was held, and is to be read: takes room for it. The error says that there was none in time. */
  resume(): Promise<ApiError | undefined>
  /** The answer is known, and is sent now, in UTF-8. */
  answer(text: string): void
}

/** How many bytes one UTF-16 unit can take in UTF-8. */
const BYTES_PER_UNIT = 3
/** Bodies up to this length are not counted, nor answers that are sent at once. */
const SMALL_BYTES = 64 * 1024
/**
 * What a request takes while its answer is held, or a stream, beside its body. For a stream that nobody reads, the system keeps ten times
 * as much.
 */
const HELD_BYTES = { answer: 8 * 1024, stream: 64 * 1024 } as const
/** What a request that reads may have to be answered with; a longer answer is counted once it is known. */
const readOf = (bytes = VALUE_LIMIT_BYTES): NeededRoom => ({ bytes, isRead: true })

/** The request may go on with the result. Its room is given back when it has been answered, or its caller is gone. */
export const takeRoom = <Who>(
  room: RequestRoom<Who>,
  who: Who,
  request: FastifyRequest,
  reply: FastifyReply,
): OwnRoom | Promise<OwnRoom | ApiError> => {
  const needed = neededBy(request)
  const ownWith = (taken: Taken | undefined): OwnRoom => ownRoom(room, who, { request, reply }, taken)
  if (needed === undefined) return ownWith(undefined)
  const turn = needed.isRead ? {} : { turn: () => room.turn(who) }
  const own = (taken: Taken | ApiError): OwnRoom | ApiError => {
    if (typeof taken !== 'function') return taken
    if (!request.raw.socket.destroyed) return { ...ownWith(taken), ...turn }
    // Of requests that waited one behind another, only the first has heard that the connection is closed.
    taken()
    return new ApiError('unavailable', 'The caller is gone.')
  }
  return takeWhileThere(room, who, reply.raw, needed).then(own)
}

/** Waits no longer than the caller does. */
const takeWhileThere = async <Who>(
  room: RequestRoom<Who>,
  who: Who,
  response: ServerResponse,
  needed: NeededRoom,
): Promise<Taken | ApiError> => {
  const gone = new AbortController()
  const onClose = (): void => gone.abort(new Error('the caller is gone'))
  if (response.destroyed) onClose()
  response.once('close', onClose)
  const taken = await room.take(who, needed, gone.signal)
  response.off('close', onClose)
  return taken
}

const ownRoom = <Who>(
  room: RequestRoom<Who>,
  who: Who,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  taken: Taken | undefined,
): OwnRoom => {
  const response = reply.raw
  let give = taken
  const change = (next: Taken | undefined): void => {
    const before = give
    give = next
    before?.()
  }
  const over = (): void => change(undefined)
  response.once('close', over)
  if (response.destroyed) over()
  return {
    hold: (what) => {
      if (response.destroyed) return true
      const held = room.hold(who, HELD_BYTES[what] + bodyBytes(request))
      if (held === undefined) return false
      change(held)
      return true
    },
    resume: async () => {
      const answer = await takeWhileThere(room, who, response, readOf())
      if (answer instanceof ApiError) return answer
      if (response.destroyed) answer()
      else {
        const body = give
        give = () => {
          body?.()
          answer()
        }
      }
      return undefined
    },
    answer: (text) => {
      const { socket } = response
      const isQueued = socket === null || socket.writableNeedDrain
      const uncounted = isQueued ? 0 : SMALL_BYTES
      const mayCount = text.length * BYTES_PER_UNIT > uncounted && !response.destroyed
      const bytes = mayCount ? Buffer.byteLength(text) : 0
      change(bytes > uncounted ? room.occupy(who, bytes) : undefined)
    },
  }
}

const neededBy = (request: FastifyRequest): NeededRoom | undefined => {
  if (request.method === 'GET' || request.method === 'HEAD') return readOf(request.routeOptions.config.answerBytes)
  return isBodyLarge(request) ? { bytes: bodyBytes(request), isRead: false } : undefined
}

export const isBodyLarge = (request: FastifyRequest): boolean => bodyBytes(request) > SMALL_BYTES

const bodyBytes = ({ headers, routeOptions }: FastifyRequest): number => {
  const length = headers['content-length']
  const most = routeOptions.bodyLimit ?? BODY_LIMIT_BYTES
  // One that comes in chunks may have any length. A longer one is refused before it is read.
  const sent = length === undefined ? (headers['transfer-encoding'] === undefined ? 0 : most) : Number(length)
  return sent > most ? 0 : sent
}
