// Finds forbidden code in a bundle. In the bundle, not in the source, because it no longer contains unused code.

import type { LogicalExpression, Node, Program } from 'oxc-parser'
import { searchOfCalls, type Call } from './find-calls.ts'
import { searchOfGlobalMembers } from './find-global-members.ts'
import { forbiddenName, mayHoldForbidden } from './forbidden-names.ts'
import { childrenOf, nameOf, walk } from './module-facts.ts'
import { BUNDLE, parse } from './parse.ts'
import { moduleOf, searchParts } from './script-parts.ts'
import { isDependency } from './source-files.ts'

export type Use = {
  /** The position in the bundle. */
  readonly offset: number
  readonly kind: 'global' | 'module' | 'import' | 'effect' | 'early' | 'each' | 'jsx' | 'undeclared' | Call['kind']
  /**
   * The global, or the imported module if known; `defineEffect` for an effect that is defined in the bundle; what is called, also by JSX; an event; the
   * module that declares what is read too early.
   */
  readonly name: string
  /** Only `typeof x`, which is harmless. */
  readonly isQuestion?: true
  /** Only reached if the global exists, or if a failure is caught. */
  readonly isGuarded?: boolean
  /**
   * In `x instanceof File`, which fails only for those who have such values, in `import.meta?.env`, which never fails, or `self` as a whole:
   * packages look for the global object under this name after others, of which one is there.
   */
  readonly isHarmlessInPackages?: boolean
  /** `globalThis.self = …`, after which the global exists. */
  readonly isAssigned?: true
  /** From the global object, other than as `globalThis.x`. */
  readonly isTaken?: true
}

/** The authoring API's own, which is in the bundle if something calls it. The bundler adds a number if the name is taken. */
const DEFINE_EFFECT = /\bfunction (defineEffect\d*)\(effectOptions, /

/** `used`: the names of the modules in the bundle. */
export const findUses = (code: string, used: ReadonlySet<string>): readonly Use[] => {
  const defineEffect = DEFINE_EFFECT.exec(code)?.[1]
  const calls = searchOfCalls(code)
  const members = searchOfGlobalMembers(code)
  // Packages try many ways to the global object, and go on without what it lacks.
  const mayHoldMembers = (part: string): boolean => members.mayHold(part) && !isDependency(moduleOf(part))
  const found = searchParts(code, used, {
    mayHold: (part) => mayHoldUses(part) || calls.mayHold(part) || mayHoldMembers(part),
    search: (part, program) => [
      ...forbiddenIn(program),
      ...(calls.mayHold(part) ? calls.search(program) : []),
      ...(mayHoldMembers(part) ? members.search(program) : []),
    ],
    moved: (use, by): Use => ({ ...use, offset: use.offset + by }),
  })
  const assigned = new Set(found.flatMap((use) => ('isAssigned' in use ? use.name : [])))
  const uses = found.filter(
    (use) => !('isTaken' in use) || !(members.mayExist(use.name) || assigned.has(`globalThis.${use.name}`)),
  )
  if (defineEffect === undefined) return uses
  return [...uses, ...definedEffects(defineEffect, parse(BUNDLE, code, 'script').program)]
}

const mayHoldUses = (code: string): boolean => mayHoldForbidden(code) || /\bimport\s*\(|__require\b/.test(code)

const forbiddenIn = (program: Program): readonly Use[] => {
  const uses: Use[] = []
  const left: Visit[] = [{ node: program, known: new Set(), isCaught: false }]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    for (const below of visit(next, uses).toReversed()) left.push(below)
  }
  return uses
}

/**
 * Where modules define effects that the bundle calls or passes on. Not within functions and objects: the bundler keeps all of an
 * object when one member is used, so the Program may not even get there.
 */
const definedEffects = (defineEffect: string, program: Node): readonly Use[] => {
  const nodes: Node[] = []
  walk(program, (node) => void nodes.push(node))
  const operands = nodes.flatMap((node) => (node.type === 'CallExpression' ? [node.callee, ...node.arguments] : []))
  const used = new Set(operands.map(nameOf))
  const scopes = nodes.flatMap((node) => ('body' in node && Array.isArray(node.body) ? [node.body as Node[]] : []))
  return (scopes.find((scope) => scope.some((one) => isFunction(one, defineEffect))) ?? [])
    .flatMap((one) => (one.type === 'VariableDeclaration' ? one.declarations : []))
    .filter(
      ({ id, init }) => init?.type === 'CallExpression' && nameOf(init.callee) === defineEffect && used.has(nameOf(id)),
    )
    .map(({ init }) => ({ offset: init!.start, kind: 'effect', name: 'defineEffect' }))
}

const isFunction = (node: Node, name: string): boolean => node.type === 'FunctionDeclaration' && node.id?.name === name

type Visit = {
  readonly node: Node
  /** The globals that exist there. */
  readonly known: ReadonlySet<string>
  readonly isCaught: boolean
  readonly isHarmlessInPackages?: boolean
  /** The `x` of `x.y`, or of `const { y } = x`. */
  readonly isObjectOfMember?: boolean
}

/** Adds what a node itself uses, and returns the nodes below it that are to be visited. */
const visit = (
  { node, known, isCaught, isHarmlessInPackages = false, isObjectOfMember = false }: Visit,
  uses: Use[],
): readonly Visit[] => {
  const inside = (child: Node | null | undefined, more: Iterable<string> = [], caught = isCaught): readonly Visit[] =>
    child === null || child === undefined ? [] : [{ node: child, known: union(known, more), isCaught: caught }]
  switch (node.type) {
    case 'Identifier': {
      const name = forbiddenName(node.name)
      if (name === undefined) return []
      uses.push({
        offset: node.start,
        kind: 'global',
        name,
        isGuarded: known.has(name),
        isHarmlessInPackages: isHarmlessInPackages || (name === 'self' && !isObjectOfMember),
      })
      return []
    }
    case 'UnaryExpression': {
      const name = askedName(node)
      if (name === undefined) return inside(node.argument)
      uses.push({ offset: node.start, kind: 'global', name, isQuestion: true, isGuarded: true })
      return []
    }
    case 'AssignmentExpression': {
      const name = node.left.type === 'Identifier' ? forbiddenName(node.left.name) : undefined
      if (name?.startsWith('globalThis.') !== true) break
      uses.push({ offset: node.left.start, kind: 'global', name, isAssigned: true })
      return inside(node.right)
    }
    case 'BinaryExpression':
      if (node.operator !== 'instanceof') break
      return [...inside(node.left), { node: node.right, known, isCaught, isHarmlessInPackages: true }]
    case 'MemberExpression': {
      const name = node.object.type === 'Identifier' ? forbiddenName(node.object.name) : undefined
      const isMeta = node.optional && name === 'import.meta'
      if (!isMeta && name !== 'self') break
      const object: Visit = { node: node.object, known, isCaught, isHarmlessInPackages: isMeta, isObjectOfMember: true }
      return [...inside(node.property), object]
    }
    case 'VariableDeclarator':
      if (node.id.type !== 'ObjectPattern' || node.init?.type !== 'Identifier') break
      return [...inside(node.id), { node: node.init, known, isCaught, isObjectOfMember: true }]
    case 'ImportExpression':
      uses.push({ offset: node.start, kind: 'import', name: textOf(node.source) })
      return []
    case 'CallExpression':
      if (node.callee.type !== 'Identifier' || node.callee.name !== '__require') break
      uses.push({ offset: node.start, kind: 'module', name: textOf(node.arguments[0]), isGuarded: isCaught })
      return []
    case 'TryStatement':
      return [
        ...inside(node.block, [], isCaught || node.handler !== null),
        ...inside(node.handler),
        ...inside(node.finalizer),
      ]
    case 'IfStatement':
    case 'ConditionalExpression': {
      const { whenTrue, whenFalse } = existing(node.test)
      const constant = constantOf(node.test)
      return [
        ...inside(node.test),
        ...(constant === false ? [] : inside(node.consequent, whenTrue)),
        ...(constant === true ? [] : inside(node.alternate, whenFalse)),
      ]
    }
    case 'LogicalExpression': {
      const operands = operandsOf(node)
      const constant = constantOf(operands[0]!)
      if (constant !== undefined && (constant ? node.operator === '||' : node.operator === '&&'))
        return inside(operands[0])
      let more: readonly string[] = []
      return operands.flatMap((operand) => {
        const found = inside(operand, more)
        const { whenTrue, whenFalse } = existing(operand)
        more = [...more, ...(node.operator === '&&' ? whenTrue : node.operator === '||' ? whenFalse : [])]
        return found
      })
    }
    default:
  }
  return childrenOf(node).flatMap((child) => inside(child))
}

/** `a`, `b` and `c` of `a && b && c`. */
const operandsOf = (node: LogicalExpression): readonly Node[] => {
  const operands: Node[] = []
  let first: Node = node
  for (; first.type === 'LogicalExpression' && first.operator === node.operator; first = first.left)
    operands.push(first.right)
  return [first, ...operands.toReversed()]
}

/** The constant value of a test, such as a library's test of its mode, which is fixed when it is bundled. */
const constantOf = (test: Node): boolean | undefined => {
  if (test.type === 'Literal') return typeof test.value === 'boolean' ? test.value : undefined
  if (test.type === 'UnaryExpression' && test.operator === '!') {
    const negated = constantOf(test.argument)
    return negated === undefined ? undefined : !negated
  }
  if (test.type !== 'BinaryExpression') return undefined
  const [left, right] = [knownValue(test.left), knownValue(test.right)]
  if (left === undefined || right === undefined) return undefined
  const isEqual = left === right
  if (test.operator === '===' || test.operator === '==') return isEqual
  return test.operator === '!==' || test.operator === '!=' ? !isEqual : undefined
}

/** Of all the names under which packages look for the global object, this one is there. */
const knownValue = (node: Node): unknown => {
  if (node.type === 'Literal') return node.value
  return askedIdentifier(node) === 'globalThis' ? 'object' : undefined
}

type Existing = { readonly whenTrue: readonly string[]; readonly whenFalse: readonly string[] }

/** The globals that exist if a test is true, and if it is false. */
const existing = (test: Node): Existing => {
  if (test.type === 'UnaryExpression' && test.operator === '!') {
    const { whenTrue, whenFalse } = existing(test.argument)
    return { whenTrue: whenFalse, whenFalse: whenTrue }
  }
  if (test.type === 'LogicalExpression') {
    const each = operandsOf(test).map(existing)
    if (test.operator === '&&') return { whenTrue: each.flatMap(({ whenTrue }) => whenTrue), whenFalse: [] }
    if (test.operator === '||') return { whenTrue: [], whenFalse: each.flatMap(({ whenFalse }) => whenFalse) }
  }
  if (test.type !== 'BinaryExpression') return NOTHING
  const asked = askedName(test.left) ?? askedName(test.right)
  if (asked === undefined) return NOTHING
  const compared = textOf(askedName(test.left) === undefined ? test.left : test.right)
  const isEqual = test.operator === '===' || test.operator === '=='
  if (!isEqual && test.operator !== '!==' && test.operator !== '!=') return NOTHING
  const existsWhenTrue = (compared === 'undefined') !== isEqual
  // `typeof x !== 'function'` says nothing if true, and `typeof x === 'function'` nothing if false.
  return existsWhenTrue ? { whenTrue: [asked], whenFalse: [] } : { whenTrue: [], whenFalse: [asked] }
}

const NOTHING: Existing = { whenTrue: [], whenFalse: [] }

const askedName = (node: Node): string | undefined => {
  const asked = askedIdentifier(node)
  return asked === undefined ? undefined : forbiddenName(asked)
}

/** `x` of `typeof x`. */
const askedIdentifier = (node: Node): string | undefined => {
  if (node.type !== 'UnaryExpression' || node.operator !== 'typeof') return undefined
  const { argument } = node
  const inner = argument.type === 'ParenthesizedExpression' ? argument.expression : argument
  // The bundler writes `typeof (0, x)` where the stand-in `x` replaces a property.
  const asked = inner.type === 'SequenceExpression' ? inner.expressions.at(-1) : inner
  return asked?.type === 'Identifier' ? asked.name : undefined
}

const textOf = (node: Node | undefined): string =>
  node?.type === 'Literal' && typeof node.value === 'string' ? node.value : ''

const union = (known: ReadonlySet<string>, more: Iterable<string>): ReadonlySet<string> => {
  const added = [...more]
  return added.length === 0 ? known : new Set([...known, ...added])
}
