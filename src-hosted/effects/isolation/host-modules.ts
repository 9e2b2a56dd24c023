// The modules of the isolated host: its entry and what that imports, to be copied into its root.

import { readFileSync } from 'node:fs'
import { dirname, extname, join, relative } from 'node:path'

/** In the sources as in a bundle, where the entry is one file. */
export const HOST_ENTRY = join(import.meta.dirname, `../isolated-host${extname(import.meta.filename)}`)
export const TOP = join(import.meta.dirname, '../../..')

const IMPORT = /^\s*(?:import|export)\s(?!type\b)(?:[^'"`;]*?\sfrom\s*)?['"](\.[^'"]+)['"]/gm

/** By paths from the top folder. */
export const hostModules = (): ReadonlyMap<string, Buffer> => {
  const found = new Map<string, Buffer>()
  const waiting = [HOST_ENTRY]
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    const path = relative(TOP, file)
    if (found.has(path)) continue
    const content = readFileSync(file)
    found.set(path, content)
    for (const [, specifier = ''] of content.toString('utf8').matchAll(IMPORT))
      waiting.push(join(dirname(file), specifier))
  }
  return found
}

export const HOST_ENTRY_PATH = relative(TOP, HOST_ENTRY)
