// Bounds the memory that requests take in this process: their bodies until they are answered, and answers until they are
// sent. A home that serves many callers gives the bound.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ApiError } from '../contract/errors.ts'
import { BODY_LIMIT_BYTES, VALUE_LIMIT_BYTES } from '../contract/limits.ts'

export type RequestRoom<Who> = {
  /** Waits for this many bytes, until `gone` aborts. The error is the answer when there are none in time. */
  take(who: Who, bytes: number, gone: AbortSignal): Promise<(() => void) | ApiError>
  /** Takes them whether or not they are free. */
  occupy(who: Who, bytes: number): () => void
}

/** The part of the room that one request has. */
export type OwnRoom = {
  /** The answer waits for something: until it is known, the request needs what its body takes. */
  hold(): void
  /** The answer is known, and is sent now. */
  answer(bytes: number): void
}

/** What a request that reads may have to be answered with; a longer answer is counted once it is known. */
const READ_BYTES = VALUE_LIMIT_BYTES

/** Settles when the request may go on. Its room is given back when it has been answered, or its caller is gone. */
export const takeRoom = async <Who>(
  room: RequestRoom<Who>,
  who: Who,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<OwnRoom | ApiError> => {
  const gone = new AbortController()
  let give = (): void => {}
  const over = (): void => {
    gone.abort(new Error('the caller is gone'))
    give()
    give = () => {}
  }
  reply.raw.once('close', over)
  if (reply.raw.destroyed) over()
  const bytes = bytesOf(request)
  const taken = await room.take(who, bytes.body + bytes.answer, gone.signal)
  if (typeof taken !== 'function') return taken
  give = taken
  if (gone.signal.aborted) over()
  const change = (bytesNow: number): void => {
    if (gone.signal.aborted) return
    const before = give
    give = room.occupy(who, bytesNow)
    before()
  }
  return {
    hold: () => change(bytes.body),
    answer: (length) => change(bytes.body + length),
  }
}

const bytesOf = ({
  method,
  headers,
  routeOptions,
}: FastifyRequest): { readonly body: number; readonly answer: number } => {
  const length = headers['content-length']
  const most = routeOptions.bodyLimit ?? BODY_LIMIT_BYTES
  // One that comes in chunks may have any length. A longer one is refused before it is read.
  const sent = length === undefined ? (headers['transfer-encoding'] === undefined ? 0 : most) : Number(length)
  return { body: sent > most ? 0 : sent, answer: method === 'GET' ? READ_BYTES : 0 }
}
