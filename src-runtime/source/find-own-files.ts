// Finds in bundled effects the modules that read files beside them: an artifact contains code, and no other files.

import type { Metafile } from 'esbuild'
import type { Node } from 'oxc-parser'
import { chainBehind } from './import-chain.ts'
import { nameOf, nameText, walk } from './module-facts.ts'
import { parse, tooDeep } from './parse.ts'
import { placeOf, sourceError, type SourceError } from './source-error.ts'
import { isDependency, packageOf, type SourceFiles } from './source-files.ts'

export type OwnFiles = {
  /** Of those that are read when the effects are loaded: the effects cannot run. */
  readonly errors: readonly SourceError[]
  /** Of those that may be read later, or not at all. */
  readonly doubtful: readonly string[]
}

/** `entry`: the key of the module that the bundle begins with. `used`: the modules with code in the bundle. */
export const findOwnFiles = (
  files: SourceFiles,
  inputs: Metafile['inputs'],
  entry: string,
  used: readonly string[],
): OwnFiles => {
  const reading = used.filter((name) => {
    const text = files.text(name) ?? ''
    return mayReadOwnFiles(text) || (!isDependency(name) && requiresBeside(text))
  })
  if (reading.length === 0) return { errors: [], doubtful: [] }
  const suspects = reading.filter(
    (name) => isDependency(name) && loadingOf(name, files.text(name) ?? '').readsAt !== undefined,
  )
  // Parsing all modules takes seconds.
  const loaded = suspects.length === 0 ? undefined : loadedWith(files, inputs, entry)
  const errors = suspects.flatMap((name): readonly SourceError[] => {
    const at = loaded?.get(name)?.readsAt
    if (at === undefined) return []
    const text = files.text(name)!
    const chain = chainBehind(inputs, entry, name)
    return [sourceError(placeOf(name, text, at), atLoadText(packageOf(name)) + chain, text)]
  })
  const [packages, own] = [reading.filter(isDependency), reading.filter((name) => !isDependency(name))]
  return {
    // The first file of a package is enough to refuse it.
    errors: [...Map.groupBy(errors, ({ path }) => packageOf(path)).values()].map(([first]) => first!),
    doubtful: [
      ...own.map(
        (name) =>
          `${name} seems to read files beside it, and an artifact contains only code: import them, which works for .json and .txt`,
      ),
      ...[...new Set(packages.map(packageOf))].map(
        (name) =>
          `${name} reads files of its own package, and an artifact contains only code: the parts of ${name} that need them fail on the hosted service`,
      ),
    ],
  }
}

const atLoadText = (name: string): string =>
  `${name} reads a file of its own package here as soon as it is imported, and an artifact contains only code: use another package`

const PLACE = /\b__(?:dir|file)name\b|\bimport\.meta\.(?:url|dirname|filename)\b/
const READ = /\breadFile(?:Sync)?\s*\(|\bcreateReadStream\s*\(|\bopenSync\s*\(|\bnew (?:\w+\.)?Worker\s*\(|\bfork\s*\(/
const RESOLVED = /\brequire\.resolve\(\s*['"`]\.{1,2}\//

/** Its examples may read files, which the module does not. */
const DOCUMENTATION = /\/\*\*\s[^]*?\*\//g

const mayReadOwnFiles = (text: string): boolean =>
  mentionsReading(text) && mentionsReading(text.replace(DOCUMENTATION, ''))

const mentionsReading = (text: string): boolean => (PLACE.test(text) && READ.test(text)) || RESOLVED.test(text)

/** By what `createRequire` returns, which is only bundled in packages. */
const requiresBeside = (text: string): boolean =>
  /\bcreateRequire\s*\(/.test(text) && /(?:\brequire|\))\(\s*['"`]\.{1,2}\//.test(text)

type Loading = {
  /** What it requires as soon as it runs. */
  readonly requires: ReadonlySet<string>
  /** Where it reads a file as soon as it runs. */
  readonly readsAt: number | undefined
}

/** The modules that run when the bundle is loaded. */
const loadedWith = (files: SourceFiles, inputs: Metafile['inputs'], entry: string): ReadonlyMap<string, Loading> => {
  const loaded = new Map<string, Loading>()
  // The bundler leaves out a module that nothing is used of, but not if it may be imported later.
  const later = new Set(
    Object.values(inputs).flatMap(({ imports }) =>
      imports.filter(({ kind }) => kind === 'dynamic-import').map(({ path }) => path),
    ),
  )
  const queue = [entry]
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (loaded.has(name)) continue
    const loading = loadingOf(name, name === entry ? '' : (files.text(name) ?? ''))
    loaded.set(name, loading)
    for (const { path, kind, external, original = '' } of inputs[name]?.imports ?? []) {
      const isLoaded =
        (kind === 'import-statement' && !later.has(path)) || (kind === 'require-call' && loading.requires.has(original))
      if (external !== true && isLoaded) queue.push(path)
    }
  }
  return loaded
}

/** What may run later, or not at all, or where a failure is caught. */
const LATER = /Function|^MethodDefinition|^Conditional|^Logical|^(?:If|Switch|Try|For|While)/
const MODULE_ENDING = /\.[cm]?[jt]sx?$/

const loadingOf = (path: string, text: string): Loading => {
  const requires = new Set<string>()
  let readsAt: number | undefined
  if (!MODULE_ENDING.test(path) || tooDeep(path, text, 'unambiguous') !== undefined) return { requires, readsAt }
  walk(parse(path, text, 'unambiguous').program, (node) => {
    if (LATER.test(node.type) || (node.type === 'PropertyDefinition' && !node.static)) return false
    if (node.type !== 'CallExpression') return true
    const { callee, arguments: given } = node
    const [first] = given
    const specifier = first === undefined ? '' : nameText(first)
    const method = callee.type === 'MemberExpression' && !callee.computed ? nameOf(callee.property) : nameOf(callee)
    const isRelative = /^\.{1,2}\//.test(specifier)
    if (nameOf(callee) === 'require') requires.add(specifier)
    const isRead =
      (method === 'readFileSync' && first !== undefined && mentionsPlace(first)) ||
      (method === 'resolve' && callee.type === 'MemberExpression' && nameOf(callee.object) === 'require' && isRelative)
    if (isRead) readsAt ??= node.start
    return true
  })
  return { requires, readsAt }
}

const mentionsPlace = (node: Node): boolean => {
  let found = false
  walk(node, (inner) => {
    found ||= inner.type === 'MetaProperty' || ['__dirname', '__filename'].includes(nameOf(inner) ?? '')
  })
  return found
}
