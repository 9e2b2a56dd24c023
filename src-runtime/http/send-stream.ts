// Server-sent events.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../contract/errors.ts'
import type { EventStream } from '../contract/operations.ts'
import { STREAM_HEADERS } from './headers.ts'

/** Calls back when the caller may read no more; not after the function that it returns was called. */
export type OnRevoked = (listener: () => void) => () => void

/** The server closes the connection of a reader that reads nothing for long; it can resume with its last event id. */
export const sendStream = (
  request: FastifyRequest,
  reply: FastifyReply,
  stream: EventStream,
  onRevoked: OnRevoked,
): void => {
  // The caller left before the stream was there: nothing would tell that it has.
  if (reply.raw.destroyed) return void reply.hijack()
  // It would only be read after the answers before it, which may be held. Node gives a response its socket when they are sent.
  if (reply.raw.socket === null) {
    throw new ApiError('rate_limited', 'This connection waits for another answer: open a connection for each stream.', {
      'retry-after': '1',
    })
  }
  reply.hijack()
  const response = reply.raw
  for (const [name, value] of Object.entries(reply.getHeaders())) response.setHeader(name, value ?? '')
  response.writeHead(200, STREAM_HEADERS)
  if (request.method === 'HEAD') {
    response.end()
    return
  }
  const endWatch = onRevoked(() => void response.end())
  const leave = stream({
    isReady: () => !response.destroyed && !response.writableEnded && !response.writableNeedDrain,
    write: (text) => void response.write(text),
    onDrained: (listener) => void response.once('drain', listener),
    end: () => void response.end(),
  })
  response.once('close', () => {
    endWatch()
    leave()
  })
}
