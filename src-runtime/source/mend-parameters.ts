// Writes parameters differently that the sandbox's engine does not run as JavaScript says.
//
// Where parameters have defaults, the engine gives the defaults other variables than the body: the body does not see what a
// default, or a function in it, sets, and the other way round. So where one sets a parameter that a default knows, the
// parameters become variables of the body. A generator then takes its defaults with its first `next()`.

import type { Function as FunctionNode, ArrowFunctionExpression, Node, Program } from 'oxc-parser'
import { createMend, unusedName, type Edit } from './edit-script.ts'
import { namesIn, walk } from './module-facts.ts'
import { patternNames } from './pattern-names.ts'

type Callable = FunctionNode | ArrowFunctionExpression

/** In the bundler's writing. */
const HEAD_END = /\) (?:=>|\{)/g
const OTHER_HEAD = /\b(?:if|for|for await|while|switch|catch) $/
const DEFAULT = /(?:^|[,{[:\n]) *[\w$]+ = |[}\]] = /
const FUNCTION_OR_ASSIGNMENT = /=>|\bfunction\b|\bclass\b|\) \{|\+\+|--|\([\w$]+ \W{0,3}= |[?:&|] [\w$]+ \W{0,3}= /
const LONGEST_HEAD = 10_000

const mayHoldSuch = (code: string): boolean =>
  [...code.matchAll(HEAD_END)].some(({ index }) => {
    const start = openingOf(code, index)
    const head = code.slice(start + 1, index)
    return (
      DEFAULT.test(head) &&
      FUNCTION_OR_ASSIGNMENT.test(head) &&
      !OTHER_HEAD.test(code.slice(Math.max(0, start - 10), start))
    )
  })

const openingOf = (code: string, end: number): number => {
  let at = end
  for (let depth = 1; depth > 0 && at > 0 && end - at < LONGEST_HEAD;) {
    const letter = code[--at]
    if (letter === ')') depth++
    else if (letter === '(') depth--
  }
  return at
}

const editsOf = (code: string, program: Program): readonly Edit[] => {
  const edits: Edit[] = []
  const name = unusedName(code, 'wesParameter')
  walk(program, (node) => {
    if (isCallable(node) && hasSharedParameters(node)) edits.push(...declaringInBody(node, name))
  })
  return edits.toSorted((a, b) => a.start - b.start || a.end - b.end)
}

const isCallable = (node: Node): node is Callable =>
  node.type === 'FunctionDeclaration' || node.type === 'FunctionExpression' || node.type === 'ArrowFunctionExpression'

/** Knows no scopes: a function with other variables of the same names may be written differently, too. */
const hasSharedParameters = (node: Callable): boolean => {
  const known = new Set<string>()
  for (const param of node.params) {
    walk(param, (inner) => {
      const holder = isCallable(inner) || inner.type === 'ClassExpression' ? inner : assignedIn(inner)
      if (holder !== undefined) for (const name of namesIn(holder)) known.add(name)
    })
  }
  const shared = node.params.flatMap(patternNames).filter((name) => known.has(name))
  if (shared.length === 0) return false
  const assigned = new Set<string>()
  const declared = new Set<string>()
  walk(node, (inner) => {
    const target = assignedIn(inner)
    if (target !== undefined) for (const name of namesIn(target)) assigned.add(name)
    if (inner.type === 'VariableDeclaration' && inner.kind === 'var') {
      for (const name of inner.declarations.flatMap(({ id }) => patternNames(id))) declared.add(name)
    } else if (inner.type === 'FunctionDeclaration' && inner !== node) declared.add(inner.id!.name)
  })
  // A body that declares one again has a variable of its own.
  return (
    shared.some((name) => assigned.has(name)) && !node.params.flatMap(patternNames).some((name) => declared.has(name))
  )
}

const assignedIn = (node: Node): Node | undefined => {
  switch (node.type) {
    case 'UpdateExpression':
      return node.argument
    case 'AssignmentExpression':
      return node.left
    case 'ForInStatement':
    case 'ForOfStatement':
      return node.left.type === 'VariableDeclaration' ? undefined : node.left
    default:
      return undefined
  }
}

/** The function takes as many parameters as before, with as many before the first default. */
const declaringInBody = ({ type, params, ...callable }: Callable, name: string): readonly Edit[] => {
  const body = callable.body!
  const names = params.map((param, index) => (param.type === 'RestElement' ? '...' : '') + `${name}${index}`)
  const heads = params.map((param, index) => names[index]! + (param.type === 'AssignmentPattern' ? ' = void 0' : ''))
  const { start } = params[0]!
  const { end } = params.at(-1)!
  const arrow = type === 'ArrowFunctionExpression' ? ' =>' : ''
  const before = { start, end: start, text: `${heads.join(', ')})${arrow} { let [` }
  const after = `] = [${names.join(', ')}];`
  return body.type === 'BlockStatement'
    ? [before, { start: end, end: body.start + 1, text: after }]
    : [
        before,
        { start: end, end: body.start, text: `${after} return ` },
        { start: body.end, end: body.end, text: ' }' },
      ]
}

export const mendParameters = createMend(mayHoldSuch, editsOf)
