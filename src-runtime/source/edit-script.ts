// Changes the text of a bundle, and its source map with it.

import type { Program } from 'oxc-parser'
import { rememberedOfText } from '../shared/remembered-of-text.ts'
import type { Range } from './module-facts.ts'
import { searchParts } from './script-parts.ts'
import { insertColumns, type RawSourceMap, type Shift } from './source-map.ts'

export type Script = {
  readonly code: string
  readonly map: RawSourceMap
  /** The names of its modules. */
  readonly used: ReadonlySet<string>
}

/** Neither the text nor its line breaks may move to another line. */
export type Edit = Range & { readonly text: string }

/** Changes what a mend writes differently. `editsOf` returns its edits in the order of the text. */
export const createMend = (
  mayHoldSuch: (code: string) => boolean,
  editsOf: (code: string, program: Program) => readonly Edit[],
): ((script: Script) => Script) => {
  // Programs share modules.
  const mayHold = rememberedOfText(mayHoldSuch)
  return (script) => editScript(script, searchParts(script.code, script.used, { mayHold, search: editsOf, moved }))
}

const moved = ({ start, end, text }: Edit, by: number): Edit => ({ start: start + by, end: end + by, text })

const editScript = (script: Script, edits: readonly Edit[]): Script => {
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
  return { ...script, code: edited + code.slice(at), map: insertColumns(map, shifts) }
}

/** The author may have variables of any name. */
export const unusedName = (code: string, name: string): string =>
  code.includes(name) ? unusedName(code, `${name}_`) : name

const lineEnd = (code: string, from: number): number => {
  const found = code.indexOf('\n', from)
  return found === -1 ? code.length : found
}
