// Has the bundler read what an ES module requires by what `createRequire` returns: JSON, and older modules. It reads what the global
// `require` gets. Such files are not beside an artifact.

import { dirname } from 'node:path'
import type { PluginBuild } from 'esbuild'
import type { Node, Program } from 'oxc-parser'
import { blank } from './blank.ts'
import { calledName, catchingBlock, nameOf, nameText, walk, type Range } from './module-facts.ts'
import { dependsOn } from './native-packages.ts'
import { NATIVE, PACKAGES_PLUGIN } from './packages-plugin.ts'
import { parse, tooDeep } from './parse.ts'
import { patternNames } from './pattern-names.ts'

/** Variables of the module that are called like the global function get this name. */
const OWN_NAME = 'wesRequire'

type Cut = Range & { readonly instead: string }

/**
 * Undefined if nothing changes. `isOwn`: the module is the project's, and what it requires is bundled also where that is native, which
 * is an error. `onlyNeeded`: leaves what is required in a block that catches. `onLeftOut`: gets what is native.
 */
export const withBundledRequires = async (
  own: PluginBuild,
  file: string,
  text: string,
  {
    isOwn,
    onlyNeeded,
    onLeftOut,
  }: {
    readonly isOwn: boolean
    readonly onlyNeeded: boolean
    readonly onLeftOut: (specifier: string) => void
  },
): Promise<string | undefined> => {
  if (!text.includes('createRequire') || tooDeep(file, text, 'unambiguous') !== undefined) return undefined
  const { program } = parse(file, text, 'unambiguous')
  const bundled: Cut[] = []
  const caught = isOwn ? caughtIn(program) : []
  for (const { callee, specifier } of createdCalls(program)) {
    const { start, end } = callee
    const isCaught = caught.some((block) => block.start <= start && end <= block.end)
    if (isCaught && onlyNeeded) continue
    const found = await kindOf(own, file, specifier)
    if (found === 'code' || (found === 'refused' && isOwn && !isCaught))
      bundled.push({ start, end, instead: 'require' })
    else if (found === 'refused') onLeftOut(specifier)
  }
  return bundled.length === 0 ? undefined : blank(text, [...bundled, ...renaming(program)]).text
}

const caughtIn = (program: Program): readonly Range[] => {
  const caught: Range[] = []
  walk(program, (node) => {
    const block = catchingBlock(node)
    if (block !== undefined) caught.push(block)
  })
  return caught
}

type RequireCall = { readonly callee: Node; readonly specifier: string }

/** Where the module calls what `createRequire` returned for it, in a variable or at once. */
const createdCalls = (program: Program): readonly RequireCall[] => {
  const creators = new Set(['createRequire'])
  const calls: RequireCall[] = []
  const created = new Map<Node, string>()
  walk(program, (node) => {
    if (node.type === 'ImportSpecifier' && nameText(node.imported) === 'createRequire') creators.add(node.local.name)
    if (node.type === 'VariableDeclarator' && node.id.type === 'Identifier' && isCreated(node.init, creators))
      created.set(node, node.id.name)
    if (node.type !== 'CallExpression' || node.arguments.length !== 1) return
    const [given] = node.arguments
    if (given?.type === 'Literal' && typeof given.value === 'string')
      calls.push({ callee: node.callee, specifier: given.value })
  })
  const scopes = scopesOf(program, new Set(created.values()), created)
  return calls.filter(({ callee }) => {
    const name = nameOf(callee)
    // The innermost is the last.
    const scope = scopes.findLast((one) => one.name === name && one.start <= callee.start && callee.end <= one.end)
    return name === undefined ? isCreated(callee, creators) : scope?.isCreated === true
  })
}

/** For the module itself: one for another place, such as the current folder, requires other files. */
const isCreated = (init: Node | null, creators: ReadonlySet<string>): boolean => {
  if (init?.type !== 'CallExpression') return false
  const [given] = init.arguments
  const from = given?.type === 'CallExpression' && nameOf(given.callee) === 'fileURLToPath' ? given.arguments[0] : given
  if (from?.type !== 'MemberExpression' || from.object.type !== 'MetaProperty') return false
  return creators.has(calledName(init.callee) ?? '') && ['url', 'filename'].includes(nameOf(from.property) ?? '')
}

/** Where a variable has its name. */
type Scope = Range & { readonly name: string; readonly isCreated: boolean }

const BLOCK = /Function|^(?:Program|BlockStatement|StaticBlock|CatchClause|SwitchStatement|For.*Statement)$/
const FUNCTION = /Function|^(?:Program|StaticBlock)$/

/** Of variables with these names, each after those around it. */
const scopesOf = (
  program: Program,
  names: ReadonlySet<string>,
  created: ReadonlyMap<Node, string>,
): readonly Scope[] => {
  const scopes: Scope[] = []
  /** Around the node, except some of the last, which may have ended. All blocks of a large module would be too many to search. */
  const around: Node[] = []
  const blockOf = ({ start, end }: Node, kind = BLOCK): Node =>
    around.findLast((one) => kind.test(one.type) && one.start <= start && end <= one.end) ?? program
  const add = ({ start, end }: Node, declared: readonly string[], isMade = false): void => {
    for (const name of declared) if (names.has(name)) scopes.push({ start, end, name, isCreated: isMade })
  }
  walk(program, (node) => {
    while (around.length > 0 && around.at(-1)!.end <= node.start) around.pop()
    if (node.type === 'VariableDeclaration') {
      const block = blockOf(node, node.kind === 'var' ? FUNCTION : BLOCK)
      for (const one of node.declarations) add(block, patternNames(one.id), created.has(one))
    } else if ('id' in node && node.id?.type === 'Identifier' && node.type !== 'VariableDeclarator')
      add(node.type.endsWith('Expression') ? node : blockOf(node), [node.id.name])
    else if ('local' in node && node.type.startsWith('Import')) add(program, [nameText(node.local)])
    if ('params' in node && Array.isArray(node.params)) add(node, node.params.flatMap(patternNames))
    if (node.type === 'CatchClause' && node.param !== null) add(node, patternNames(node.param))
    if (BLOCK.test(node.type)) around.push(node)
  })
  return scopes.toSorted((a, b) => a.start - b.start || b.end - a.end)
}

/** Of all variables called `require`, so that this stands for the global function, which ES modules lack. */
const renaming = (program: Program): readonly Cut[] => {
  const cuts: Cut[] = []
  const cut = (node: Node, instead: string): void => {
    if (nameOf(node) === 'require') cuts.push({ start: node.start, end: node.end, instead })
  }
  walk(program, (node) => {
    if (node.type === 'ImportSpecifier' || node.type === 'ExportSpecifier') {
      const [outer, inner] = node.type === 'ImportSpecifier' ? [node.imported, node.local] : [node.exported, node.local]
      const both = node.type === 'ImportSpecifier' ? `require as ${OWN_NAME}` : `${OWN_NAME} as require`
      cut(inner, outer.start === inner.start ? both : OWN_NAME)
      return false
    }
    if (node.type === 'ExportNamedDeclaration' && node.source !== null) return false
    if (node.type === 'ExportNamedDeclaration' && node.declaration !== null) {
      const { start, end, declaration } = node
      const ids = declaration.type === 'VariableDeclaration' ? declaration.declarations : [declaration]
      const names = ids.flatMap((one) => ('id' in one && one.id !== null ? patternNames(one.id) : []))
      if (names.includes('require')) {
        const exported = names.map((name) => (name === 'require' ? `${OWN_NAME} as require` : name))
        cuts.push({ start, end: declaration.start, instead: '' })
        cuts.push({ start: end, end, instead: `;export { ${exported.join(', ')} };` })
      }
    }
    if (node.type === 'Property' && node.shorthand) {
      cut(node.value.type === 'AssignmentPattern' ? node.value.left : node.value, `require: ${OWN_NAME}`)
    }
    cut(node, OWN_NAME)
    return true
  })
  return cuts
}

/** `refused`: no artifact can contain it. */
const kindOf = async (own: PluginBuild, file: string, specifier: string): Promise<'code' | 'refused' | 'none'> => {
  const isNeeded = /^[.#]/.test(specifier) || dependsOn(file, specifier)
  const from = { importer: file, namespace: 'file', resolveDir: dirname(file), kind: 'require-call' } as const
  const found = await own.resolve(specifier, from)
  if (found.pluginData === NATIVE || found.errors.some(({ pluginName }) => pluginName === PACKAGES_PLUGIN))
    return 'refused'
  // What it does not depend on need not be installed.
  return isNeeded && found.errors.length === 0 && !found.external && found.namespace === 'file' ? 'code' : 'none'
}
