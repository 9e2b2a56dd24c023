// The size of the JavaScript that the built dashboard needs for its first screen, and that it loads later. Read from the
// files, because a browser's requests depend on time.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { parseSync } from 'oxc-parser'

export type Script = { readonly name: string; readonly gzipBytes: number }

export type Scripts = {
  /** The scripts that /executions needs, loaded with the page. */
  readonly first: readonly Script[]
  /** Loaded on demand or when the page is idle. */
  readonly later: readonly Script[]
}

/** `folder` contains index.html. */
export const readScripts = (folder: string): Scripts => {
  const assets = join(folder, 'assets')
  const names = readdirSync(assets).filter((name) => name.endsWith('.js'))
  const page = readFileSync(join(folder, 'index.html'), 'utf8')
  const entries = [...page.matchAll(/<script type="module"[^>]* src="\/assets\/([^"]+)"/g)].map(([, name = '']) => name)
  if (entries.length === 0) throw new Error(`${folder} is no build of the dashboard`)
  const needed = new Set<string>()
  const need = (name: string): void => {
    if (needed.has(name)) return
    needed.add(name)
    const { staticImports } = parseSync(name, readFileSync(join(assets, name), 'utf8')).module
    for (const { moduleRequest } of staticImports) need(moduleRequest.value.replace('./', ''))
  }
  entries.forEach(need)
  const read = (name: string): Script => ({ name, gzipBytes: gzipSync(readFileSync(join(assets, name))).length })
  const bySize = (one: Script, other: Script) => other.gzipBytes - one.gzipBytes
  return {
    first: [...needed].map(read).toSorted(bySize),
    later: names
      .filter((name) => !needed.has(name))
      .map(read)
      .toSorted(bySize),
  }
}

export const totalOf = (scripts: readonly Script[]): number =>
  scripts.reduce((sum, { gzipBytes }) => sum + gzipBytes, 0)
