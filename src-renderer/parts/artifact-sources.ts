// The author's sources, read from the source maps of an artifact. Pure.

import type { ProgramArtifact } from '#sdk/index.ts'

export type SourceFile = { readonly name: string; readonly text: string }

/** Not the author's: packages, and modules that the compiler generates. */
const FOREIGN = /(^|\/)node_modules\/|^wes:|\0/

/** Artifacts contain no code of these files that could be shown. */
export const isForeign = (path: string): boolean => FOREIGN.test(path)

export const sourcesOf = (sourceMap: string): readonly SourceFile[] => {
  try {
    const { sources, sourcesContent } = JSON.parse(sourceMap) as { sources?: unknown; sourcesContent?: unknown }
    if (!Array.isArray(sources) || !Array.isArray(sourcesContent)) return []
    return sources.flatMap((name: unknown, index) => {
      const text: unknown = sourcesContent[index]
      return typeof name === 'string' && typeof text === 'string' && !isForeign(name) ? [{ name, text }] : []
    })
  } catch {
    return [] // without a valid map, the compiled code is shown
  }
}

export type CodeLine = { readonly number: number; readonly text: string; readonly isPlace: boolean }

const AROUND = 2

/** A line and up to two on each side; empty where the artifact does not contain the file. */
export const codeFrame = (
  { program, effects }: Pick<ProgramArtifact, 'program' | 'effects'>,
  { path, line }: { readonly path: string; readonly line: number },
): readonly CodeLine[] => {
  const maps = [program.sourceMap, effects?.sourceMap].filter((map) => map !== undefined)
  const file = maps.flatMap(sourcesOf).find(({ name }) => name === path)
  if (file === undefined) return []
  const lines = file.text.split(/\r?\n/)
  if (line > lines.length) return []
  const first = Math.max(1, line - AROUND)
  return lines
    .slice(first - 1, line + AROUND)
    .map((text, index) => ({ number: first + index, text, isPlace: first + index === line }))
}
