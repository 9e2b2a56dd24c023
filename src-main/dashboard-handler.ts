// Answers app://dashboard: the page's files, and /local/* from the runtime, so that the page only ever calls its own
// origin. Plain web types; knows nothing of Electron.

import { readFile } from 'node:fs/promises'
import { extname, resolve, sep } from 'node:path'

export const DASHBOARD = 'app://dashboard'

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}
const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}
/** All that crosses; Origin, Host, cookies and Sec-Fetch-* stay behind, because the runtime refuses other origins. */
const FORWARDED = ['accept', 'content-type', 'idempotency-key', 'last-event-id', 'prefer', 'x-service-project-id']

export type DashboardHandler = (request: Request) => Promise<Response>

export const createDashboardHandler = (options: {
  readonly pageFolder: string
  readonly runtimePort: number
}): DashboardHandler => {
  const pageFolder = resolve(options.pageFolder)
  return async (request) => {
    const url = new URL(request.url)
    // `origin` is the string "null" for custom schemes.
    if (url.protocol !== 'app:' || url.host !== 'dashboard') return refusal(404, 'not_found')
    if (url.pathname.startsWith('/local/')) {
      return forward(request, `http://127.0.0.1:${options.runtimePort}${url.pathname.slice(6)}${url.search}`)
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') return refusal(405, 'method_not_allowed')
    return pageFile(pageFolder, url.pathname)
  }
}

const forward = async (request: Request, target: string): Promise<Response> => {
  const headers = new Headers()
  for (const name of FORWARDED) {
    const value = request.headers.get(name)
    if (value !== null) headers.set(name, value)
  }
  const body = request.body === null ? undefined : await request.arrayBuffer()
  try {
    return await fetch(target, { method: request.method, headers, redirect: 'manual', ...(body && { body }) })
  } catch {
    return refusal(503, 'unavailable')
  }
}

const pageFile = async (folder: string, pathname: string): Promise<Response> => {
  const path = fileWithin(folder, pathname === '/' ? '/index.html' : pathname)
  const content = path && (await readFile(path).catch(() => undefined))
  if (!path || !content) return refusal(404, 'not_found')
  const contentType = CONTENT_TYPES[extname(path)] ?? 'application/octet-stream'
  return new Response(content, { headers: { ...PAGE_HEADERS, 'content-type': contentType } })
}

/** `%2e%2e%2f` survives URL parsing, so the check comes after decoding. */
const fileWithin = (folder: string, pathname: string): string | undefined => {
  try {
    const path = resolve(folder, `.${decodeURIComponent(pathname)}`)
    return path.startsWith(folder + sep) ? path : undefined
  } catch {
    return undefined
  }
}

const refusal = (status: number, code: string): Response =>
  Response.json({ error: { code, message: `The dashboard answers ${status} here` } }, { status, headers: PAGE_HEADERS })
