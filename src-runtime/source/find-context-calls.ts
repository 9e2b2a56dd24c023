// Finds in a bundle the calls of a Program's context whose promises are dropped: in the Program's function, and in functions of
// the project that get the context from it; and asynchronous functions for which nothing waits. The bundler gives no variable the
// name of one of an outer scope, so a name stands for one variable in all scopes below.

import type { ArrowFunctionExpression, Function as FunctionNode, Node, Program } from 'oxc-parser'
import type { ProgramBundle } from './bundle-programs.ts'
import { droppedIn } from './dropped-calls.ts'
import type { Use } from './find-uses.ts'
import { nameOf, nameText, patternNames, walk } from './module-facts.ts'
import { moduleOf, partsOf, searchParts } from './script-parts.ts'
import { isDependency } from './source-files.ts'
import { isMadeUp } from './source-map.ts'

/** The authoring API's own. The bundler adds a number if the name is taken. */
const DEFINE_PROGRAM = /\bfunction (defineProgram\d*)\(\{ id, /

/** The methods of the context that return promises. */
const METHODS = ['sleep', 'sleepUntil', 'waitForEvent', 'effect']
const METHOD = new RegExp(`\\b(?:${METHODS.join('|')})\\b`)
const NOT_AWAITED = new RegExp(`(?<!\\b(?:await|void) [\\w$]+\\.)${METHOD.source}`)

/** Such as `forEach(async (one) => …)`. */
const CALLED_FOR_EACH = /\.(?:forEach|map)\(async\b/

type Callable = FunctionNode | ArrowFunctionExpression

/** `offset`: where the module begins in the bundle. */
type Part = { readonly program: Program; readonly offset: number }

type Declared = { readonly callable: Callable; readonly offset: number }

export const findContextCalls = ({ code, used }: ProgramBundle): readonly Use[] => {
  const defineProgram = DEFINE_PROGRAM.exec(code)?.[1] ?? ''
  // Most Programs await all, so that nothing is parsed.
  if (!partsOf(code, used).some((part) => isOwn(part.code) && mayDrop(part.code))) return []
  const parts = searchParts(code, used, {
    mayHold: (part) =>
      isOwn(part) && (part.includes(`${defineProgram}(`) || METHOD.test(part) || CALLED_FOR_EACH.test(part)),
    search: (_, program): readonly Part[] => [{ program, offset: 0 }],
    moved: ({ program, offset }, by) => ({ program, offset: offset + by }),
  })
  const functions = functionsIn(parts)
  const callableOf = (node: Node, offset: number): Declared | undefined => {
    const callable = withoutName(node)
    return isCallable(callable) ? { callable, offset } : functions.get(nameOf(node) ?? '')
  }
  const uses: Use[] = []
  const known = new Set<Callable>()
  const search = (given: Declared | undefined, index: number): void => {
    if (given === undefined || known.has(given.callable)) return
    known.add(given.callable)
    const { callable, offset } = given
    const param = callable.params[index]
    if (param === undefined) return
    uses.push(...callsOf(param, callable).map((use) => ({ ...use, offset: use.offset + offset })))
    for (const [callee, at] of passedOn(nameOf(param), callable)) search(callableOf(callee, offset), at)
  }
  for (const { program, offset } of parts) {
    uses.push(...calledForEach(program).map((use) => ({ ...use, offset: use.offset + offset })))
    walk(program, (node) => {
      if (node.type !== 'CallExpression' || nameOf(node.callee) !== defineProgram) return
      if (node.arguments[1] !== undefined) search(callableOf(node.arguments[1], offset), 0)
    })
  }
  return uses
}

const isOwn = (part: string): boolean => !isDependency(moduleOf(part)) && !isMadeUp(moduleOf(part))

const mayDrop = (part: string): boolean => NOT_AWAITED.test(part) || CALLED_FOR_EACH.test(part)

const isCallable = (node: Node): node is Callable =>
  node.type === 'ArrowFunctionExpression' || node.type === 'FunctionExpression' || node.type === 'FunctionDeclaration'

/** The bundler writes `__name(…, "run")` around a function that has a name. */
const withoutName = (node: Node): Node =>
  node.type === 'CallExpression' && nameOf(node.callee) === '__name' ? node.arguments[0]! : node

/** By name, without those whose name is declared again: scopes that do not contain each other may share a name. */
const functionsIn = (parts: readonly Part[]): ReadonlyMap<string, Declared> => {
  const functions = new Map<string, Declared>()
  const names: string[] = []
  for (const { program, offset } of parts) {
    const note = (name: string, node: Node): void => {
      const callable = withoutName(node)
      if (isCallable(callable)) functions.set(name, { callable, offset })
    }
    names.push(...namesDeclaredIn(program))
    walk(program, (node) => {
      if (node.type === 'FunctionDeclaration') note(node.id!.name, node)
      if (node.type === 'VariableDeclarator' && node.id.type === 'Identifier' && node.init !== null)
        note(node.id.name, node.init)
    })
  }
  for (const name of severalIn(names)) functions.delete(name)
  return functions
}

const namesDeclaredIn = (within: Node): readonly string[] => {
  const names: string[] = []
  walk(within, (node) => {
    if (node.type === 'FunctionDeclaration') names.push(node.id!.name)
    if (node.type === 'VariableDeclarator') names.push(...patternNames(node.id))
    if (isCallable(node)) names.push(...node.params.flatMap(patternNames))
  })
  return names
}

const severalIn = (names: readonly string[]): ReadonlySet<string> =>
  new Set(names.toSorted().filter((name, index, sorted) => name === sorted[index - 1]))

/** The dropped calls of the context that a parameter holds, or whose methods it takes from it. */
const callsOf = (param: Node, callable: Callable): readonly Use[] => {
  const ctx = nameOf(param)
  const taken = new Set(methodsTakenBy(param))
  walk(callable, (node) => {
    if (node.type === 'VariableDeclarator' && node.init !== null && ctx !== undefined && nameOf(node.init) === ctx)
      for (const name of methodsTakenBy(node.id)) taken.add(name)
  })
  for (const name of severalIn(namesDeclaredIn(callable))) taken.delete(name)
  return droppedIn(callable).flatMap(({ start, callee }): readonly Use[] => {
    const own = nameOf(callee)
    if (own !== undefined) return taken.has(own) ? [{ offset: start, kind: 'unawaited', name: own }] : []
    if (callee.type !== 'MemberExpression' || callee.computed || ctx === undefined || nameOf(callee.object) !== ctx)
      return []
    const method = nameOf(callee.property) ?? ''
    return METHODS.includes(method) ? [{ offset: start, kind: 'unawaited', name: `${ctx}.${method}` }] : []
  })
}

/** `wait` of `{ waitForEvent: wait }`. */
const methodsTakenBy = (pattern: Node): readonly string[] =>
  pattern.type !== 'ObjectPattern'
    ? []
    : pattern.properties.flatMap((property) =>
        property.type === 'Property' && !property.computed && METHODS.includes(nameText(property.key))
          ? (nameOf(property.value) ?? [])
          : [],
      )

/** What is called with the context, and as which argument. */
const passedOn = (ctx: string | undefined, callable: Callable): readonly (readonly [callee: Node, at: number])[] => {
  const calls: (readonly [Node, number])[] = []
  walk(callable, (node) => {
    if (node.type !== 'CallExpression' || ctx === undefined) return
    const at = node.arguments.findIndex((argument) => argument.type === 'SpreadElement' || nameOf(argument) === ctx)
    if (at !== -1 && node.arguments[at]!.type !== 'SpreadElement') calls.push([node.callee, at])
  })
  return calls
}

/** The functions with `await` of `forEach`, and of a `map` whose result is dropped. */
const calledForEach = (program: Program): readonly Use[] =>
  droppedIn(program).flatMap(({ callee, arguments: [given] }): readonly Use[] => {
    const name = callee.type === 'MemberExpression' && !callee.computed ? nameOf(callee.property) : undefined
    if ((name !== 'forEach' && name !== 'map') || given === undefined || !isCallable(given) || !given.async) return []
    let awaits = false
    walk(given, ({ type }) => void (awaits ||= type === 'AwaitExpression'))
    return awaits ? [{ offset: given.start, kind: 'each', name }] : []
  })
