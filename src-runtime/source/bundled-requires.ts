// An ES module of a package may require files of its own package, JSON and CommonJS modules, with a function that `createRequire`
// returned. No such files are beside an artifact, and the bundler includes only what the global `require` is called with. So this
// makes such calls calls of the global `require`.

import { dirname } from 'node:path'
import type { PluginBuild } from 'esbuild'
import type { Node } from 'oxc-parser'
import { blank } from './blank.ts'
import { PLAIN } from './bundling.ts'
import { nameOf, nameText, walk, type Range } from './module-facts.ts'
import { isNativeFile } from './native-packages.ts'
import { parse, tooDeep } from './parse.ts'

/** The new name of the module's own variable, where that is called `require`. */
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
  const uses: Node[] = []
  let isShorthand = false
  const called = new Map<Node, string>()
  walk(program, (node) => {
    // There it is another variable.
    if ('params' in node && Array.isArray(node.params) && node.params.some((one) => nameOf(one) === name)) return false
    if (nameOf(node) === name) uses.push(node)
    isShorthand ||= node.type === 'Property' && node.shorthand && nameOf(node.value) === name
    if (node.type !== 'CallExpression' || nameOf(node.callee) !== name || node.arguments.length !== 1) return true
    const specifier = nameText(node.arguments[0]!)
    if (OF_PACKAGE.test(specifier)) called.set(node.callee, specifier)
    return true
  })
  if (isShorthand) return undefined
  const bundled = new Set<Node>()
  for (const [callee, specifier] of called) if (await isCode(own, file, specifier)) bundled.add(callee)
  if (bundled.size === 0) return undefined
  const cuts = uses.flatMap((use): readonly (Range & { readonly instead: string })[] => {
    const instead = bundled.has(use) ? 'require' : name === 'require' ? OWN_NAME : name!
    return instead === name ? [] : [{ start: use.start, end: use.end, instead }]
  })
  return cuts.length === 0 ? undefined : blank(text, cuts).text
}

const isCreated = (init: Node | null): boolean =>
  init?.type === 'CallExpression' && nameOf(init.callee) === 'createRequire' && init.arguments.length === 1

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
