// A host's own modules, without their types. The runtime can strip them at once, for every host it starts; a host that
// had to do it itself would start in twice the time, and keep the stripper in its memory.

import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { fileURLToPath } from 'node:url'

/** JavaScript by the URL of the TypeScript it was. */
export type HostSources = Readonly<Record<string, string>>

/** What is left of the imports once the types are gone. */
const RELATIVE_IMPORT = /^(?:import|export) [^;]*? from '(\.{1,2}\/[^']+\.ts)'$/gm

/** Node announces that the function is experimental, on the terminal of whoever uses us. The version of Node is pinned. */
const quietly = <T>(work: () => T): T => {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return work()
  } finally {
    process.emitWarning = emitWarning
  }
}

export const readHostSources = (main: URL): HostSources => {
  const sources: Record<string, string> = {}
  const waiting = [main.href]
  for (let url = waiting.pop(); url !== undefined; url = waiting.pop()) {
    if (sources[url] !== undefined) continue
    const source = readFileSync(fileURLToPath(url), 'utf8')
    const stripped = quietly(() => stripTypeScriptTypes(source, { mode: 'strip' }))
    sources[url] = stripped
    for (const [, path = ''] of stripped.matchAll(RELATIVE_IMPORT)) waiting.push(new URL(path, url).href)
  }
  return sources
}
