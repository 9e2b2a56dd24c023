// Finds the effects that a *.effects.ts module exports by parsing it. Evaluating it would run the project's code, which
// may need settings and connections, only to find names.

import type { Node } from 'oxc-parser'
import { definerOf, exportNamed, valueOfExport, withoutTypes, type ModuleFacts } from './module-facts.ts'
import { compareText, placeOf, sourceError, type SourceError } from './source-error.ts'

export const EFFECTS_MODULE = /\.effects(?:\.[cm]?[jt]sx?)?$/

export type EffectExports = {
  /** Exported functions, and values that may be functions; sorted. */
  readonly names: readonly string[]
  /** Effects with options from `defineEffect`, in this module or in one that it re-exports from. */
  readonly withOptions: readonly string[]
  /** Exports that are certainly not functions. */
  readonly others: readonly string[]
}

/** Finds the facts of the module that a specifier names; undefined for packages. */
export type FollowImport = (from: ModuleFacts, specifier: string) => Promise<ModuleFacts | undefined>

export type EffectExportsReading =
  | { readonly ok: true; readonly exports: EffectExports }
  | { readonly ok: false; readonly errors: readonly SourceError[] }

export const readEffectExports = async (facts: ModuleFacts, follow: FollowImport): Promise<EffectExportsReading> => {
  const names = new Map<string, EffectKind>()
  const errors: SourceError[] = []
  await collect(facts, follow, names, errors, new Set())
  if (errors.length > 0) return { ok: false, errors }
  const sorted = [...names].toSorted(([a], [b]) => compareText(a, b))
  const namesOf = (wanted: (kind: EffectKind) => boolean) =>
    sorted.flatMap(([name, kind]) => (wanted(kind) ? [name] : []))
  return {
    ok: true,
    exports: {
      names: namesOf((kind) => kind !== 'value'),
      withOptions: namesOf((kind) => kind === 'defined'),
      others: namesOf((kind) => kind === 'value'),
    },
  }
}

type EffectKind = 'function' | 'defined' | 'value'

const collect = async (
  facts: ModuleFacts,
  follow: FollowImport,
  names: Map<string, EffectKind>,
  errors: SourceError[],
  seen: Set<string>,
): Promise<void> => {
  if (seen.has(facts.path)) return
  seen.add(facts.path)
  for (const one of facts.exports) {
    if (one.kind !== 'all') {
      names.set(one.name, (await kindOfExport(facts, one.name, follow)) ?? 'function')
      continue
    }
    const origin = await follow(facts, one.specifier)
    if (origin === undefined) {
      const text = `export * from the package "${one.specifier}" does not list its effects: export them by name`
      errors.push(sourceError(placeOf(facts.path, facts.text, one.start), text, facts.text))
      continue
    }
    const inner = new Map<string, EffectKind>()
    await collect(origin, follow, inner, errors, seen)
    for (const [name, kind] of inner) if (name !== 'default' && !names.has(name)) names.set(name, kind)
  }
}

/** Follows re-exports to the declaration. Undefined if a module of the project has no such export. */
const kindOfExport = async (
  facts: ModuleFacts,
  name: string,
  follow: FollowImport,
  seen: ReadonlySet<string> = new Set(),
): Promise<EffectKind | undefined> => {
  const key = `${facts.path} ${name}`
  if (seen.has(key)) return undefined
  const one = exportNamed(facts, name)
  if (one?.kind === 'local') return kindOfValue(facts, valueOfExport(facts, one))
  const ways =
    one?.kind === 'from'
      ? [one]
      : facts.exports.flatMap((all) => (all.kind === 'all' ? [{ ...all, imported: name }] : []))
  for (const { specifier, imported } of ways) {
    if (imported === '*') return 'value'
    const origin = await follow(facts, specifier)
    const kind =
      origin === undefined ? 'function' : await kindOfExport(origin, imported, follow, new Set([...seen, key]))
    if (kind !== undefined) return kind
  }
  return undefined
}

const kindOfValue = (facts: ModuleFacts, given: Node | undefined, depth = 0): EffectKind => {
  const node = given && withoutTypes(given)
  switch (node?.type) {
    case 'CallExpression':
      return definerOf(node, facts.imports) === 'defineEffect' ? 'defined' : kindOfCall(facts, node, depth)
    case 'MemberExpression':
      return isOfEnvironment(node) ? 'value' : 'function'
    case 'LogicalExpression':
      return kindOfValue(facts, node.right, depth + 1) === 'value' ? 'value' : 'function'
    case 'ConditionalExpression':
      return [node.consequent, node.alternate].every((one) => kindOfValue(facts, one, depth + 1) === 'value')
        ? 'value'
        : 'function'
    case 'Identifier':
      return depth < 20 ? kindOfValue(facts, facts.values.get(node.name), depth + 1) : 'function'
    case 'Literal':
    case 'TemplateLiteral':
    case 'ObjectExpression':
    case 'ArrayExpression':
    case 'NewExpression':
    case 'ClassDeclaration':
    case 'ClassExpression':
    case 'UnaryExpression':
    case 'BinaryExpression':
    case 'TSEnumDeclaration':
    case 'TSModuleDeclaration':
      return 'value'
    default:
      return 'function'
  }
}

/** `process.env` and what is in it. */
const isOfEnvironment = (node: Node): boolean => {
  if (node.type !== 'MemberExpression') return false
  const { object, property } = node
  const isEnvironment = property.type === 'Identifier' && property.name === 'env' && isNamed(object, ['process'])
  return isEnvironment || isOfEnvironment(object)
}

const MAKE_VALUES = ['Number', 'String', 'Boolean', 'BigInt', 'Symbol', 'Date', 'parseInt', 'parseFloat']
const HOLD_MAKERS_OF_VALUES = ['JSON', 'Math', 'Number', 'String', 'Date', 'Array', 'Symbol', 'BigInt']
/** What they return is their first argument. */
const RETURN_WHAT_THEY_GET = ['freeze', 'seal', 'preventExtensions', 'assign']

/** A call of another function, such as one of the project, may make an effect. */
const kindOfCall = (facts: ModuleFacts, call: Extract<Node, { type: 'CallExpression' }>, depth: number): EffectKind => {
  const { callee } = call
  const isGlobal = (node: Node, names: readonly string[]): boolean =>
    isNamed(node, names) && !facts.values.has(node.name) && !facts.imports.has(node.name)
  if (isGlobal(callee, MAKE_VALUES)) return 'value'
  if (callee.type !== 'MemberExpression') return 'function'
  if (isGlobal(callee.object, HOLD_MAKERS_OF_VALUES)) return 'value'
  const [first] = call.arguments
  if (!isGlobal(callee.object, ['Object']) || !isNamed(callee.property, RETURN_WHAT_THEY_GET) || !first)
    return 'function'
  return first.type === 'SpreadElement' ? 'function' : kindOfValue(facts, first, depth + 1)
}

const isNamed = (node: Node, names: readonly string[]): node is Extract<Node, { type: 'Identifier' }> =>
  node.type === 'Identifier' && names.includes(node.name)
