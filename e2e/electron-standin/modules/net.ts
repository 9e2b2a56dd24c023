// Electron's requests, with Node's: without proxies and certificate stores. Also reads files.

import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Net } from 'electron'
import { emulate } from '../emulate.ts'
import { schemeHandlers } from '../running.ts'
import { startRequest } from './client-request.ts'

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.mjs': 'text/javascript',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

export const net = emulate<Net>()('net', {
  isOnline: () => true,
  online: true,
  request: startRequest,
  async fetch(input: string | Request, init?: RequestInit & { bypassCustomProtocolHandlers?: boolean }) {
    const url = new URL(typeof input === 'string' ? input : input.url)
    const handler = init?.bypassCustomProtocolHandlers ? undefined : schemeHandlers.get(url.protocol.slice(0, -1))
    if (handler !== undefined) return handler(new Request(input, init))
    return url.protocol === 'file:' ? fetchFile(url) : fetch(input, init)
  },
})

const fetchFile = async (url: URL): Promise<Response> => {
  const path = fileURLToPath(url)
  const content = await readFile(path).catch(() => undefined)
  if (content === undefined) throw new Error('net::ERR_FILE_NOT_FOUND')
  const contentType = CONTENT_TYPES[extname(path)] ?? 'application/octet-stream'
  return new Response(content, { headers: { 'content-type': contentType } })
}
