// app://host/path for Chromium, which asks nobody about a scheme that it does not know: a loopback server answers for
// http://host.app.localhost/path by calling the app's handler. A name of its own per scheme and host keeps origins apart,
// `.localhost` is a secure context, and plain HTTP streams and can be cancelled.

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

/** The way back. */
export const fromChromium = (url: string, schemes: ReadonlySet<string>): string => {
  const [, host, scheme, rest] = /^http:\/\/([^/:]*)\.([a-z0-9-]+)\.localhost((?:[/?#].*)?)$/s.exec(url) ?? []
  return scheme !== undefined && schemes.has(scheme) ? `${scheme}://${host}${rest}` : url
}

/** For Chromium's command line: the schemes' names lead to the server, and no other name to anywhere but this machine. */
export const hostRules = (schemes: ReadonlySet<string>, port: number): string =>
  [
    ...[...schemes].map((scheme) => `MAP *.${scheme}.localhost 127.0.0.1:${port}`),
    'MAP * ~NOTFOUND',
    ...['localhost', '127.0.0.1', '[::1]'].map((host) => `EXCLUDE ${host}`),
  ].join(', ')

/** Answers its port. It lives as long as the process. */
export const serveSchemes = async (
  schemes: ReadonlySet<string>,
  handlerOf: (scheme: string) => SchemeHandler | undefined,
): Promise<number> => {
  const server = createServer((incoming, outgoing) => {
    const url = fromChromium(`http://${incoming.headers.host}${incoming.url}`, schemes)
    const handler = handlerOf(url.slice(0, url.indexOf(':')))
    if (handler === undefined) return void outgoing.destroy()
    // Chrome asks for it by itself, Electron never does.
    if (incoming.url === '/favicon.ico') return void outgoing.writeHead(404).end()
    answer(handler, toRequest(url, incoming, schemes), outgoing).catch((error: unknown) => {
      console.error(error)
      outgoing.destroy()
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  server.unref()
  return (server.address() as AddressInfo).port
}

/** As in Electron, its `signal` never fires; and a custom scheme has no Host and no connection. */
const toRequest = (url: string, incoming: IncomingMessage, schemes: ReadonlySet<string>): Request => {
  const headers = new Headers()
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (name === 'host' || name === 'connection' || value === undefined) continue
    const text = Array.isArray(value) ? value.join(', ') : value
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

const answer = async (handler: SchemeHandler, request: Request, outgoing: ServerResponse): Promise<void> => {
  const response = await handler(request)
  if (response.type === 'error') return void outgoing.destroy()
  // Electron, too, keeps one header per name.
  outgoing.writeHead(response.status, response.statusText || undefined, Object.fromEntries(response.headers))
  if (response.body === null) return void outgoing.end()
  const body = Readable.fromWeb(response.body)
  // What the page no longer wants is cancelled, so that the handler can let go of it.
  if (outgoing.destroyed) return void body.destroy()
  outgoing.on('close', () => body.destroy())
  body.on('error', () => outgoing.destroy()).pipe(outgoing)
}
