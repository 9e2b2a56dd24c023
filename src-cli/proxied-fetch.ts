// `fetch` for commands: to other computers through the proxy of HTTPS_PROXY, as `wes dev` sends what a page asks of a
// hosted service.

import { isLoopback } from '#runtime/shared/is-loopback.ts'
import type { FetchFunction } from '#sdk/index.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Longer than an answer may be held. */
const SILENCE_LIMIT_MS = 100_000

export const createProxiedFetch = (environment: Environment): FetchFunction => {
  if (!(environment['https_proxy'] ?? environment['HTTPS_PROXY'])?.trim())
    return (url, init) => globalThis.fetch(url, init)
  let through: Promise<FetchFunction> | undefined
  return async (url, init) => {
    const { protocol, hostname } = new URL(url)
    if (protocol !== 'https:' || isLoopback(hostname)) return globalThis.fetch(url, init)
    through ??= throughProxy(environment)
    return (await through)(url, init)
  }
}

/** Loaded only where there is a proxy, because most commands end within a tenth of a second. */
const throughProxy = async (environment: Environment): Promise<FetchFunction> => {
  const { createProxiedSend } = await import('#runtime/shared/proxied-send.ts')
  const send = createProxiedSend(environment, SILENCE_LIMIT_MS)
  return (url, { method, headers, body, signal }) => {
    const bytes = body === undefined ? undefined : Buffer.from(body)
    return send({
      url: new URL(url),
      method,
      headers: { ...headers, ...(bytes && { 'Content-Length': String(bytes.length) }) },
      body: bytes === undefined ? null : new Blob([bytes]).stream(),
      signal: signal ?? new AbortController().signal,
    })
  }
}
