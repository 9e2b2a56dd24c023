// Requests to this computer are sent directly: a proxy would look for the service on its own computer.

import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { isLoopback } from '../shared/is-loopback.ts'
import { createSendRequest, type SendRequest } from '../shared/send-request.ts'

/** Longer than an answer may be held, and than a stream of events is silent. */
export const SILENCE_LIMIT_MS = 100_000

/** `elsewhere` sends requests to other computers. */
export const createLoopbackSend = (elsewhere: SendRequest): SendRequest => {
  const agents = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) }
  const direct = createSendRequest({ ...agents, idleMs: SILENCE_LIMIT_MS })
  return (request) => (isLoopback(request.url.hostname) ? direct : elsewhere)(request)
}
