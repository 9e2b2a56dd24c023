// Finds imports that TypeScript refuses, and the bundler drops without a word, because the module declares a value of the same name.

import {
  visitorKeys,
  type BindingIdentifier,
  type ImportDeclaration,
  type Node,
  type Program,
  type VariableDeclaration,
} from 'oxc-parser'
import { patternNames } from './pattern-names.ts'

/** The local names of such imports. An import that may be a type only may share its name with a value. */
export const hiddenImports = (program: Program): readonly BindingIdentifier[] => {
  const values = new Set(program.body.flatMap(valuesOf))
  const imported = program.body.flatMap((node) => (node.type === 'ImportDeclaration' ? localsOf(node) : []))
  const found = imported.filter(({ name }) => values.has(name))
  if (found.length === 0) return found
  const types = namesOfTypes(program)
  return found.filter(({ name }) => !types.has(name))
}

const localsOf = (node: ImportDeclaration) =>
  node.importKind === 'type'
    ? []
    : node.specifiers.flatMap((one) => (one.type === 'ImportSpecifier' && one.importKind === 'type' ? [] : [one.local]))

const valuesOf = (node: Program['body'][number]): readonly string[] => {
  const declaration =
    node.type === 'ExportNamedDeclaration' || node.type === 'ExportDefaultDeclaration' ? node.declaration : node
  if (declaration === null) return []
  switch (declaration.type) {
    case 'VariableDeclaration':
      return declaration.declare === true ? [] : namesIn(declaration)
    case 'FunctionDeclaration':
    case 'ClassDeclaration':
    case 'TSEnumDeclaration':
      return declaration.declare === true || declaration.id === null ? [] : [declaration.id.name]
    default:
      return []
  }
}

const namesIn = ({ declarations }: VariableDeclaration): readonly string[] =>
  declarations.flatMap(({ id }) => patternNames(id))

/** Those in types, and those that the module exports again, which may be types. */
const namesOfTypes = (program: Program): ReadonlySet<string> => {
  const names = new Set<string>()
  const left: Node[] = [program]
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    const isOfTypes = node.type.startsWith('TS') || node.type === 'ExportSpecifier'
    for (const key of visitorKeys[node.type] ?? []) {
      const below = (node as unknown as Readonly<Record<string, Node | null | readonly (Node | null)[]>>)[key]
      for (const one of below instanceof Array ? below : [below]) {
        if (one === null || one === undefined) continue
        if (isOfTypes && one.type === 'Identifier') names.add(one.name)
        left.push(one)
      }
    }
  }
  return names
}
