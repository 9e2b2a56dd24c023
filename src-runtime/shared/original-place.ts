// Where code comes from, by its source map. The map may be anything that somebody uploaded, and its reader makes an object of
// each value and of each entry of the mappings: one of 16 MB can take more memory than a process has. So larger ones are not read.

import { createRequire } from 'node:module'
import type * as SourceMaps from '@jridgewell/trace-mapping'
import { holdsMoreValuesThan } from './json-depth.ts'

/** `source:line:column` for a line from 1 and a column from 0. Undefined: the source map does not say. */
export type OriginalPlaceOf = (line: number, column: number) => string | undefined

/** The code that a Program may have has fewer. */
const MOST_ENTRIES = 500_000
/** Names and sources above all. */
const MOST_VALUES = 100_000
const MOST_SOURCES = 10_000
/** In characters. One name may be in each line of a stack, and the root is in front of each of them. */
const LONGEST_NAME = 500

const COMMA = 0x2c
const SEMICOLON = 0x3b

const NOWHERE: OriginalPlaceOf = () => undefined

/** Loaded with the first map, to keep the start of processes fast. */
const loadReader = (): typeof SourceMaps =>
  createRequire(import.meta.url)('@jridgewell/trace-mapping') as typeof SourceMaps

export const readSourceMap = (sourceMap: string): OriginalPlaceOf => {
  if (sourceMap === '' || holdsMoreValuesThan(Buffer.from(sourceMap), MOST_VALUES)) return NOWHERE
  try {
    const parts = usableParts(JSON.parse(sourceMap) as Record<string, unknown>)
    return parts === undefined ? NOWHERE : placesIn(parts)
  } catch {
    return NOWHERE
  }
}

const usableParts = ({
  mappings,
  sources,
  sourceRoot,
}: Record<string, unknown>): SourceMaps.EncodedSourceMap | undefined => {
  if (typeof mappings !== 'string' || holdsMoreEntriesThan(mappings, MOST_ENTRIES)) return undefined
  if (!Array.isArray(sources) || sources.length > MOST_SOURCES || !sources.every(isShortName)) return undefined
  if (!isShortName(sourceRoot ?? null)) return undefined
  const root = typeof sourceRoot === 'string' ? { sourceRoot } : {}
  return { version: 3, names: [], mappings, sources, ...root }
}

const isShortName = (value: unknown): value is string | null =>
  value === null || (typeof value === 'string' && value.length <= LONGEST_NAME)

const holdsMoreEntriesThan = (mappings: string, limit: number): boolean => {
  let count = 1
  for (let at = 0; at < mappings.length && count <= limit; at += 1) {
    const code = mappings.charCodeAt(at)
    if (code === COMMA || code === SEMICOLON) count += 1
  }
  return count > limit
}

const placesIn = (parts: SourceMaps.EncodedSourceMap): OriginalPlaceOf => {
  const { TraceMap, originalPositionFor } = loadReader()
  const map = new TraceMap(parts)
  return (line, column) => {
    if (line < 1 || column < 0) return undefined
    try {
      const found = originalPositionFor(map, { line, column })
      return found.source ? `${found.source}:${found.line}:${found.column + 1}` : undefined
    } catch {
      return undefined
    }
  }
}
