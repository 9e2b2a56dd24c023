// The files of the page at `/`. Only what its folder holds is served: no path of a request reaches the disk. Nothing is
// read before somebody asks for it, since most runtimes never show their page; and a page that was built again is served
// without a restart.

import { readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'

export type PageFile = {
  readonly contentType: string
  readonly body: Buffer
  /** Of that name there will never be another content. */
  readonly isForever: boolean
}

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

/** Vite writes a hash of the content into the names of assets. */
const HASHED = /-[A-Za-z0-9_-]{8}\.[a-z0-9]+$/

/** `folder` holds index.html and, in assets, everything that it refers to. */
export const readPages = (folder: string): Pages => {
  let assets: ReadonlyMap<string, string> = new Map()
  const find = (path: string): string | undefined => assets.get(path) ?? (assets = listAssets(folder)).get(path)
  return {
    get index() {
      return readPage(join(folder, 'index.html'))
    },
    asset: (path) => {
      const file = path.startsWith('/assets/') ? find(path) : undefined
      return file === undefined ? undefined : readPage(file)
    },
  }
}

/** Files by the paths at which they are served. */
const listAssets = (folder: string): ReadonlyMap<string, string> => {
  const assets = new Map<string, string>()
  const entries = whenThere(() => readdirSync(join(folder, 'assets'), { recursive: true, withFileTypes: true }))
  for (const entry of entries ?? []) {
    if (!entry.isFile()) continue
    const file = join(entry.parentPath, entry.name)
    assets.set(`/${relative(folder, file).split(sep).join('/')}`, file)
  }
  return assets
}

const readPage = (file: string): PageFile | undefined => {
  const body = whenThere(() => readFileSync(file))
  const contentType = CONTENT_TYPES[extname(file)] ?? 'application/octet-stream'
  return body && { contentType, body, isForever: HASHED.test(file) }
}

/** A build may be under way: what it has removed is not found. */
const whenThere = <T>(read: () => T): T | undefined => {
  try {
    return read()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
