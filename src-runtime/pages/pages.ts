// The files of the page at `/`. A request's path is looked up in a list of the folder's files, and never reaches the
// disk. Files are read on request, since most runtimes never show their page, and a rebuilt page then needs no restart.

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'

export type PageFile = {
  readonly contentType: string
  readonly body: Buffer
  /** The name contains a hash of the content, so the content never changes. */
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

/** `folder` contains index.html, and in assets the files that it uses. `home`: what index.html is marked with. */
export const readPages = (folder: string, home?: string): Pages => {
  let assets: Assets = { files: new Map(), mayBeOutdated: () => true }
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
      return file === undefined ? undefined : readPage(file)
    },
  }
}

/** So that the page knows who serves it before its first request. */
const marked = (body: Buffer, home: string): Buffer =>
  Buffer.from(body.toString('utf8').replace('<html', `<html data-home="${home}"`))

type Assets = {
  /** By their request paths. */
  readonly files: ReadonlyMap<string, string>
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
  return { files, mayBeOutdated: () => !isSettled || [...folders].some(([one, at]) => changedAt(one) !== at) }
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
