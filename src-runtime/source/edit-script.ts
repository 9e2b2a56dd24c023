// Changes the text of a bundle, and its source map with it.

import { type Program, parseSync } from 'oxc-parser'
import type { Range } from './module-facts.ts'
import { insertColumns, type RawSourceMap, type Shift } from './source-map.ts'

export type Script = {
  readonly code: string
  readonly map: RawSourceMap
  /** Parses on the first call. */
  readonly program: () => Program
}

export const scriptOf = (code: string, map: RawSourceMap): Script => {
  let program: Program | undefined
  return { code, map, program: () => (program ??= parseSync('program.js', code, { sourceType: 'script' }).program) }
}

/** Neither the text nor its line breaks may move to another line. */
export type Edit = Range & { readonly text: string }

/** `edits` are in the order of the text. */
export const editScript = (script: Script, edits: readonly Edit[]): Script => {
  if (edits.length === 0) return script
  const { code, map } = script
  const shifts: Shift[] = []
  let edited = ''
  let at = 0
  let line = 1
  let lineStart = 0
  for (const { start, end, text } of edits) {
    edited += code.slice(at, start) + text
    at = end
    for (let next = lineEnd(code, lineStart); next < end; next = lineEnd(code, lineStart)) {
      line++
      lineStart = next + 1
    }
    shifts.push({ line, column: end - lineStart + 1, length: text.length - (end - start) })
  }
  return scriptOf(edited + code.slice(at), insertColumns(map, shifts))
}

/** The author may have variables of any name. */
export const unusedName = (code: string, name: string): string =>
  code.includes(name) ? unusedName(code, `${name}_`) : name

const lineEnd = (code: string, from: number): number => {
  const found = code.indexOf('\n', from)
  return found === -1 ? code.length : found
}
