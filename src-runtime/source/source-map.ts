// Source maps as they are stored: the author's own sources by their paths in the project, with their text; dependencies
// by name only, because their text would be most of every version.

import { decodedMappings, encodedMappings, TraceMap, type SourceMapSegment } from '@jridgewell/trace-mapping'
import { isDependency } from './source-files.ts'

export type RawSourceMap = {
  readonly version: 3
  readonly sources: readonly string[]
  readonly sourcesContent?: readonly (string | null)[]
  readonly names: readonly string[]
  readonly mappings: string
}

/** Modules that this compiler makes up; frames in them are of no use to an author. */
export const isMadeUp = (name: string): boolean => /^wes(?:-[a-z]+)*:/.test(name)

/** `nameOf` says which source stands behind a module of the bundle, `textOf` what it reads. */
export const storedSourceMap = (
  map: RawSourceMap,
  nameOf: (source: string) => string,
  textOf: (name: string) => string | undefined,
): RawSourceMap & { readonly ignoreList: readonly number[] } => {
  const sources = map.sources.map(nameOf)
  const isOwn = (name: string) => !isDependency(name) && !isMadeUp(name)
  return {
    version: 3,
    sources,
    sourcesContent: sources.map((name) => (isOwn(name) ? (textOf(name) ?? null) : null)),
    names: map.names,
    mappings: map.mappings,
    ignoreList: sources.flatMap((name, index) => (isOwn(name) ? [] : [index])),
  }
}

/** So many columns more on a line, before a column (both from 1). */
type Shift = { readonly line: number; readonly column: number; readonly length: number }

/** A map to sources before something was inserted into their lines. */
export const shiftColumns = (map: RawSourceMap, shiftsOf: (source: string) => readonly Shift[]): RawSourceMap => {
  const shifts = map.sources.map(shiftsOf)
  if (shifts.every((found) => found.length === 0)) return map
  const lines = decodedMappings(new TraceMap(map)).map((segments) =>
    segments.map((segment): SourceMapSegment => {
      if (segment.length === 1) return segment
      const [generated, source, line, column, name] = segment
      const original = originalColumn(shifts[source] ?? [], line, column)
      return name === undefined ? [generated, source, line, original] : [generated, source, line, original, name]
    }),
  )
  const { version, sources, names } = map
  return {
    ...map,
    mappings: encodedMappings(new TraceMap({ version, sources: [...sources], names: [...names], mappings: lines })),
  }
}

/** `line` and `column` from 0, as maps have them. */
const originalColumn = (shifts: readonly Shift[], line: number, column: number): number => {
  let original = column
  for (const shift of shifts) {
    if (shift.line !== line + 1 || shift.column - 1 > original) continue
    original = Math.max(shift.column - 1, original - shift.length)
  }
  return original
}
