// Finds where modules import what no bundler can find, because its name is only known when they run.

import { isBuiltin } from 'node:module'
import type { CallExpression, ImportExpression, Node, Program } from 'oxc-parser'
import { OWN_MODULE } from './bundling.ts'
import { nameOf, walk } from './module-facts.ts'
import { constantsOf, namedFile } from './named-file.ts'
import { parse, tooDeep } from './parse.ts'
import { patternNames } from './pattern-names.ts'
import { isDependency, type SourceFiles } from './source-files.ts'

const BY_VARIABLE = /\brequire\(\s*(?:[^\s'"`)]|(['"])[^'"]*\1\s*\+|`)|=\s*require\b(?!\s*\()/
const IMPORT_BY_VARIABLE = /\bimport\s*\(\s*(?:[^\s'")]|(['"])[^'"]*\1\s*\+)/

/** Such as a database's driver, or the texts of one language. */
export const requiresByVariable = (files: SourceFiles, name: string): boolean =>
  isDependency(name) &&
  found(
    files,
    name,
    BY_VARIABLE,
    requiresIn(() => isVariable),
  ).length > 0

/** Where a module of the project does so. */
export const importsByVariable = (files: SourceFiles, name: string): readonly number[] => [
  ...found(files, name, BY_VARIABLE, requiresIn(isNotBundled)),
  ...found(files, name, IMPORT_BY_VARIABLE, importsIn),
]

const found = (
  files: SourceFiles,
  name: string,
  hint: RegExp,
  find: (program: Program, text: string) => readonly number[],
): readonly number[] => {
  const text = OWN_MODULE.test(name) ? (files.text(name) ?? '') : ''
  if (!hint.test(text) || tooDeep(name, text, 'unambiguous') !== undefined) return []
  return find(parse(name, text, 'unambiguous').program, text)
}

const isVariable = (given: Node | undefined): boolean =>
  ['Identifier', 'MemberExpression', 'CallExpression'].includes(given?.type ?? '')

type IsUnknown = (given: Node | undefined) => boolean

/** The bundler joins texts, and looks for the modules of a path that begins with `./`. Built-in modules are everywhere. */
const isNotBundled = (program: Program): IsUnknown => {
  const constants = constantsOf(program)
  return (given) => {
    if (given === undefined) return false
    const isComputed =
      given.type === 'TemplateLiteral'
        ? given.expressions.length > 0
        : given.type === 'BinaryExpression'
          ? !isLiteral(given)
          : isVariable(given)
    return isComputed && !BUNDLED.test(beginOf(given)) && !isBuiltin(namedFile(given, constants, '')?.path ?? '')
  }
}

const BUNDLED = /^(?:\.{1,2}\/|node:)/

const isLiteral = (given: Node): boolean =>
  given.type === 'BinaryExpression' ? isLiteral(given.left) && isLiteral(given.right) : given.type === 'Literal'

/** As far as it is written there. */
const beginOf = (given: Node): string => {
  switch (given.type) {
    case 'BinaryExpression':
      return beginOf(given.left)
    case 'TemplateLiteral':
      return given.quasis[0]?.value.cooked ?? ''
    case 'Literal':
      return typeof given.value === 'string' ? given.value : ''
    default:
      return ''
  }
}

const importsIn = (program: Program): readonly number[] => {
  const isUnknown = isNotBundled(program)
  const starts: number[] = []
  walk(program, (node) => {
    if (isImport(node) && isUnknown(node.source)) starts.push(node.start)
  })
  return starts
}

const isImport = (node: Node): node is ImportExpression => node.type === 'ImportExpression'

const requiresIn =
  (isUnknownIn: (program: Program) => IsUnknown) =>
  (program: Program, text: string): readonly number[] => {
    const isUnknown = isUnknownIn(program)
    const starts: number[] = []
    /** The bundler does not see that these are `require`. */
    const others = new Set<string>()
    let isOwn = false
    const written = ({ start, end }: Node): string => text.slice(start, end)
    const note = (node: CallExpression, isCaught: boolean): void => {
      const [given] = node.arguments
      const called = nameOf(node.callee)
      const isOther =
        called !== undefined && others.has(called) && given !== undefined && !isBuiltin(written(given).slice(1, -1))
      // Where it catches, it does without, but not without a file of its own.
      const isMissed = !isCaught || (isOther && /^['"`]\.{1,2}\//.test(written(given)))
      if (isMissed && (isOther || (called === 'require' && isUnknown(given)))) starts.push(node.start)
    }
    const search = (top: Node, isCaught: boolean): void =>
      walk(top, (node) => {
        if ('params' in node && Array.isArray(node.params) && node.params.flatMap(patternNames).includes('require'))
          return false
        if ('id' in node && node.id?.type === 'Identifier' && node.id.name === 'require')
          isOwn ||= !written(node).includes('createRequire')
        if (node.type === 'IfStatement' && written(node.test).includes('require.main')) return false
        const [target, value] =
          node.type === 'VariableDeclarator'
            ? [node.id, node.init]
            : node.type === 'AssignmentExpression'
              ? [node.left, node.right]
              : []
        if (target?.type === 'Identifier' && value && nameOf(value) === 'require') others.add(target.name)
        if (node.type === 'TryStatement' && node !== top && node.handler !== null) {
          if (!/\bthrow\b/.test(written(node.handler))) {
            search(node, true)
            return false
          }
        }
        if (node.type === 'CallExpression') note(node, isCaught)
        return true
      })
    search(program, false)
    return isOwn ? [] : starts
  }
