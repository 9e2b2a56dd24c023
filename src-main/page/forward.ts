// Forwards the page's requests to the local runtime and streams the answers back.

import { createSendRequest, crossing, type SendRequest } from '../../src-runtime/shared/send-request.ts'
import type { Owner } from '../../src-runtime/identity/prove-identity.ts'
import { createProvenAgent } from './proven-agent.ts'

/** `path` with its query. */
export type ForwardedRequest = Pick<Request, 'method' | 'headers' | 'body' | 'signal'> & { readonly path: string }

export type Forward = (request: ForwardedRequest) => Promise<Response>

/** `token`: the runtime's access token. */
export type Target = Owner & { readonly token?: string | undefined }

/** The forwarded headers: no Origin, Host, cookies or Sec-Fetch-*, because the runtime refuses other origins. */
const REQUEST_HEADERS = ['accept', 'content-type', 'idempotency-key', 'last-event-id', 'prefer', 'x-service-project-id']

/** `target` returns the runtime that requests may go to now; `onDoubt` is called when a request fails. */
export const createForward = (target: () => Target | undefined, onDoubt: () => void): Forward => {
  let connected: { readonly owner: Owner; readonly send: SendRequest; readonly close: () => void } | undefined

  const sendTo = (owner: Owner | undefined): SendRequest | undefined => {
    if (connected?.owner !== owner) {
      connected?.close()
      connected = owner && connect(owner)
    }
    return connected?.send
  }

  return async ({ method, headers, body, signal, path }) => {
    const owner = target()
    const send = sendTo(owner)
    if (owner === undefined || send === undefined) return unavailable('The runtime is not running.')
    const { port, token } = owner
    try {
      return await send({
        url: new URL(`http://127.0.0.1:${port}${path}`),
        method,
        headers: {
          ...crossing(headers, REQUEST_HEADERS),
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
        },
        body,
        signal,
      })
    } catch (error) {
      if (signal.aborted) throw error
      onDoubt()
      return unavailable('The runtime does not answer.')
    }
  }
}

const connect = (owner: Owner) => {
  const http = createProvenAgent(owner)
  return { owner, send: createSendRequest({ http }), close: () => http.destroy() }
}

export const unavailable = (message: string): Response =>
  Response.json({ error: { code: 'unavailable', message } }, { status: 503, headers: { 'cache-control': 'no-store' } })
