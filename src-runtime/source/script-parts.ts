// Searches a bundle module by module, because parsing takes long, and most modules hold nothing of what is searched for.

import { parseSync, type Program } from 'oxc-parser'

export type Search<Found> = {
  /** Whether code is worth parsing, by its text. */
  readonly mayHold: (code: string) => boolean
  readonly search: (code: string, program: Program) => readonly Found[]
  /** What was found in a part of a bundle, which starts there. */
  readonly moved: (found: Found, start: number) => Found
}

type Part = { readonly start: number; readonly code: string }

/** What the bundler writes around all modules. */
const AROUND =
  /^(\(\(\) => \{ "use strict"; let wesProgram;\n\(\(\) => \{\n)([^]*)\}\)\(\);\nreturn wesProgram \}\)\(\)\n$/
/** It writes one before each module. */
const COMMENT = /^ {2}\/\/ /gm

export const searchParts = <Found>(code: string, { mayHold, search, moved }: Search<Found>): readonly Found[] => {
  const found: Found[] = []
  for (const part of partsOf(code)) {
    if (!mayHold(part.code)) continue
    const { program, errors } = parse(part.code)
    // A text of several lines looks like a comment.
    if (errors.length > 0) return search(code, parse(code).program)
    found.push(...search(part.code, program).map((one) => moved(one, part.start)))
  }
  return found
}

const partsOf = (code: string): readonly Part[] => {
  const [, begin = '', modules = code] = AROUND.exec(code) ?? []
  const starts = [0, ...Array.from(modules.matchAll(COMMENT), ({ index }) => index)]
  return starts.map((start, index) => ({
    start: begin.length + start,
    code: modules.slice(start, starts[index + 1]),
  }))
}

const parse = (code: string) => parseSync('bundle.js', code, { sourceType: 'script' })
