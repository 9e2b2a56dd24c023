// Cuts modules down to the code that one use needs. A Program runs without its schemas, and is described without its
// function, so cutting before bundling keeps schema libraries out of the Program, and the Program's dependencies out of
// the description. The remaining code keeps its position.

import type { Node } from 'oxc-parser'
import { blank, type Blanked } from './blank.ts'
import { loaderOf } from './bundling.ts'
import {
  definerOf,
  exportNamed,
  JSX,
  SDK,
  namesIn,
  nameText,
  walk,
  withoutTypes,
  type Definer,
  type ModuleFacts,
  type ModuleStatement,
  type Range,
} from './module-facts.ts'

type Replacement = Range & { readonly instead: string }

/** The options of the definitions exported under `names`, and the code that these need. */
export const describingSlice = (facts: ModuleFacts, names: readonly string[]): Blanked =>
  slice(facts, rootsOf(facts, names), definersOf(facts, functionOf))

/** Everything that other modules can import, without the functions of its own definitions. */
export const withoutFunctions = (facts: ModuleFacts): Blanked =>
  slice(
    facts,
    new Set(facts.statements.filter(({ node }) => isExport(node) || !mayBeDropped(node, facts))),
    definersOf(facts, functionOf),
  )

/** One exported definition, and statements with side effects; no schemas. */
export const runningSlice = (facts: ModuleFacts, name: string): Blanked => {
  const roots = new Set(facts.statements.filter(({ node }) => !mayBeDropped(node, facts)))
  for (const root of rootsOf(facts, [name])) roots.add(root)
  // Also with `verbatimModuleSyntax`, because a module with types often needs Node.
  return slice(facts, roots, definersOf(facts, schemaOf), ({ node }) => isForTypes(node, facts))
}

/** Whether an import whose names no code uses only brings types. JSX uses names that it does not mention. */
const isForTypes = (node: Node, { path }: ModuleFacts): boolean =>
  node.type === 'ImportDeclaration' &&
  node.specifiers.length > 0 &&
  (loaderOf(path) === 'ts' || node.specifiers.every((one) => 'importKind' in one && one.importKind === 'type'))

/**
 * Everything that other modules can import, without the schemas passed to define functions. Definitions and schemas are
 * marked as pure, so that the bundler drops unused ones.
 */
export const withoutSchemas = (facts: ModuleFacts): Blanked =>
  slice(facts, new Set(facts.statements.filter(({ node }) => isExport(node) || !mayBeDropped(node, facts))), [
    ...definersOf(facts, schemaOf),
    ...pureMarks(facts),
  ])

/** Whether cutting may leave out anything. */
export const isWorthCutting = ({ imports }: ModuleFacts): boolean =>
  [...imports.values()].some(({ specifier }) => specifier === SDK || SCHEMA_LIBRARIES.test(specifier))

const PURE = '/* @__PURE__ */ '

const pureMarks = (facts: ModuleFacts): readonly Replacement[] =>
  [...facts.values.values()].flatMap((value) => {
    const node = withoutTypes(value)
    if (node.type !== 'CallExpression') return []
    const before = { start: node.start, end: node.start }
    if (definerOf(node, facts.imports) !== undefined) return [{ ...before, instead: PURE }]
    if (!isOfSchemaLibrary(node, facts) || !isPure(node, facts)) return []
    // Wrapped in one pure call, because the calls inside are not marked.
    return [
      { ...before, instead: `${PURE}(() => ` },
      { start: node.end, end: node.end, instead: ')()' },
    ]
  })

const slice = (
  facts: ModuleFacts,
  roots: ReadonlySet<ModuleStatement>,
  replacements: readonly Replacement[],
  /** Of imports whose names the rest does not use: those that are not needed for their side effects. */
  isNeedless: (statement: ModuleStatement) => boolean = () => false,
): Blanked => {
  const { statements, text } = facts
  const declaring = new Map<string, ModuleStatement[]>()
  for (const statement of statements) {
    for (const name of statement.declares) declaring.set(name, [...(declaring.get(name) ?? []), statement])
  }
  const kept = new Set<ModuleStatement>()
  const names = new Set<string>()
  const visit = (statement: ModuleStatement): void => {
    if (kept.has(statement) || statement.node.type === 'ImportDeclaration') return
    kept.add(statement)
    for (const name of namesIn(statement.node, replacements)) {
      names.add(name)
      declaring.get(name)?.forEach(visit)
    }
  }
  roots.forEach(visit)
  // Which functions it calls depends on comments and on tsconfig.json, so the bundler drops what is not called.
  if (names.has(JSX)) statements.filter((one) => mayBeCalledByJsx(one, facts)).forEach(visit)
  const mentioned = new Set(
    statements.flatMap(({ node }) => (node.type === 'ImportDeclaration' ? [] : [...namesIn(node)])),
  )
  const dropped = statements.filter((statement) => {
    if (statement.node.type !== 'ImportDeclaration') return !kept.has(statement)
    if (statement.declares.some((name) => names.has(name))) return false
    return (!names.has(JSX) && statement.declares.some((name) => mentioned.has(name))) || isNeedless(statement)
  })
  return blank(text, [...dropped, ...replacements])
}

const mayBeCalledByJsx = ({ declares }: ModuleStatement, facts: ModuleFacts): boolean =>
  declares.some((name) => {
    const value = facts.values.get(name)
    const call = value && withoutTypes(value)
    return call?.type !== 'CallExpression' || !(definerOf(call, facts.imports) ?? isOfSchemaLibrary(call, facts))
  })

/** The statements that declare and export `names`. */
const rootsOf = (facts: ModuleFacts, names: readonly string[]): ReadonlySet<ModuleStatement> => {
  const wanted = names.flatMap((name) => exportNamed(facts, name) ?? [])
  const locals = new Set(wanted.flatMap((one) => (one.kind === 'local' ? [one.local] : [])))
  const isAnyElsewhere = wanted.length < names.length
  return new Set(
    facts.statements.filter(
      ({ node, declares }) =>
        node.type !== 'ImportDeclaration' &&
        (declares.some((name) => locals.has(name)) ||
          wanted.some(({ name }) => exportsUnder(node, name)) ||
          (isAnyElsewhere && node.type === 'ExportAllDeclaration')),
    ),
  )
}

const exportsUnder = (node: Node, name: string): boolean => {
  switch (node.type) {
    case 'ExportDefaultDeclaration':
      return name === 'default'
    case 'ExportAllDeclaration':
      return node.exported !== null && nameText(node.exported) === name
    case 'ExportNamedDeclaration':
      return node.specifiers.some(({ exported }) => nameText(exported) === name)
    default:
      return false
  }
}

const isExport = ({ type }: Node): boolean => type.startsWith('Export')

type PartOf = (definer: Definer, call: Extract<Node, { type: 'CallExpression' }>) => Replacement | undefined

const definersOf = (facts: ModuleFacts, partOf: PartOf): readonly Replacement[] => {
  const found: Replacement[] = []
  for (const { node } of facts.statements) {
    walk(node, (inner) => {
      const definer = definerOf(inner, facts.imports)
      const part = definer && inner.type === 'CallExpression' ? partOf(definer, inner) : undefined
      if (part !== undefined) found.push(part)
    })
  }
  return found
}

const zero = ({ start, end }: Node): Replacement => ({ start, end, instead: '0' })

const functionOf: PartOf = (definer, { arguments: [, run] }) =>
  definer === 'defineEvent' || run === undefined ? undefined : zero(run)

const schemaOf: PartOf = (definer, { arguments: [first, second] }) => {
  if (definer === 'defineEvent') return second && zero(second)
  if (definer !== 'defineProgram' || first?.type !== 'ObjectExpression') return undefined
  for (const property of first.properties) {
    if (property.type !== 'Property' || property.computed || nameText(property.key) !== 'input') continue
    return property.shorthand ? { start: property.start, end: property.end, instead: '_:0' } : zero(property.value)
  }
  return undefined
}

/** Whether a statement only declares. */
const mayBeDropped = (node: Node, facts: ModuleFacts): boolean => {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'FunctionDeclaration':
    case 'ExportAllDeclaration':
      return true
    case 'ClassDeclaration':
      return isPure(node, facts)
    case 'VariableDeclaration':
      return node.declarations.every(({ init }) => init === null || isPure(init, facts))
    case 'ExportDefaultDeclaration':
      return isPure(node.declaration, facts)
    case 'ExportNamedDeclaration':
      return node.declaration === null || mayBeDropped(node.declaration, facts)
    default:
      return false
  }
}

const SCHEMA_LIBRARIES =
  /^(?:zod|valibot|@valibot\/to-json-schema|arktype|typebox|@sinclair\/typebox|effect|yup|joi|sury)(?:\/|$)/

/** Whether an expression has no side effects. */
const isPure = (given: Node, facts: ModuleFacts): boolean => {
  const node = withoutTypes(given)
  let pure = true
  walk(node, (inner) => {
    if (!pure) return false
    switch (inner.type) {
      case 'ArrowFunctionExpression':
      case 'FunctionExpression':
      case 'FunctionDeclaration':
        return false
      case 'CallExpression':
      case 'NewExpression':
        pure = definerOf(inner, facts.imports) !== undefined || isOfSchemaLibrary(inner, facts)
        break
      case 'AssignmentExpression':
      case 'UpdateExpression':
      case 'AwaitExpression':
      case 'YieldExpression':
      case 'TaggedTemplateExpression':
      case 'ImportExpression':
      case 'StaticBlock':
      case 'Decorator':
        pure = false
        break
      case 'UnaryExpression':
        pure = inner.operator !== 'delete'
        break
      default:
    }
    return pure
  })
  return pure
}

/** Whether a call is like `z.object(…).strict()`, or `Order.extend(…)` with such an `Order` in the same module. */
export const isOfSchemaLibrary = (call: Node, facts: ModuleFacts, depth = 0): boolean => {
  let root: Node = withoutTypes(call)
  for (;;) {
    if (root.type === 'CallExpression' || root.type === 'NewExpression') root = withoutTypes(root.callee)
    else if (root.type === 'MemberExpression') root = withoutTypes(root.object)
    else break
  }
  if (root.type !== 'Identifier') return false
  const origin = facts.imports.get(root.name)
  if (origin !== undefined) return SCHEMA_LIBRARIES.test(origin.specifier)
  const value = facts.values.get(root.name)
  return value !== undefined && depth < 20 && isOfSchemaLibrary(value, facts, depth + 1)
}
