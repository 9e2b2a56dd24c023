// Answers a request whose body has not arrived whole.

import type { IncomingMessage } from 'node:http'
import type { FastifyReply } from 'fastify'

/** For how long a caller may send nothing before its connection is closed. */
const LINGER_MS = 1_000
/** How long the server goes on reading what a caller sends after its answer. */
const MOST_LINGER_MS = 5_000

/** Whether its sender may still be sending the body. */
export const isArriving = ({ complete, destroyed, headers }: IncomingMessage): boolean =>
  !complete && !destroyed && (Number(headers['content-length']) > 0 || headers['transfer-encoding'] !== undefined)

/**
 * Sends the whole answer at once, but ends it only when the body has been read, or its sender goes on for long. Node closes a connection that is not
 * kept as soon as an answer ends; if bytes were unread then, a caller who is still sending would get a reset instead of the answer.
 */
export const answerEarly = (
  reply: FastifyReply,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string,
): void => {
  const { raw: response } = reply.headers(headers).hijack()
  const { raw: request } = reply.request
  response.statusCode = status
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) response.setHeader(name, value)
  response.setHeader('content-length', Buffer.byteLength(body))
  response.write(body)
  const until = performance.now() + MOST_LINGER_MS
  const linger = setTimeout(() => response.end(() => request.socket.destroySoon()), LINGER_MS)
  const end = () => {
    clearTimeout(linger)
    response.end()
  }
  request
    .on('data', () => void (performance.now() < until && linger.refresh()))
    .once('end', end)
    .once('close', end)
    .resume()
}
