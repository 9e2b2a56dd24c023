// Source maps as they are stored: the author's own sources by their paths in the project, with their text; dependencies
// by name only, because their text would be most of every version.

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
