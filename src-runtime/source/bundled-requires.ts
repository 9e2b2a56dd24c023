// Has the bundler read what an ES module of a package requires of its own package by what `createRequire` returns: JSON, and older
// modules. It reads what the global `require` gets. Such files are not beside an artifact.

import { dirname } from 'node:path'
import type { PluginBuild } from 'esbuild'
import type { Node } from 'oxc-parser'
import { blank } from './blank.ts'
import { PLAIN } from './bundling.ts'
import { nameOf, nameText, patternNames, walk, type Range } from './module-facts.ts'
import { isNativeFile } from './native-packages.ts'
import { parse, tooDeep } from './parse.ts'

/** Another variable of the module that is called like the global function gets this name. */
const OWN_NAME = 'wesRequire'

/** Of the package itself, by a path or by its `imports`. */
const OF_PACKAGE = /^(?:\.{1,2}\/|#)/

/** Undefined if nothing changes. */
export const withBundledRequires = async (
  own: PluginBuild,
  file: string,
  text: string,
): Promise<string | undefined> => {
  if (!text.includes('createRequire') || tooDeep(file, text, 'unambiguous') !== undefined) return undefined
  const { program } = parse(file, text, 'unambiguous')
  const names = program.body.flatMap((statement) =>
    statement.type === 'VariableDeclaration'
      ? statement.declarations.flatMap(({ id, init }) => (isCreated(init) ? (nameOf(id) ?? []) : []))
      : [],
  )
  if (names.length !== 1) return undefined
  const [name] = names
  const isTaken = (local: string): boolean => local === name || local === 'require'
  const uses: Node[] = []
  const ofOthers = new Set<Node>()
  const called = new Map<Node, string>()
  const shadows: Range[] = []
  let declared = 0
  let isWritten = false
  walk(program, (node) => {
    if (node.type === 'ImportSpecifier') ofOthers.add(node.imported)
    if (node.type === 'ExportSpecifier') ofOthers.add(node.exported)
    if (nameOf(node) === name && !ofOthers.has(node)) uses.push(node)
    if ('id' in node && node.id !== null && patternNames(node.id).some(isTaken)) declared += 1
    if ('params' in node && Array.isArray(node.params) && node.params.flatMap(patternNames).some(isTaken))
      shadows.push(node)
    isWritten ||= node.type === 'Property' && node.shorthand && nameOf(node.value) === name
    isWritten ||= (node.type === 'ExportSpecifier' || node.type === 'ImportSpecifier') && isTaken(nameText(node.local))
    if (node.type !== 'CallExpression' || nameOf(node.callee) !== name || node.arguments.length !== 1) return
    const specifier = nameText(node.arguments[0]!)
    if (OF_PACKAGE.test(specifier)) called.set(node.callee, specifier)
  })
  if (declared !== 1 || isWritten) return undefined
  const bundled = new Set<Node>()
  for (const [callee, specifier] of called) {
    const isOther = shadows.some(({ start, end }) => start < callee.start && callee.end < end)
    if (!isOther && (await isCode(own, file, specifier))) bundled.add(callee)
  }
  if (bundled.size === 0) return undefined
  const cuts = uses.flatMap((use): readonly (Range & { readonly instead: string })[] => {
    const instead = bundled.has(use) ? 'require' : name === 'require' ? OWN_NAME : name!
    return instead === name ? [] : [{ start: use.start, end: use.end, instead }]
  })
  return cuts.length === 0 ? undefined : blank(text, cuts).text
}

/** For the module itself: one for another place, such as the current folder, requires other files. */
const isCreated = (init: Node | null): boolean => {
  if (init?.type !== 'CallExpression' || nameOf(init.callee) !== 'createRequire') return false
  const [from] = init.arguments
  return from?.type === 'MemberExpression' && from.object.type === 'MetaProperty'
}

const isCode = async (own: PluginBuild, file: string, specifier: string): Promise<boolean> => {
  const found = await own.resolve(specifier, {
    importer: file,
    namespace: 'file',
    resolveDir: dirname(file),
    kind: 'require-call',
    pluginData: PLAIN,
  })
  return found.errors.length === 0 && !found.external && found.namespace === 'file' && !isNativeFile(found.path)
}
