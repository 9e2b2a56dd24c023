// The files of the page at `/`. A request's path is looked up in a list of the folder's files, and never reaches the
// disk. Files are read on request, since most runtimes never show their page, and a rebuilt page then needs no restart.

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

export type PageFile = {
  readonly contentType: string
  readonly body: Buffer
  /** The name contains a hash of the content, so the content never changes. */
  readonly isForever: boolean
  /** A third as long as `body`. Absent: nothing is gained, or `body` may change. */
  readonly gzipped?: () => Promise<Buffer>
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

/** The others are compressed already. */
const COMPRESSIBLE: ReadonlySet<string> = new Set(['.css', '.js', '.json', '.svg'])
/** A shorter one is a packet or two either way. */
const LEAST_COMPRESSED_BYTES = 2_048
const compress = promisify(gzip)

/** Vite writes a hash of the content into the names of assets. */
const HASHED = /-[A-Za-z0-9_-]{8}\.[a-z0-9]+$/

/**
 * `folder` contains index.html, and in assets the files that it uses. `home`: what index.html is marked with. `compresses`: whether callers
 * may come over a network.
 */
export const readPages = (
  folder: string,
  { home, compresses = false }: { readonly home?: string; readonly compresses?: boolean } = {},
): Pages => {
  let assets: Assets = { files: new Map(), gzipped: new Map(), mayBeOutdated: () => true }
  const find = (path: string): string | undefined => {
    const file = assets.files.get(path)
    if (file !== undefined || !assets.mayBeOutdated()) return file
    assets = listAssets(folder)
    return assets.files.get(path)
  }
  return {
    get index() {
      const page = readPage(join(folder, 'index.html'))
      return page && home !== undefined ? { ...page, body: marked(page.body, home) } : page
    },
    asset: (path) => {
      const file = path.startsWith('/assets/') ? find(path) : undefined
      const page = file === undefined ? undefined : readPage(file)
      if (!compresses || file === undefined || page === undefined || !isCompressible(file, page)) return page
      return { ...page, gzipped: () => gzippedOnce(assets.gzipped, file, page.body) }
    },
  }
}

/** So that the page knows who serves it before its first request. */
const marked = (body: Buffer, home: string): Buffer =>
  Buffer.from(body.toString('utf8').replace('<html', `<html data-home="${home}"`))

const isCompressible = (file: string, { body, isForever }: PageFile): boolean =>
  isForever && body.length >= LEAST_COMPRESSED_BYTES && COMPRESSIBLE.has(extname(file))

/** Compressing the whole dashboard takes half a second of processor time and 0.8 MB, and a service does it once. */
const gzippedOnce = (known: Map<string, Promise<Buffer>>, file: string, body: Buffer): Promise<Buffer> => {
  const gzipped = known.get(file) ?? compress(body)
  known.set(file, gzipped)
  return gzipped
}

type Assets = {
  /** By their request paths. */
  readonly files: ReadonlyMap<string, string>
  /** By their paths on the disk: what was asked for compressed. */
  readonly gzipped: Map<string, Promise<Buffer>>
  /** Anybody may ask for files that are not there, and listing the folder for each takes 100 times as long as asking this. */
  mayBeOutdated(): boolean
}

/** Changes that are no further apart may give a folder the same time. */
const SAME_TIME_MS = 50

const listAssets = (folder: string): Assets => {
  const top = join(folder, 'assets')
  const files = new Map<string, string>()
  const folders = new Map([[top, changedAt(top)]])
  const settledBefore = Date.now() - SAME_TIME_MS
  for (const entry of ifExists(() => readdirSync(top, { recursive: true, withFileTypes: true })) ?? []) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isDirectory()) folders.set(path, changedAt(path))
    if (entry.isFile()) files.set(`/${relative(folder, path).split(sep).join('/')}`, path)
  }
  const isSettled = [...folders.values()].every((at) => at !== undefined && at < settledBefore)
  return {
    files,
    gzipped: new Map(),
    mayBeOutdated: () => !isSettled || [...folders].some(([one, at]) => changedAt(one) !== at),
  }
}

/** In ms. */
const changedAt = (folder: string): number | undefined => ifExists(() => statSync(folder).mtimeMs)

const readPage = (file: string): PageFile | undefined => {
  const body = ifExists(() => readFileSync(file))
  const contentType = CONTENT_TYPES[extname(file)] ?? 'application/octet-stream'
  return body && { contentType, body, isForever: HASHED.test(file) }
}

/** A running build may have removed the file. */
const ifExists = <T>(read: () => T): T | undefined => {
  try {
    return read()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
