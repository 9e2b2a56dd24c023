// Sends requests on Chromium's network stack, for services that may be behind the system's proxy or have a certificate of
// the system's store. It never follows a redirect, but answers it: Electron's own `net.fetch` can only fail then, without
// telling where to. It sends and stores no cookies and uses no cache, so that nothing of an answer reaches the disk.

import type { ClientRequest, ClientRequestConstructorOptions, IncomingMessage } from 'electron'
import type { Readable } from 'node:stream'
import {
  type OutgoingRequest,
  responseWith,
  type SendRequest,
  SilentError,
} from '../../src-runtime/shared/send-request.ts'
import { nodeError } from './chromium-errors.ts'
import type { ProxyLogin } from './proxy-login.ts'

/** Electron's `net.request`. */
export type NetRequest = (options: ClientRequestConstructorOptions) => ClientRequest

/** `idleMs`: how long an answer that has begun may be silent. `proxyLogin`: makes one for each request. */
export const createChromiumSend =
  (netRequest: NetRequest, idleMs: number, proxyLogin: () => ProxyLogin): SendRequest =>
  async (request) => {
    const { url, method, headers, signal } = request
    // Chromium can repeat a whole body on another connection, but not a stream.
    const body = request.body === null ? undefined : Buffer.from(await new Response(request.body).arrayBuffer())
    signal.throwIfAborted()
    const outgoing = netRequest({
      method,
      url: url.href,
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, textOf(value)])),
      redirect: 'manual',
      credentials: 'omit',
      cache: 'no-store',
      referrerPolicy: 'no-referrer',
    })
    signal.addEventListener('abort', () => outgoing.abort(), { once: true })
    outgoing.on('login', proxyLogin())
    return new Promise((resolve, reject) => {
      outgoing.on('redirect', (status, _method, location) =>
        resolve(new Response(null, { status, headers: { location } })),
      )
      outgoing.on('response', (answer) => {
        try {
          resolve(webResponse(answer, request, outgoing, idleMs))
        } catch (error) {
          outgoing.abort()
          reject(new Error('the answer has a status or a header that is not allowed', { cause: error }))
        }
      })
      // May also come after an answer, which then fails by itself.
      outgoing.on('error', (error) => reject(nodeError(error)))
      outgoing.on('abort', () => reject(signal.reason as Error))
      outgoing.end(body)
    })
  }

const webResponse = (
  answer: IncomingMessage,
  { method, onClosed }: OutgoingRequest,
  outgoing: ClientRequest,
  idleMs: number,
): Response => {
  const { statusCode: status } = answer
  const headers = new Headers()
  for (const [name, value] of Object.entries(answer.headers)) headers.set(name, bytesOf([value].flat().join(', ')))
  // Electron's types leave out that it is one.
  const stream = answer as unknown as Readable
  const silence = setTimeout(() => stream.destroy(new SilentError()), idleMs)
  // A reader that cancels destroys only the stream; the request would go on.
  stream.once('close', () => {
    clearTimeout(silence)
    outgoing.abort()
    onClosed?.()
  })
  const response = responseWith(stream, method, { status, headers })
  // After its reader's, because a listener lets data flow.
  stream.on('data', () => silence.refresh())
  return response
}

/** Electron sends headers as UTF-8 and reads them as UTF-8; the web's types have one character for each byte. */
const textOf = (bytes: string): string => Buffer.from(bytes, 'latin1').toString()
const bytesOf = (text: string): string => Buffer.from(text).toString('latin1')
