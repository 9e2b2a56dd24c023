// How deep code nests its brackets, before it is parsed. The parser has no limit of its own: where the stack ends, so does
// the process that called it.

import { JSON_DEPTH_LIMIT } from '../shared/json-depth.ts'

/** The most in 17,000 files of installed packages is 83. Where a process has a stack of 1 MiB, functions in functions end it at 400. */
const NESTING_LIMIT = JSON_DEPTH_LIMIT

export const TOO_DEEP =
  `more than ${NESTING_LIMIT} brackets are open here, too many to be compiled: ` +
  'nest the code less, or let an effect read the data when it runs'

/** Where code nests deeper than that, as the offset of a bracket. Undefined if it does not, as nearly all. */
export const tooDeepAt = (code: string): number | undefined =>
  // Texts and comments matter only to code with very many brackets in them.
  deepAt(code) === undefined ? undefined : deepAt(code.replaceAll(TEXT_OR_COMMENT, ({ length }) => ' '.repeat(length)))

const TEXT_OR_COMMENT = /"(?:\\[^]|[^"\\\n])*"|'(?:\\[^]|[^'\\\n])*'|\/\/.*|\/\*[^]*?\*\//g

const deepAt = (code: string): number | undefined => {
  let depth = 0
  for (let at = 0; at < code.length; at += 1) {
    switch (code.charCodeAt(at)) {
      case 0x28: // (
      case 0x5b: // [
      case 0x7b: // {
        depth += 1
        if (depth > NESTING_LIMIT) return at
        break
      case 0x29:
      case 0x5d:
      case 0x7d:
        // More are closed than opened only in texts.
        if (depth > 0) depth -= 1
        break
      default:
    }
  }
  return undefined
}
