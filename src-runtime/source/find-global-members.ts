// Finds in a part of a bundle where code fails because it takes a global that Programs do not have from the global object, other than
// as `globalThis.x`, which the bundler finds: by destructuring, or through a constant. The bundler gives no variable the name of one
// of an outer scope, so a name stands for one variable in all scopes below.

import type { Node, Program, VariableDeclarator } from 'oxc-parser'
import type { Use } from './find-uses.ts'
import { isForbiddenProperty } from './forbidden-names.ts'
import { nameOf, nameText, walk } from './module-facts.ts'

const GLOBAL = 'globalThis'

/** The bundler makes variables of the constants of all modules. */
const OF_MODULE = /^ {2}var ([\w$]+) = globalThis;$/gm

/** What a variable holds: the global object, or one of its properties. */
type Held = ReadonlyMap<string, string>

/** Searches the parts of a bundle. */
export const searchOfGlobalMembers = (code: string) => {
  /** Whether it is set only once: the bundler makes the same variables of what modules declare with `let`. */
  const isConstant = (local: string): boolean =>
    [...code.matchAll(new RegExp(`(?<![\\w$.])${local.replaceAll('$', '\\$')} = `, 'g'))].length === 1
  const ofModules = Array.from(code.matchAll(OF_MODULE), ([, local = '']) => local).filter(isConstant)
  return {
    mayHold: (part: string): boolean =>
      /= globalThis\b/.test(part) || ofModules.some((local) => part.includes(`${local}.`)),
    search: (program: Program): readonly Use[] =>
      membersIn(program, new Map([GLOBAL, ...ofModules].map((local) => [local, GLOBAL])), isConstant),
  }
}

const membersIn = (program: Program, held: Held, isConstant: (local: string) => boolean): readonly Use[] => {
  const uses: Use[] = []
  const asked = new Set<string>()
  const searchScope = (scope: Node, above: Held): void => {
    const known = new Map(above)
    for (const declarator of constantsOf(scope)) {
      for (const [local, name] of heldBy(declarator, known)) {
        if (scope !== program || name !== GLOBAL || isConstant(local)) known.set(local, name)
      }
    }
    const note = (node: Node | null): void => {
      const name = node && valueOf(node, known)
      if (name === null || name === undefined || name === GLOBAL) return
      uses.push({
        offset: node!.type === 'MemberExpression' ? node!.property.start : node!.start,
        kind: 'global',
        name,
      })
    }
    walk(scope, (node) => {
      if (node !== scope && node.type === 'BlockStatement') {
        searchScope(node, known)
        return false
      }
      if (node.type === 'NewExpression' || (node.type === 'CallExpression' && !node.optional)) note(node.callee)
      if (node.type === 'MemberExpression' && !node.optional) note(node.object)
      if (node.type === 'VariableDeclarator' && node.id.type === 'ObjectPattern') note(node.init)
      for (const one of askedBy(node)) asked.add(valueOf(one, known) ?? '')
      return true
    })
  }
  searchScope(program, held)
  return uses.filter(({ name }) => !asked.has(name))
}

const constantsOf = (scope: Node): readonly VariableDeclarator[] =>
  scope.type === 'Program' || scope.type === 'BlockStatement'
    ? scope.body.flatMap((one) =>
        one.type === 'VariableDeclaration' && (one.kind === 'const' || scope.type === 'Program')
          ? one.declarations
          : [],
      )
    : []

const heldBy = ({ id, init }: VariableDeclarator, known: Held): readonly (readonly [local: string, name: string])[] => {
  const value = init === null ? undefined : valueOf(init, known)
  if (value === undefined) return []
  if (id.type === 'Identifier') return [[id.name, value]]
  if (id.type !== 'ObjectPattern' || value !== GLOBAL) return []
  return id.properties.flatMap((property): readonly (readonly [string, string])[] => {
    // One with a default is not undefined.
    const local = property.type === 'Property' && !property.computed ? nameOf(property.value) : undefined
    const name = property.type === 'Property' ? nameText(property.key) : ''
    return local !== undefined && isForbiddenProperty(name) ? [[local, name]] : []
  })
}

const valueOf = (node: Node, known: Held): string | undefined => {
  if (node.type === 'Identifier') return known.get(node.name)
  if (node.type !== 'MemberExpression' || node.computed || valueOf(node.object, known) !== GLOBAL) return undefined
  return isForbiddenProperty(node.property.name) ? node.property.name : undefined
}

/** What code asks for before it uses it, or sets. */
const askedBy = (node: Node): readonly Node[] => {
  switch (node.type) {
    case 'UnaryExpression':
      return [node.argument]
    case 'LogicalExpression':
    case 'BinaryExpression':
      return [node.left, node.right]
    case 'IfStatement':
    case 'ConditionalExpression':
      return [node.test]
    case 'AssignmentExpression':
      return [node.left]
    default:
      return []
  }
}
