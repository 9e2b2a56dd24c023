// The files of a version's artifact: the author's sources where the source map has them, otherwise the compiled code,
// and the manifest. Pure.

import type { ProgramArtifact } from '#sdk/index.ts'
import { type SourceFile, sourcesOf } from '../../parts/artifact-sources.ts'

/** One file in two versions; undefined where a version lacks it. */
export type FilePair = {
  readonly name: string
  readonly before: string | undefined
  readonly after: string | undefined
  readonly change: 'same' | 'changed' | 'added' | 'removed'
}

export const filesOf = (artifact: ProgramArtifact): readonly SourceFile[] => [
  { name: 'manifest.json', text: `${JSON.stringify(artifact.manifest ?? {}, undefined, 2)}\n` },
  ...codeOf('program', artifact.program),
  ...(artifact.effects === undefined ? [] : codeOf('effects', artifact.effects)),
]

const codeOf = (name: string, { code, sourceMap }: ProgramArtifact['program']): readonly SourceFile[] => {
  const sources = sourceMap === undefined ? [] : sourcesOf(sourceMap)
  return sources.length === 0 ? [{ name: `${name}.js`, text: code }] : sources
}

/** In the order of the newer version; removed files come last. */
export const pairsOf = (
  before: readonly SourceFile[] | undefined,
  after: readonly SourceFile[],
): readonly FilePair[] => {
  const old = new Map(before?.map((file) => [file.name, file.text]))
  const names = new Set([...after.map((file) => file.name), ...old.keys()])
  const fresh = new Map(after.map((file) => [file.name, file.text]))
  return [...names].map((name) => {
    const pair = { name, before: old.get(name), after: fresh.get(name) }
    return { ...pair, change: before === undefined ? 'same' : changeOf(pair) }
  })
}

const changeOf = ({ before, after }: Pick<FilePair, 'before' | 'after'>): FilePair['change'] => {
  if (before === undefined) return 'added'
  if (after === undefined) return 'removed'
  return before === after ? 'same' : 'changed'
}
