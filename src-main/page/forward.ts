// Forwards the page's requests to the local runtime and streams the answers back: server-sent events arrive as they are
// sent, and a reader that cancels ends the request.

import { request as httpRequest, type Agent, type IncomingMessage } from 'node:http'
import { PassThrough, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Owner } from '../../src-runtime/identity/prove-identity.ts'
import { createProvenAgent } from './proven-agent.ts'
import { webStream } from './web-stream.ts'

/** `path` with its query. */
export type ForwardedRequest = Pick<Request, 'method' | 'headers' | 'body' | 'signal'> & { readonly path: string }

export type Forward = (request: ForwardedRequest) => Promise<Response>

/** `token`: the runtime's access token. */
export type Target = Owner & { readonly token?: string | undefined }

/** The forwarded headers: no Origin, Host, cookies or Sec-Fetch-*, because the runtime refuses other origins. */
const REQUEST_HEADERS = ['accept', 'content-type', 'idempotency-key', 'last-event-id', 'prefer', 'x-service-project-id']
/** Hop-by-hop headers. */
const HOP_HEADERS = new Set(['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'trailer'])
const WITHOUT_BODY = new Set([204, 205, 304])

/** `target` returns the runtime that requests may go to now; `onDoubt` is called when a request fails. */
export const createForward = (target: () => Target | undefined, onDoubt: () => void): Forward => {
  let connected: { readonly owner: Owner; readonly agent: Agent } | undefined

  const agentFor = (owner: Owner | undefined): Agent | undefined => {
    if (connected?.owner !== owner) {
      connected?.agent.destroy()
      connected = owner && { owner, agent: createProvenAgent(owner) }
    }
    return connected?.agent
  }

  return async (request) => {
    const owner = target()
    const agent = agentFor(owner)
    if (owner === undefined || agent === undefined) return unavailable('The runtime is not running.')
    try {
      return await exchange(request, owner, agent)
    } catch (error) {
      if (request.signal.aborted) throw error
      onDoubt()
      return unavailable('The runtime does not answer.')
    }
  }
}

const exchange = async (request: ForwardedRequest, target: Target, agent: Agent): Promise<Response> => {
  try {
    return await send(request, target, agent)
  } catch (error) {
    // The runtime had just closed a kept connection: it did nothing, and a read may be repeated.
    const mayRepeat = error instanceof ReusedConnectionError && (request.method === 'GET' || request.method === 'HEAD')
    if (!mayRepeat) throw error
    return send(request, target, agent)
  }
}

class ReusedConnectionError extends Error {}

const send = (request: ForwardedRequest, { port, token }: Target, agent: Agent): Promise<Response> =>
  new Promise((resolve, reject) => {
    const { method, path, body, signal } = request
    const outgoing = httpRequest({
      host: '127.0.0.1',
      port,
      method,
      path,
      headers: { ...crossing(request.headers), ...(token !== undefined && { authorization: `Bearer ${token}` }) },
      agent,
      signal,
    })
    outgoing.on('error', (error) => reject(outgoing.reusedSocket ? new ReusedConnectionError(error.message) : error))
    outgoing.on('response', (answer) => resolve(webResponse(answer, method)))
    if (body === null) outgoing.end()
    // The answer may come before the whole request was read; the rest is then ignored.
    else pipeline(Readable.fromWeb(body), outgoing).catch(() => undefined)
  })

const crossing = (headers: Headers): Record<string, string> => {
  const crossed: Record<string, string> = {}
  for (const name of REQUEST_HEADERS) {
    const value = headers.get(name)
    if (value !== null) crossed[name] = value
  }
  return crossed
}

const webResponse = (answer: IncomingMessage, method: string): Response => {
  const status = answer.statusCode ?? 502
  const headers = new Headers()
  for (const [name, value] of Object.entries(answer.headers)) {
    if (value !== undefined && !HOP_HEADERS.has(name)) headers.set(name, [value].flat().join(', '))
  }
  if (method === 'HEAD' || WITHOUT_BODY.has(status)) {
    answer.resume()
    return new Response(null, { status, headers })
  }
  const isEvents = answer.headers['content-type']?.startsWith('text/event-stream') === true
  const body = isEvents ? untilItBreaks(answer) : answer
  return new Response(webStream(body), { status, headers })
}

/** An event stream has no end: its reader connects again, whether or not the runtime shut down cleanly. */
const untilItBreaks = (answer: IncomingMessage): Readable => {
  const events = new PassThrough()
  answer.on('error', () => events.end())
  events.on('close', () => answer.destroy())
  return answer.pipe(events)
}

export const unavailable = (message: string): Response =>
  Response.json({ error: { code: 'unavailable', message } }, { status: 503, headers: { 'cache-control': 'no-store' } })
