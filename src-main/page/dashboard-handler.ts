// Answers app://dashboard: the page's files, /local/* from the runtime, and /hosted/<id>/* from the services of saved
// connections, so that the page only ever calls its own origin. Plain web types; knows nothing of Electron.

import type { ConnectionsHandler } from '../../src-runtime/connections/create-connections-handler.ts'
import { PAGE_HEADERS } from '../../src-runtime/pages/page-headers.ts'
import { readPages, type PageFile } from '../../src-runtime/pages/pages.ts'
import type { Forward } from './forward.ts'

export const DASHBOARD = 'app://dashboard'

export type PageSource = (url: URL, accept: string) => Promise<Response> | Response

export type DashboardHandler = (request: Request) => Promise<Response>

const LOCAL = '/local'
const OF_CONNECTIONS = /^\/(?:local\/connections|hosted)(?:\/|$)/

/**
 * No other page can be opened in the app. Should one ever be, it gets nothing here. Chromium sends no Origin with reads of
 * the same origin, and no Sec-Fetch-Site to some schemes.
 */
const isOfOurPage = (headers: Headers): boolean =>
  [DASHBOARD, null].includes(headers.get('origin')) && ['same-origin', null].includes(headers.get('sec-fetch-site'))

export const createDashboardHandler =
  (parts: {
    readonly page: PageSource
    readonly forward: Forward
    /** The list of connections, and requests to their services. */
    readonly connections: ConnectionsHandler
  }): DashboardHandler =>
  async (request) => {
    const url = new URL(request.url)
    // `origin` is the string "null" for custom schemes.
    if (url.protocol !== 'app:' || url.host !== 'dashboard') return refusal(404, 'not_found')
    decodeIdempotencyKey(request.headers)
    if (OF_CONNECTIONS.test(url.pathname)) {
      return isOfOurPage(request.headers) ? parts.connections(request) : refusal(403, 'forbidden_origin')
    }
    if (url.pathname.startsWith(`${LOCAL}/`)) {
      const { method, headers, body, signal } = request
      return parts.forward({ method, headers, body, signal, path: url.pathname.slice(LOCAL.length) + url.search })
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') return refusal(405, 'method_not_allowed')
    return parts.page(url, request.headers.get('accept') ?? '')
  }

const ENCODED_KEY = 'x-wes-idempotency-key'

/** The page encodes a key that Electron could not pass on. */
const decodeIdempotencyKey = (headers: Headers): void => {
  const encoded = headers.get(ENCODED_KEY)
  if (encoded === null) return
  headers.delete(ENCODED_KEY)
  headers.set('idempotency-key', decoded(encoded))
}

/** The built page. Any path is answered with it, because the page does its own routing. */
export const builtPage = (folder: string): PageSource => {
  const pages = readPages(folder)
  return ({ pathname }, accept) => {
    const file = pathname.startsWith('/assets/') ? pages.asset(decoded(pathname)) : undefined
    if (file !== undefined) return fileResponse(file)
    const isPage = pathname === '/' || (accept.includes('text/html') && !RESERVED.test(pathname))
    return isPage && pages.index !== undefined ? fileResponse(pages.index) : refusal(404, 'not_found')
  }
}

/** The same as in the runtime's own server. */
const RESERVED = /^\/(?:assets|hosted|local|v1|healthz|openapi\.json)(?:\/|$)/

/** The development server of the page, which also sends it changes. */
export const servedPage = (server: string): PageSource => {
  const policy = developmentPolicy(server)
  return async ({ pathname, search }, accept) => {
    const answer = await fetch(new URL(pathname + search, server), { headers: { accept } })
    const headers = new Headers(answer.headers)
    // They describe the encoded bytes, which fetch has already decoded.
    for (const name of ['content-encoding', 'content-length']) headers.delete(name)
    headers.set('content-security-policy', policy)
    return new Response(answer.body, { status: answer.status, headers })
  }
}

/** Hot reload needs inline scripts and styles, and a socket to the server. */
const developmentPolicy = (server: string): string => {
  const socket = server.replace(/^http/, 'ws').replace(/\/$/, '')
  return (
    "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
    `font-src 'self'; connect-src 'self' ${socket}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
  )
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const fileResponse = ({ contentType, body }: PageFile): Response =>
  new Response(new Uint8Array(body), { headers: { ...PAGE_HEADERS, 'content-type': contentType } })

const refusal = (status: number, code: string): Response =>
  Response.json({ error: { code, message: `The dashboard answers ${status} here` } }, { status, headers: PAGE_HEADERS })
