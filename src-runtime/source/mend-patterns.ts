// Writes patterns of regular expressions differently that the sandbox's engine refuses.
//
// With the flag `v`, the engine takes what only brackets must not hold for an error outside of them, too: `-`, `/`, and
// some characters twice, such as `::`. As an escape it takes each of them. The bundler writes such literals as calls of
// `RegExp`; patterns that are made at run time stay as they are.

import type { Node, Program } from 'oxc-parser'
import { createMend, type Edit } from './edit-script.ts'
import { nameOf, walk } from './module-facts.ts'

const CALL = /\bRegExp\(/
const FLAGS = /^[dgimsy]*v[dgimsy]*$/
const FLAGS_ARGUMENT = /["'`][dgimsy]*v[dgimsy]*["'`]\)/
/** What is escaped, the begin of a group that changes flags, a bracket, or one of these twice. */
const TOKEN = /\\[^]|\(\?[ims]*-[ims]*:|[[\]/-]|([!#%&,:;<=>@`~])\1/g

const mayHoldSuch = (code: string): boolean => CALL.test(code) && FLAGS_ARGUMENT.test(code)

const editsOf = (code: string, program: Program): readonly Edit[] => {
  const edits: Edit[] = []
  walk(program, (node) => {
    if ((node.type !== 'NewExpression' && node.type !== 'CallExpression') || nameOf(node.callee) !== 'RegExp') return
    const [argument, flags] = node.arguments
    const pattern = textOf(argument)
    if (argument === undefined || pattern === undefined || !FLAGS.test(textOf(flags) ?? '')) return
    const { start, end } = argument
    const accepted = acceptedPattern(pattern)
    // What follows in its last line would have to move.
    if (accepted === pattern || code.slice(start, end).includes('\n')) return
    edits.push({ start, end, text: JSON.stringify(accepted) })
  })
  return edits.toSorted((a, b) => a.start - b.start)
}

/** Of a constant text, also of one in `String.raw`. */
const textOf = (node: Node | undefined): string | undefined => {
  switch (node?.type) {
    case 'Literal':
      return typeof node.value === 'string' ? node.value : undefined
    case 'TemplateLiteral':
      return node.expressions.length === 0 ? (node.quasis[0]?.value.cooked ?? undefined) : undefined
    case 'TaggedTemplateExpression':
      return isStringRaw(node.tag) && node.quasi.expressions.length === 0 ? node.quasi.quasis[0]?.value.raw : undefined
    default:
      return undefined
  }
}

const isStringRaw = (tag: Node): boolean =>
  tag.type === 'MemberExpression' && nameOf(tag.object) === 'String' && nameOf(tag.property) === 'raw'

const acceptedPattern = (pattern: string): string => {
  let depth = 0
  return pattern.replaceAll(TOKEN, (token) => {
    if (token === '[') depth++
    else if (token === ']') depth--
    else if (depth === 0 && !/^[\\(]/.test(token)) return token.slice(0, -1) + hexEscape(token)
    return token
  })
}

const hexEscape = (token: string): string => `\\x${token.charCodeAt(0).toString(16)}`

export const mendPatterns = createMend(mayHoldSuch, editsOf)
