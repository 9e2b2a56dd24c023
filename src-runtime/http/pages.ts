// The files of the page at `/`, read once. Only what was there then is served: no path of a request reaches the disk.

import { readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'

export type PageFile = { readonly contentType: string; readonly body: Buffer }

export type Pages = {
  readonly index: PageFile | undefined
  /** A file under `/assets`, by its path. */
  asset(path: string): PageFile | undefined
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/** `folder` holds index.html and, in assets, everything that it refers to. */
export const readPages = (folder: string): Pages => {
  const assets = new Map<string, PageFile>()
  for (const entry of readdirSync(join(folder, 'assets'), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const file = join(entry.parentPath, entry.name)
    assets.set(`/${relative(folder, file).split(sep).join('/')}`, readPage(file))
  }
  return { index: readPage(join(folder, 'index.html')), asset: (path) => assets.get(path) }
}

const readPage = (file: string): PageFile => ({
  contentType: CONTENT_TYPES[extname(file)] ?? 'application/octet-stream',
  body: readFileSync(file),
})
