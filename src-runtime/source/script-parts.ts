// Searches a bundle module by module, because parsing takes long, and most modules hold nothing of what is searched for.

import type { Program } from 'oxc-parser'
import { sourceNameOf } from './bundling.ts'
import { BUNDLE, parse } from './parse.ts'

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
/** It writes one before each module, with its name. A text of several lines may hold others. */
const COMMENT = /^ {2}\/\/ (.+)$/gm

/** `used`: the names of the modules in the bundle. */
export const searchParts = <Found>(
  code: string,
  used: ReadonlySet<string>,
  { mayHold, search, moved }: Search<Found>,
): readonly Found[] => {
  const found: Found[] = []
  for (const part of partsOf(code, used)) {
    if (!mayHold(part.code)) continue
    const { program, errors } = parse(BUNDLE, part.code, 'script')
    // A text has the name of a module in such a line.
    if (errors.length > 0) return search(code, parse(BUNDLE, code, 'script').program)
    found.push(...search(part.code, program).map((one) => moved(one, part.start)))
  }
  return found
}

export const partsOf = (code: string, used: ReadonlySet<string>): readonly Part[] => {
  const [, begin = '', modules = code] = AROUND.exec(code) ?? []
  const comments = [...modules.matchAll(COMMENT)].filter(([, name]) => used.has(name!))
  const starts = [0, ...comments.map(({ index }) => index)]
  return starts.map((start, index) => ({
    start: begin.length + start,
    code: modules.slice(start, starts[index + 1]),
  }))
}

/** By the bundler's comment before it. */
export const moduleOf = (part: string): string => sourceNameOf(/^ *\/\/ (.*)/.exec(part)?.[1] ?? '')
