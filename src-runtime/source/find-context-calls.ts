// Finds in a bundle the calls of a Program's context whose promises are dropped, and waits for events that the Program does not
// declare: in the Program's function, and in functions of the project that get the context from it; and asynchronous functions for
// which nothing waits. The bundler gives no variable the name of one of an outer scope, so a name stands for one variable in all scopes below.

import type { ArrowFunctionExpression, CallExpression, Function as FunctionNode, Node, Program } from 'oxc-parser'
import type { ProgramBundle } from './bundle-programs.ts'
import { droppedIn } from './dropped-calls.ts'
import type { Use } from './find-uses.ts'
import { nameOf, nameText, walk } from './module-facts.ts'
import { patternNames } from './pattern-names.ts'
import { moduleOf, partsOf, searchParts } from './script-parts.ts'
import { isDependency } from './source-files.ts'
import { isMadeUp } from './source-map.ts'

/** The authoring API's own. The bundler adds a number if the name is taken. */
const DEFINE_PROGRAM = /\bfunction (defineProgram\d*)\(\{ id, /

/** The methods of the context that return promises. */
const METHODS = ['sleep', 'sleepUntil', 'waitForEvent', 'effect']
const METHOD = new RegExp(`\\b(?:${METHODS.join('|')})\\b`)
const NOT_AWAITED = new RegExp(`(?<!\\b(?:await|void) [\\w$]+\\.)${METHOD.source}`)

/** What is waited for: its name, or a variable that holds a definition. */
const AWAITED = /\bwaitForEvent\w*\(\s*(?:["'`]([^"'`\\]+)["'`]|([\w$]+))/g

/** Events of the project, in variables. */
const DEFINED_EVENT = /^ *(?:var|let|const) ([\w$]+) = (?:\/\* @__PURE__ \*\/ )?defineEvent\d*\("([^"\\]+)"/gm

/** Such as `forEach(async (one) => …)`. */
const CALLED_FOR_EACH = /\.(?:forEach|map)\(async\b/

type Callable = FunctionNode | ArrowFunctionExpression

/** `offset`: where the module begins in the bundle. */
type Part = { readonly program: Program; readonly offset: number }

type Declared = { readonly callable: Callable; readonly offset: number }

/** `declared`: the names of the Program's events. If there are none, it may wait for any. */
export const findContextCalls = ({ code, used }: ProgramBundle, declared: readonly string[]): readonly Use[] => {
  const defineProgram = DEFINE_PROGRAM.exec(code)?.[1] ?? ''
  const defined = new Map(Array.from(code.matchAll(DEFINED_EVENT), ([, local = '', name = '']) => [local, name]))
  const isUndeclared = (event: string | undefined): event is string =>
    event !== undefined && declared.length > 0 && !declared.includes(event)
  const mayWaitForOther = (part: string): boolean =>
    Array.from(part.matchAll(AWAITED)).some(([, name, local = '']) => isUndeclared(name ?? defined.get(local)))
  // Most Programs await all, and declared events only, so that nothing is parsed.
  const isDoubtful = (part: string): boolean => isOwn(part) && (mayDrop(part) || mayWaitForOther(part))
  if (!partsOf(code, used).some((part) => isDoubtful(part.code))) return []
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
    const calls = methodCallsOf(param, callable)
    const found = [...unawaitedIn(callable, calls), ...waitsFor(calls, defined, isUndeclared)]
    uses.push(...found.map((use) => ({ ...use, offset: use.offset + offset })))
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

type MethodCall = { readonly method: string; /** As the code writes it. */ readonly name: string }

/** The calls of the methods of the context that a parameter holds, or whose methods it takes from it. */
const methodCallsOf = (param: Node, callable: Callable): ReadonlyMap<CallExpression, MethodCall> => {
  const ctx = nameOf(param)
  const taken = new Map(methodsTakenBy(param))
  walk(callable, (node) => {
    if (node.type === 'VariableDeclarator' && node.init !== null && ctx !== undefined && nameOf(node.init) === ctx)
      for (const [local, method] of methodsTakenBy(node.id)) taken.set(local, method)
  })
  for (const name of severalIn(namesDeclaredIn(callable))) taken.delete(name)
  const calls = new Map<CallExpression, MethodCall>()
  walk(callable, (node) => {
    if (node.type !== 'CallExpression') return
    const { callee } = node
    const own = nameOf(callee)
    const method = own === undefined ? methodOf(callee, ctx) : taken.get(own)
    if (method !== undefined) calls.set(node, { method, name: own ?? `${ctx}.${method}` })
  })
  return calls
}

const methodOf = (callee: Node, ctx: string | undefined): string | undefined => {
  if (callee.type !== 'MemberExpression' || callee.computed || ctx === undefined || nameOf(callee.object) !== ctx)
    return
  const method = nameOf(callee.property) ?? ''
  return METHODS.includes(method) ? method : undefined
}

const unawaitedIn = (callable: Callable, calls: ReadonlyMap<CallExpression, MethodCall>): readonly Use[] =>
  droppedIn(callable).flatMap((call): readonly Use[] => {
    const name = calls.get(call)?.name
    return name === undefined ? [] : [{ offset: call.start, kind: 'unawaited', name }]
  })

const waitsFor = (
  calls: ReadonlyMap<CallExpression, MethodCall>,
  defined: ReadonlyMap<string, string>,
  isUndeclared: (event: string | undefined) => event is string,
): readonly Use[] =>
  [...calls].flatMap(([call, { method }]): readonly Use[] => {
    const [event] = call.arguments
    if (method !== 'waitForEvent' || event === undefined) return []
    const name =
      event.type === 'Literal' && typeof event.value === 'string' ? event.value : defined.get(nameOf(event) ?? '')
    return isUndeclared(name) ? [{ offset: event.start, kind: 'undeclared', name }] : []
  })

/** The variable of each method: `wait` of `{ waitForEvent: wait }`. */
const methodsTakenBy = (pattern: Node): readonly (readonly [local: string, method: string])[] =>
  pattern.type !== 'ObjectPattern'
    ? []
    : pattern.properties.flatMap((property): readonly (readonly [string, string])[] => {
        if (property.type !== 'Property' || property.computed) return []
        const [method, local] = [nameText(property.key), nameOf(property.value)]
        return METHODS.includes(method) && local !== undefined ? [[local, method]] : []
      })

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
