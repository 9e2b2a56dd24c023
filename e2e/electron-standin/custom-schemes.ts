// Serves app://host/path for Chromium, which does not support unknown schemes: a loopback server answers for
// http://host.app.localhost/path by calling the app's handler. A separate name per scheme and host separates origins,
// `.localhost` is a secure context, and HTTP supports streams and cancellation.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'

export type SchemeHandler = (request: Request) => Response | Promise<Response>

const NAME = /^[a-z][a-z0-9-]*$/

export const assertSchemeName = (scheme: string): void => {
  if (!NAME.test(scheme)) throw new Error(`stand-in: the scheme "${scheme}" is not emulated; letters, digits and - are`)
}

/** `app://dashboard/x` → `http://dashboard.app.localhost/x`; other addresses stay as they are. */
export const toChromium = (url: string, schemes: ReadonlySet<string>): string => {
  const [, scheme, host, rest] = /^([a-z][a-z0-9-]*):\/\/([^/?#]*)(.*)$/is.exec(url) ?? []
  if (scheme === undefined || !schemes.has(scheme)) return url
  if (!host || host.includes(':')) throw new Error(`stand-in: "${url}" is not emulated: it needs a host without a port`)
  return `http://${host}.${scheme}.localhost${rest || '/'}`
}

/** The reverse. */
export const fromChromium = (url: string, schemes: ReadonlySet<string>): string => {
  const [, host, scheme, rest] = /^http:\/\/([^/:]*)\.([a-z0-9-]+)\.localhost((?:[/?#].*)?)$/s.exec(url) ?? []
  return scheme !== undefined && schemes.has(scheme) ? `${scheme}://${host}${rest}` : url
}

/** For Chromium's command line: resolves the schemes' names to the server, and other names only to this machine. */
export const hostRules = (schemes: ReadonlySet<string>, port: number): string =>
  [
    ...[...schemes].map((scheme) => `MAP *.${scheme}.localhost 127.0.0.1:${port}`),
    'MAP * ~NOTFOUND',
    ...['localhost', '127.0.0.1', '[::1]'].map((host) => `EXCLUDE ${host}`),
  ].join(', ')

/** Returns its port. It runs as long as the process. */
export const serveSchemes = async (
  schemes: ReadonlySet<string>,
  handlerOf: (scheme: string) => SchemeHandler | undefined,
): Promise<number> => {
  const server = createServer((incoming, outgoing) => {
    const url = fromChromium(`http://${incoming.headers.host}${incoming.url}`, schemes)
    const handler = handlerOf(url.slice(0, url.indexOf(':')))
    if (handler === undefined) return void outgoing.destroy()
    // Chrome requests it, Electron does not.
    if (incoming.url === '/favicon.ico') return void outgoing.writeHead(404).end()
    answer(handler, () => toRequest(url, incoming, schemes), outgoing).catch((error: unknown) => {
      console.error(error)
      outgoing.destroy()
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  server.unref()
  return (server.address() as AddressInfo).port
}

/** Electron reads headers as UTF-8. The web's types then refuse characters that are not Latin-1, and the request fails. */
const utf8Of = (bytes: string): string => Buffer.from(bytes, 'latin1').toString()

/** As in Electron, its `signal` never aborts, and a custom scheme has no Host and no connection. */
const toRequest = (url: string, incoming: IncomingMessage, schemes: ReadonlySet<string>): Request => {
  const headers = new Headers()
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (name === 'host' || name === 'connection' || value === undefined) continue
    const text = utf8Of(Array.isArray(value) ? value.join(', ') : value)
    headers.set(name, name === 'origin' || name === 'referer' ? fromChromium(text, schemes) : text)
  }
  const { 'content-length': length = '0', 'transfer-encoding': chunked } = incoming.headers
  const hasBody = (length !== '0' || chunked !== undefined) && incoming.method !== 'GET' && incoming.method !== 'HEAD'
  return new Request(url, {
    method: incoming.method!,
    headers,
    ...(hasBody && { body: Readable.toWeb(incoming) as ReadableStream<Uint8Array>, duplex: 'half' }),
  })
}

const answer = async (handler: SchemeHandler, read: () => Request, outgoing: ServerResponse): Promise<void> => {
  const response = await handler(read())
  if (response.type === 'error') return void outgoing.destroy()
  // Electron also keeps one header per name.
  outgoing.writeHead(response.status, response.statusText || undefined, Object.fromEntries(response.headers))
  if (response.body === null) return void outgoing.end()
  const body = Readable.fromWeb(response.body)
  // Cancels the stream when the page no longer reads it, so that the handler can stop.
  if (outgoing.destroyed) return void body.destroy()
  outgoing.on('close', () => body.destroy())
  body.on('error', () => outgoing.destroy()).pipe(outgoing)
}
