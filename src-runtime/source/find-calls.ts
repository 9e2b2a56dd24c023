// Finds in a bundle the calls of effects and of a Program's context that do not do what their author expects. The bundler gives
// no variable the name of one of an outer scope, so a name stands for one variable in all scopes below.

import type { CallExpression, Node, Program } from 'oxc-parser'
import { nameOf, walk } from './module-facts.ts'

export type Call = {
  /** The position in the bundle: of the call, or of its second argument. */
  readonly offset: number
  readonly kind: 'argument' | 'unawaited'
  /** The effect, or a method, such as `ctx.sleep`. */
  readonly name: string
}

/** What the Program has in place of an effect. */
const REFERENCE = /^ {2}var (\S+) = \/\* @__PURE__ \*\/ effect\d*\("(.*)"\);$/gm

/** The authoring API's own. The bundler adds a number if the name is taken. */
const DEFINE_PROGRAM = /\bfunction (defineProgram\d*)\(\{ id, /

/** The methods of the context that return promises. */
const METHODS = ['sleep', 'sleepUntil', 'waitForEvent', 'effect']
const CALL_OF_METHOD = new RegExp(`\\.(?:${METHODS.join('|')})\\(`)

/** Searches the parts of a bundle. */
export const searchOfCalls = (code: string) => {
  const effects = new Map(Array.from(code.matchAll(REFERENCE), ([, local = '', name = '']) => [local, name]))
  const locals = [...effects.keys()]
  const defineProgram = DEFINE_PROGRAM.exec(code)?.[1] ?? ''
  return {
    mayHold: (part: string): boolean =>
      locals.some((local) => part.includes(local)) || (part.includes(`${defineProgram}(`) && CALL_OF_METHOD.test(part)),
    search: (program: Program): readonly Call[] => [
      ...callsOfEffects(program, effects),
      ...programsIn(program, defineProgram).flatMap(callsOfContext),
    ],
  }
}

/** Direct calls only: `map` passes an index, which nobody means for the effect. */
const callsOfEffects = (program: Program, effects: ReadonlyMap<string, string>): readonly Call[] => {
  if (effects.size === 0) return []
  const effectOf = ({ callee }: CallExpression) => effects.get(nameOf(callee) ?? '')
  const calls: Call[] = []
  walk(program, (node) => {
    if (node.type !== 'CallExpression') return
    const name = effectOf(node)
    const [first, second] = node.arguments
    if (name === undefined || first?.type === 'SpreadElement' || second === undefined) return
    calls.push({ offset: second.start, kind: 'argument', name })
  })
  const unawaited = droppedIn(program).flatMap((call): readonly Call[] => {
    const name = effectOf(call)
    return name === undefined ? [] : [{ offset: call.start, kind: 'unawaited', name: `effect "${name}"` }]
  })
  return [...calls, ...unawaited]
}

/** The functions that `program` makes Programs of. */
const programsIn = (program: Program, defineProgram: string): readonly Node[] => {
  const functions = new Map<string, Node>()
  const given: Node[] = []
  walk(program, (node) => {
    if (node.type === 'FunctionDeclaration') functions.set(nameOf(node.id!)!, node)
    if (node.type === 'VariableDeclarator' && node.id.type === 'Identifier' && node.init !== null)
      functions.set(node.id.name, node.init)
    if (node.type === 'CallExpression' && nameOf(node.callee) === defineProgram) given.push(...node.arguments.slice(1))
  })
  return given.map((run) => functions.get(nameOf(run) ?? '') ?? run)
}

const callsOfContext = (run: Node): readonly Call[] => {
  // The bundler writes `__name(…, "run")` around a function that has a name.
  const node = run.type === 'CallExpression' ? run.arguments[0] : run
  if (
    node?.type !== 'ArrowFunctionExpression' &&
    node?.type !== 'FunctionExpression' &&
    node?.type !== 'FunctionDeclaration'
  )
    return []
  const [ctx] = node.params.map(nameOf)
  return droppedIn(node).flatMap(({ start, callee }): readonly Call[] => {
    if (ctx === undefined || callee.type !== 'MemberExpression' || callee.computed || nameOf(callee.object) !== ctx)
      return []
    const method = nameOf(callee.property) ?? ''
    return METHODS.includes(method) ? [{ offset: start, kind: 'unawaited', name: `${ctx}.${method}` }] : []
  })
}

/** The calls whose results a statement drops. */
const droppedIn = (node: Node): readonly CallExpression[] => {
  const calls: CallExpression[] = []
  const drop = (dropped: Node): void => {
    switch (dropped.type) {
      case 'CallExpression':
        calls.push(dropped)
        return
      case 'LogicalExpression':
        return drop(dropped.right)
      case 'ConditionalExpression':
        return [dropped.consequent, dropped.alternate].forEach(drop)
      case 'SequenceExpression':
        return dropped.expressions.forEach(drop)
      case 'ChainExpression':
      case 'ParenthesizedExpression':
        return drop(dropped.expression)
      default:
    }
  }
  walk(node, (inner) => {
    if (inner.type === 'ExpressionStatement') drop(inner.expression)
  })
  return calls
}
