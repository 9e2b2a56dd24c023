// Finds in a part of a bundle where code fails because it takes a global that Programs do not have from the global object, other than
// as `globalThis.x`, which the bundler finds: by destructuring, or through a constant. The bundler gives no variable the name of one
// of an outer scope, so a name stands for one variable in all scopes below.

import type { Node, Program, VariableDeclarator } from 'oxc-parser'
import type { Use } from './find-uses.ts'
import { isForbiddenProperty } from './forbidden-names.ts'
import { catchingBlock, nameOf, nameText, walk } from './module-facts.ts'

const GLOBAL = 'globalThis'

/** The bundler makes variables of the constants of all modules. */
const OF_MODULE = /^ {2}var ([\w$]+) = globalThis;$/gm

/** What a variable holds: the global object, or one of its properties. */
type Held = ReadonlyMap<string, string>

/** Searches the parts of a bundle. */
export const searchOfGlobalMembers = (code: string) => {
  const ofModules = Array.from(code.matchAll(OF_MODULE), ([, local = '']) => local)
  /** What code in any part asks for before it uses it, or sets. With `GLOBAL`, it may be any. */
  const asked = new Set<string>()
  return {
    mayHold: (part: string): boolean =>
      /\bglobalThis\b/.test(part) || ofModules.some((local) => part.includes(`${local}.`)),
    search: (program: Program): readonly Use[] =>
      membersIn(program, new Map([GLOBAL, ...ofModules].map((local) => [local, GLOBAL])), asked),
    /** Once all parts are searched. */
    mayExist: (name: string): boolean => asked.has(name) || asked.has(GLOBAL),
  }
}

const membersIn = (program: Program, held: Held, asked: Set<string>): readonly Use[] => {
  const uses: Use[] = []
  const searchScope = (scope: Node, above: Held, isCaught: boolean): void => {
    const known = new Map(above)
    for (const declarator of constantsOf(scope)) for (const one of heldBy(declarator, known)) known.set(...one)
    /** Where a missing value fails. */
    const needed = new Set<Node>()
    const named = new Set<Node>()
    const caught = new Set<Node>()
    walk(scope, (node) => {
      if (node !== scope && node.type === 'BlockStatement') {
        searchScope(node, known, isCaught || caught.has(node))
        return false
      }
      const block = catchingBlock(node)
      if (block !== undefined) caught.add(block)
      for (const set of setBy(node, known))
        uses.push({ offset: node.start, kind: 'global', name: `${GLOBAL}.${set}`, isAssigned: true })
      if (node.type === 'NewExpression' || (node.type === 'CallExpression' && !node.optional)) needed.add(node.callee)
      if (node.type === 'MemberExpression' && !node.optional) needed.add(node.object)
      if (node.type === 'MemberExpression' && !node.computed) named.add(node.property)
      if (node.type === 'VariableDeclarator') {
        if (node.id.type === 'ObjectPattern' && node.init !== null) needed.add(node.init)
        for (const one of declaredBy(node, known)) named.add(one)
      }
      const name = named.has(node) ? undefined : valueOf(node, known)
      if (name === undefined || (name === GLOBAL && needed.has(node))) return true
      if (isCaught || !needed.has(node)) asked.add(name)
      else uses.push({ offset: placeOfName(node), kind: 'global', name, isTaken: true })
      return true
    })
  }
  searchScope(program, held, false)
  return uses
}

/** The properties of the global object that the node sets, or defines. */
const setBy = (node: Node, known: Held): readonly string[] => {
  if (node.type === 'AssignmentExpression' && node.left.type === 'MemberExpression') {
    const set = valueOf(node.left, known)
    return set === undefined ? [] : [set]
  }
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression' || node.callee.computed) return []
  const [target, ...given] = node.arguments
  if (target === undefined || valueOf(target, known) !== GLOBAL) return []
  return setByCall(node.callee.property.name, given).filter(isForbiddenProperty)
}

/** Of `Object` or `Reflect`. */
const setByCall = (method: string, given: readonly Node[]): readonly string[] => {
  if (method === 'defineProperty') return given.slice(0, 1).map(nameText)
  if (method !== 'assign' && method !== 'defineProperties') return []
  return given.flatMap((one) =>
    one.type === 'ObjectExpression'
      ? one.properties.flatMap((property) => (property.type === 'Property' ? nameText(property.key) : []))
      : [],
  )
}

const placeOfName = (node: Node): number => (node.type === 'MemberExpression' ? node.property.start : node.start)

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

/** The nodes of a constant that only give it a value and names. */
const declaredBy = (declarator: VariableDeclarator, known: Held): readonly Node[] => {
  const { id, init } = declarator
  if (heldBy(declarator, known).length === 0) return []
  if (id.type !== 'ObjectPattern') return [id, init!]
  return id.properties.flatMap((property) => (property.type === 'Property' ? [property.key, property.value] : []))
}

const valueOf = (node: Node, known: Held): string | undefined => {
  if (node.type === 'Identifier') return known.get(node.name)
  if (node.type !== 'MemberExpression' || node.computed || valueOf(node.object, known) !== GLOBAL) return undefined
  return isForbiddenProperty(node.property.name) ? node.property.name : undefined
}
