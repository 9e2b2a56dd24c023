// Sends requests with Node's HTTP client, and returns their answers with web types: server-sent events arrive as they are
// sent, and a reader that cancels ends the request. Follows no redirect, and adds no header but Host.

import { request as httpRequest, type Agent as HttpAgent, type IncomingMessage } from 'node:http'
import { request as httpsRequest, type Agent as HttpsAgent } from 'node:https'
import { PassThrough, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { webStream } from './web-stream.ts'

export type OutgoingRequest = {
  readonly url: URL
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: ReadableStream<Uint8Array> | null
  readonly signal: AbortSignal
  /** Called when an answer was read to its end, or cut off. */
  readonly onClosed?: () => void
}

/** Rejects if there is no answer. */
export type SendRequest = (request: OutgoingRequest) => Promise<Response>

export type SendOptions = {
  readonly http: HttpAgent
  readonly https?: HttpsAgent
  /** How long a connection may be silent while a request is open. */
  readonly idleMs?: number
}

export const createSendRequest =
  (options: SendOptions): SendRequest =>
  async (request) => {
    try {
      return await send(request, options)
    } catch (error) {
      // The server had just closed a kept connection: it did nothing, and a read may be repeated.
      const mayRepeat =
        error instanceof ReusedConnectionError && (request.method === 'GET' || request.method === 'HEAD')
      if (!mayRepeat) throw error instanceof ReusedConnectionError ? error.cause : error
      return send(request, options)
    }
  }

/** The headers with these names. */
export const crossing = (headers: Headers, names: readonly string[]): Record<string, string> => {
  const crossed: Record<string, string> = {}
  for (const name of names) {
    const value = headers.get(name)
    if (value !== null) crossed[name] = value
  }
  return crossed
}

class ReusedConnectionError extends Error {}

const send = (request: OutgoingRequest, { http, https, idleMs }: SendOptions): Promise<Response> =>
  new Promise((resolve, reject) => {
    const { url, method, headers, body, signal, onClosed } = request
    const shared = { method, headers, signal, ...(idleMs !== undefined && { timeout: idleMs }) }
    const outgoing =
      url.protocol === 'https:'
        ? httpsRequest(url, { ...shared, ...(https && { agent: https }) })
        : httpRequest(url, { ...shared, agent: http })
    outgoing.on('error', (error) =>
      reject(outgoing.reusedSocket ? new ReusedConnectionError('it was reused', { cause: error }) : error),
    )
    // Node reports no error for an answer that switches protocols.
    outgoing.on('close', () => reject(Object.assign(new Error('there was no answer'), { code: 'ECONNRESET' })))
    outgoing.on('timeout', () => outgoing.destroy(new SilentError()))
    outgoing.on('response', (answer) => {
      const converted = convert(answer, method)
      if (converted instanceof Response && onClosed !== undefined) outgoing.once('close', onClosed)
      if (converted instanceof Response) return resolve(converted)
      answer.destroy()
      reject(converted)
    })
    if (body === null) outgoing.end()
    // The answer may come before the whole request was read; the rest is then ignored.
    else pipeline(Readable.fromWeb(body), outgoing).catch(() => undefined)
  })

/** An error for a status or a header that the web's types do not allow. */
const convert = (answer: IncomingMessage, method: string): Response | Error => {
  try {
    return webResponse(answer, method)
  } catch (error) {
    return error as Error
  }
}

/** Nothing came over the connection for long. */
export class SilentError extends Error {
  override readonly name = 'SilentError'
}

/** Hop-by-hop headers. */
const HOP_HEADERS = new Set(['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'trailer'])

const webResponse = (answer: IncomingMessage, method: string): Response => {
  const headers = new Headers()
  for (const [name, value] of Object.entries(answer.headers)) {
    if (value !== undefined && !HOP_HEADERS.has(name)) headers.set(name, [value].flat().join(', '))
  }
  return responseWith(answer, method, { status: answer.statusCode ?? 502, headers })
}

const WITHOUT_BODY = new Set([204, 205, 304])

/** The answer to a request of that method, with what `stream` brings as its body. */
export const responseWith = (
  stream: Readable,
  method: string,
  head: { readonly status: number; readonly headers: Headers },
): Response => {
  if (method === 'HEAD' || WITHOUT_BODY.has(head.status)) {
    // Nobody reads it: without a listener, its error would end the process.
    stream.on('error', () => undefined)
    stream.resume()
    return new Response(null, head)
  }
  const isEvents = head.headers.get('content-type')?.startsWith('text/event-stream') === true
  return new Response(webStream(isEvents ? untilItBreaks(stream) : stream), head)
}

/** An event stream has no end: its reader connects again, whatever ended it. */
const untilItBreaks = (stream: Readable): Readable => {
  const events = new PassThrough()
  stream.on('error', () => events.end())
  // Cut off, perhaps without an error.
  stream.on('close', () => events.end())
  events.on('close', () => stream.destroy())
  return stream.pipe(events)
}
