// Parses one of the project's modules before bundling: its top-level statements, their declarations and references, its
// exports, and its calls of the define functions.

import { visitorKeys, type Directive, type Node, type Statement } from 'oxc-parser'
import { hiddenImports } from './hidden-imports.ts'
import { parse, tooDeep } from './parse.ts'
import { patternNames } from './pattern-names.ts'
import { placeOf, sourceError, type SourceError } from './source-error.ts'

export const SDK = 'workflow-execution-service'

export type Definer = 'defineProgram' | 'defineEvent' | 'defineEffect'

export type Range = { readonly start: number; readonly end: number }

export type ModuleExport =
  /** Declared in the module. */
  | { readonly kind: 'local'; readonly name: string; readonly local: string }
  | { readonly kind: 'from'; readonly name: string; readonly imported: string; readonly specifier: string }
  | { readonly kind: 'all'; readonly specifier: string; readonly start: number }

type NamedExport = Exclude<ModuleExport, { kind: 'all' }>

export type ModuleStatement = Range & {
  readonly node: TopLevel
  readonly declares: readonly string[]
}

export type TopLevel = Statement | Directive

export type ImportedName = { readonly specifier: string; /** `*` for the namespace. */ readonly imported: string }

export type ModuleFacts = {
  readonly path: string
  readonly text: string
  readonly statements: readonly ModuleStatement[]
  readonly exports: readonly ModuleExport[]
  readonly imports: ReadonlyMap<string, ImportedName>
  /** By name: the values of top-level `const`, `let` and `var`, functions, classes, enums, namespaces, and `default`. */
  readonly values: ReadonlyMap<string, Node>
}

export type ModuleReading =
  | { readonly ok: true; readonly facts: ModuleFacts }
  | {
      readonly ok: false
      readonly errors: readonly SourceError[]
      /** The bundler must not read it: it takes hours, or makes something else of it without a word. */
      readonly isRefused?: true
    }

export const readModule = (path: string, text: string): ModuleReading => {
  const deep = tooDeep(path, text, 'module')
  if (deep !== undefined) {
    return { ok: false, errors: [sourceError(placeOf(path, text, deep.at), deep.text, text)], isRefused: true }
  }
  const { program, errors } = parse(path, text, 'module')
  const fatal = errors.filter(({ severity }) => severity === 'Error')
  if (fatal.length > 0) {
    return {
      ok: false,
      errors: fatal.map((error) => {
        const [label] = error.labels
        const start = label?.start ?? 0
        return sourceError(placeOf(path, text, start), error.message, text, (label?.end ?? start + 1) - start)
      }),
    }
  }
  const hidden = hiddenImports(program)
  if (hidden.length > 0) {
    return {
      ok: false,
      errors: hidden.map(({ name, start }) =>
        sourceError(placeOf(path, text, start), `Identifier \`${name}\` has already been declared`, text, name.length),
      ),
      isRefused: true,
    }
  }
  const statements = program.body.map((node) => ({
    node,
    start: node.start,
    end: node.end,
    declares: namesDeclaredBy(node),
  }))
  const values = new Map<string, Node>()
  const imports = new Map<string, ImportedName>()
  const exports: ModuleExport[] = []
  for (const { node } of statements) {
    noteValues(node, values)
    noteImports(node, imports)
    exports.push(...exportsOf(node))
  }
  return { ok: true, facts: { path, text, statements, exports: throughImports(exports, imports), imports, values } }
}

/** Treats `import { a } from './a.ts'; export { a }` like `export { a } from './a.ts'`. */
const throughImports = (
  exports: readonly ModuleExport[],
  imports: ReadonlyMap<string, ImportedName>,
): readonly ModuleExport[] =>
  exports.map((one) => {
    const origin = one.kind === 'local' ? imports.get(one.local) : undefined
    return origin === undefined || one.kind !== 'local' ? one : { kind: 'from', name: one.name, ...origin }
  })

const declarationOf = (node: TopLevel): Node | undefined =>
  node.type === 'ExportNamedDeclaration' ? (node.declaration ?? undefined) : node

const namesDeclaredBy = (node: TopLevel): readonly string[] => {
  if (node.type === 'ImportDeclaration') return node.specifiers.map(({ local }) => local.name)
  if (node.type === 'ExportDefaultDeclaration') return [...ownNames(node.declaration), 'default']
  const declaration = declarationOf(node)
  return declaration === undefined ? [] : ownNames(declaration)
}

const ownNames = (declaration: Node): readonly string[] => {
  if (declaration.type === 'VariableDeclaration') return declaration.declarations.flatMap(({ id }) => patternNames(id))
  return 'id' in declaration && isNode(declaration.id) ? patternNames(declaration.id) : []
}

const noteValues = (node: TopLevel, values: Map<string, Node>): void => {
  if (node.type === 'ExportDefaultDeclaration') {
    values.set('default', node.declaration)
    return
  }
  const declaration = declarationOf(node)
  if (declaration?.type === 'VariableDeclaration') {
    for (const { id, init } of declaration.declarations) {
      if (id.type === 'Identifier' && init !== null) values.set(id.name, init)
    }
  }
  if (declaration?.type === 'FunctionDeclaration' || declaration?.type === 'ClassDeclaration') {
    if (declaration.id !== null) values.set(declaration.id.name, declaration)
  }
  if (declaration?.type === 'TSEnumDeclaration' || declaration?.type === 'TSModuleDeclaration') {
    if (declaration.id.type === 'Identifier' && !values.has(declaration.id.name)) {
      values.set(declaration.id.name, declaration)
    }
  }
}

/** Names may be identifiers or string literals. */
export const nameText = (node: Node): string => {
  if (node.type === 'Identifier') return node.name
  return node.type === 'Literal' && typeof node.value === 'string' ? node.value : ''
}

const noteImports = (node: TopLevel, imports: Map<string, ImportedName>): void => {
  if (node.type !== 'ImportDeclaration' || node.importKind === 'type') return
  for (const one of node.specifiers) {
    if (one.type === 'ImportSpecifier' && one.importKind === 'type') continue
    const imported =
      one.type === 'ImportSpecifier' ? nameText(one.imported) : one.type === 'ImportDefaultSpecifier' ? 'default' : '*'
    imports.set(one.local.name, { specifier: node.source.value, imported })
  }
}

const exportsOf = (node: TopLevel): readonly ModuleExport[] => {
  switch (node.type) {
    case 'ExportAllDeclaration':
      if (node.exportKind === 'type') return []
      if (node.exported === null) return [{ kind: 'all', specifier: node.source.value, start: node.start }]
      return [{ kind: 'from', name: nameText(node.exported), imported: '*', specifier: node.source.value }]
    case 'ExportDefaultDeclaration':
      if (node.declaration.type === 'TSInterfaceDeclaration') return []
      return [
        {
          kind: 'local',
          name: 'default',
          local: node.declaration.type === 'Identifier' ? node.declaration.name : 'default',
        },
      ]
    case 'ExportNamedDeclaration':
      return node.exportKind === 'type' ? [] : namedExports(node)
    default:
      return []
  }
}

const namedExports = (node: Extract<TopLevel, { type: 'ExportNamedDeclaration' }>): readonly ModuleExport[] => {
  const { declaration, source } = node
  if (declaration !== null) {
    if (declaration.type === 'TSInterfaceDeclaration' || declaration.type === 'TSTypeAliasDeclaration') return []
    return namesDeclaredBy(node).map((name) => ({ kind: 'local', name, local: name }))
  }
  return node.specifiers
    .filter(({ exportKind }) => exportKind !== 'type')
    .map((one) => {
      const name = nameText(one.exported)
      const local = nameText(one.local)
      return source === null
        ? { kind: 'local', name, local }
        : { kind: 'from', name, imported: local, specifier: source.value }
    })
}

/** What the module exports under a name, unless that comes by `export *`. */
export const exportNamed = (facts: ModuleFacts | undefined, name: string): NamedExport | undefined =>
  facts?.exports.find((one): one is NamedExport => one.kind !== 'all' && one.name === name)

/** The value of an export, without types. Undefined if it is declared elsewhere, or in a pattern. */
export const valueOfExport = ({ values }: ModuleFacts, one: ModuleExport | undefined): Node | undefined => {
  const value = one?.kind === 'local' ? values.get(one.local) : undefined
  return value && withoutTypes(value)
}

/** The define function that `call` calls, if any. */
export const definerOf = (call: Node, imports: ReadonlyMap<string, ImportedName>): Definer | undefined => {
  if (call.type !== 'CallExpression') return undefined
  const { callee } = call
  if (callee.type === 'Identifier') {
    const origin = imports.get(callee.name)
    return origin?.specifier === SDK ? asDefiner(origin.imported) : undefined
  }
  if (callee.type !== 'MemberExpression' || callee.computed || callee.object.type !== 'Identifier') return undefined
  const origin = imports.get(callee.object.name)
  if (origin?.specifier !== SDK || origin.imported !== '*' || callee.property.type !== 'Identifier') return undefined
  return asDefiner(callee.property.name)
}

const asDefiner = (name: string): Definer | undefined =>
  name === 'defineProgram' || name === 'defineEvent' || name === 'defineEffect' ? name : undefined

/** Removes the TypeScript expressions and parentheses around a value. */
export const withoutTypes = (node: Node): Node => {
  let inner = node
  for (;;) {
    switch (inner.type) {
      case 'TSAsExpression':
      case 'TSSatisfiesExpression':
      case 'TSNonNullExpression':
      case 'TSTypeAssertion':
      case 'TSInstantiationExpression':
      case 'ParenthesizedExpression':
        inner = inner.expression
        break
      default:
        return inner
    }
  }
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'

/** Of an identifier. */
export const nameOf = (node: Node): string | undefined => (node.type === 'Identifier' ? node.name : undefined)

/** Of what is called: `read` in `read()` and in `fs.read()`. */
export const calledName = (callee: Node): string | undefined =>
  callee.type === 'MemberExpression' && !callee.computed ? nameOf(callee.property) : nameOf(callee)

/** Of a statement that catches what this block throws. */
export const catchingBlock = (node: Node): Node | undefined =>
  node.type === 'TryStatement' && node.handler !== null ? node.block : undefined

const LATER = /Function|^MethodDefinition|^AssignmentPattern|^Conditional|^Logical|^(?:If|Switch|Try|For|While)/

/** Whether what is below a node may run later than what is around it, or not at all, or is where a failure is caught. */
export const mayRunLater = (node: Node): boolean =>
  LATER.test(node.type) ||
  (node.type === 'PropertyDefinition' && !node.static) ||
  (node.type === 'AssignmentExpression' && ['??=', '||=', '&&='].includes(node.operator))

/**
 * Visits `node` and every node below, except types. If `enter` returns false, skips the nodes below. Not recursive, because each
 * term of a sum of thousands is one level deeper.
 */
export const walk = (node: Node, enter: (node: Node) => boolean | void): void => {
  const left = [node]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const inner = withoutTypes(next)
    if (isOnlyType(inner) || enter(inner) === false) continue
    const children = childrenOf(inner)
    for (let at = children.length - 1; at >= 0; at--) left.push(children[at]!)
  }
}

/** The nodes directly below that are no mere names. */
export const childrenOf = (node: Node): readonly Node[] => {
  const children: Node[] = []
  for (const key of visitorKeys[node.type] ?? []) {
    const child = (node as unknown as Readonly<Record<string, unknown>>)[key]
    if (Array.isArray(child)) {
      for (const item of child) if (isNode(item)) children.push(item)
    } else if (isNode(child) && !isNameOnly(node, key)) children.push(child)
  }
  return children
}

const isOnlyType = ({ type }: Node): boolean =>
  type.startsWith('TS') &&
  !['TSEnumDeclaration', 'TSEnumBody', 'TSEnumMember', 'TSModuleDeclaration', 'TSModuleBlock'].includes(type) &&
  !['TSParameterProperty', 'TSExportAssignment', 'TSImportEqualsDeclaration'].includes(type)

/** `b` in `a.b` and in `{ b: 1 }` is not a reference. */
const isNameOnly = (node: Node, key: string): boolean => {
  if (node.type === 'MemberExpression') return key === 'property' && !node.computed
  if (node.type === 'Property' || node.type === 'PropertyDefinition' || node.type === 'MethodDefinition') {
    return key === 'key' && !node.computed
  }
  return false
}

/** Stands among the names of code with JSX, which calls functions without mentioning them. */
export const JSX = '<>'

/**
 * The names that a piece of code refers to. It ignores scopes, so a local of the same name counts as a reference, which
 * keeps too much rather than too little.
 */
export const namesIn = (node: Node, leftOut: readonly Range[] = []): ReadonlySet<string> => {
  const names = new Set<string>()
  walk(node, (inner) => {
    if (leftOut.some(({ start, end }) => inner.start >= start && inner.end <= end)) return false
    if (inner.type === 'Identifier' || inner.type === 'JSXIdentifier') names.add(inner.name)
    if (inner.type === 'JSXElement' || inner.type === 'JSXFragment') names.add(JSX)
    return true
  })
  return names
}
