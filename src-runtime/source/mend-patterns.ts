// Writes patterns of regular expressions differently that the sandbox's engine refuses.
//
// With the flag `v`, the engine takes what only brackets must not hold for an error outside of them, too: `-`, `/`, and
// some characters twice, such as `::`. As an escape it takes each of them. The bundler writes such literals as calls of
// `RegExp`; patterns that are made at run time stay as they are.

import type { Node, Program, StringLiteral } from 'oxc-parser'
import { mendScript, type Edit, type Script } from './edit-script.ts'
import { walk } from './module-facts.ts'

const CALL = /\bRegExp\(/
const FLAGS = /^[dgimsy]*v[dgimsy]*$/
const FLAGS_ARGUMENT = /["'][dgimsy]*v[dgimsy]*["']\)/
/** What is escaped, the begin of a group that changes flags, a bracket, or one of these twice. */
const TOKEN = /\\[^]|\(\?[ims]*-[ims]*:|[[\]/-]|([!#%&,:;<=>@`~])\1/g

const mayHoldSuch = (code: string): boolean => CALL.test(code) && FLAGS_ARGUMENT.test(code)

export const mendPatterns = (script: Script): Script => mendScript(script, mayHoldSuch, editsOf)

const editsOf = (_code: string, program: Program): readonly Edit[] => {
  const edits: Edit[] = []
  walk(program, (node) => {
    const literal = patternIn(node)
    if (literal === undefined) return
    const { start, end, value } = literal
    const pattern = acceptedPattern(value)
    if (pattern !== value) edits.push({ start, end, text: JSON.stringify(pattern) })
  })
  return edits.toSorted((a, b) => a.start - b.start)
}

const patternIn = (node: Node): StringLiteral | undefined => {
  if (node.type !== 'NewExpression' && node.type !== 'CallExpression') return undefined
  const { callee } = node
  const [pattern, flags] = node.arguments
  if (callee.type !== 'Identifier' || callee.name !== 'RegExp' || !isText(pattern) || !isText(flags)) return undefined
  return FLAGS.test(flags.value) ? pattern : undefined
}

const isText = (node: Node | undefined): node is StringLiteral =>
  node?.type === 'Literal' && typeof node.value === 'string'

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
