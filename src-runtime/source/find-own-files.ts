// Finds in bundled effects the modules that read files beside them: an artifact contains code, and no other files.

import { basename, resolve } from 'node:path'
import type { Metafile } from 'esbuild'
import type { Node } from 'oxc-parser'
import { remembered } from '../shared/remembered.ts'
import { statOf } from '../shared/stat-of.ts'
import type { EffectModules } from './bundle-effects.ts'
import { OWN_MODULE } from './bundling.ts'
import { chainBehind } from './import-chain.ts'
import { calledName, exportNamed, nameOf, nameText, valueOfExport, walk } from './module-facts.ts'
import { type Constants, constantsOf, namedFile } from './named-file.ts'
import { parse, tooDeep } from './parse.ts'
import { placeOf, sourceError, type SourceError } from './source-error.ts'
import { isDependency, packageOf, type SourceFiles } from './source-files.ts'
import { requiresByVariable } from './variable-requires.ts'

export type OwnFiles = {
  /** Of those without which the effects cannot run. */
  readonly errors: readonly SourceError[]
  /** Of those that may be read later, or not at all. */
  readonly doubtful: readonly string[]
}

export type BundleOfEffects = {
  readonly code: string
  readonly effects: EffectModules
  readonly inputs: Metafile['inputs']
  /** The key of the module that the bundle begins with. */
  readonly entry: string
  /** The modules with code in the bundle. */
  readonly used: readonly string[]
  /** Those of them of which the bundle contains what they require. */
  readonly requiring: ReadonlySet<string>
  /** The native packages that modules require, and the bundle lacks. */
  readonly leftOut: ReadonlyMap<string, string>
}

export const findOwnFiles = (files: SourceFiles, bundle: BundleOfEffects): OwnFiles => {
  const { inputs, entry, used, requiring, leftOut } = bundle
  const reading = used.filter((name) => {
    const text = files.text(name) ?? ''
    return mayReadOwnFiles(text) || (!requiring.has(name) && requiresBeside(text))
  })
  const packages = reading.filter(isDependency)
  const loadingIn = remembered((name) => loadingOf(files, name))
  const suspects = packages.filter((name) => loadingIn(name).readsAt !== undefined)
  // Parsing all modules takes seconds.
  const loaded = suspects.length === 0 ? undefined : loadedWith(loadingIn, inputs, entry)
  const ofPackages = suspects.flatMap((name): readonly SourceError[] => {
    const at = loaded?.get(name)?.readsAt
    if (at === undefined) return []
    const text = files.text(name)!
    const chain = chainBehind(inputs, entry, name)
    return [sourceError(placeOf(name, text, at), atLoadText(packageOf(name)) + chain, text)]
  })
  const own = used.filter((name) => !isDependency(name))
  const ofProject = own.map((name) => ({ name, ...ownReads(files, name, bundle) }))
  return {
    errors: [
      ...ofProject.flatMap(({ missing }) => missing),
      // The first file of a package is enough to refuse it.
      ...[...Map.groupBy(ofPackages, ({ path }) => packageOf(path)).values()].map(([first]) => first!),
    ],
    doubtful: [
      ...ofProject
        .filter(({ missing, doubtful, name }) => missing.length + doubtful.length === 0 && reading.includes(name))
        .map(({ name }) => `${name} seems to read files beside it, ${ONLY_CODE}: ${insteadIn(files.text(name)!)}`),
      ...ofProject.flatMap(({ doubtful }) => doubtful.map(({ message }) => message)),
      ...[...Map.groupBy(packages, packageOf)].map(
        ([name, [first]]) =>
          `${name} reads files of its own package, ${ONLY_CODE}: the parts of ${name} that need them fail on the hosted service. Its documentation may say how to bundle it` +
          chainBehind(inputs, entry, first!),
      ),
      ...used.flatMap((name) => {
        const native = leftOut.get(name)
        return native === undefined
          ? []
          : `${packageOf(name)} requires the native module "${native}", which an artifact cannot contain: what needs it fails on the hosted service, maybe as soon as the effects are loaded${chainBehind(inputs, entry, name)}`
      }),
      ...[
        ...Map.groupBy(
          used.filter((name) => requiresByVariable(files, name)),
          packageOf,
        ),
      ].map(
        ([name, [first]]) =>
          `${name} requires modules whose names are only known when it runs, ${ONLY_CODE} that is imported by name: ` +
          `import what ${name} needs in your effects and pass it on, as its documentation says for bundlers` +
          chainBehind(inputs, entry, first!),
      ),
    ],
  }
}

const ONLY_CODE = 'and an artifact contains only code'

const atLoadText = (name: string): string =>
  `${name} reads a file of its own package here as soon as it is imported, ${ONLY_CODE}: use another package`

const INSTEAD = 'import it, which works for .json and .txt'
const INSTEAD_OF_START =
  'import the code of the worker as text, from a .txt file, and start it with `new Worker(code, { eval: true })`'

const insteadIn = (text: string): string => (START.test(text) && !READ.test(text) ? INSTEAD_OF_START : INSTEAD)

const PLACE = /\b__(?:dir|file)name\b|\bimport\.meta\.(?:url|dirname|filename)\b/
const READ = /\breadFile(?:Sync)?\s*\(|\bcreateReadStream\s*\(|\bopenSync\s*\(/
const START = /\bnew (?:\w+\.)?Worker\s*\(|\bfork\s*\(/
const RESOLVED = /\brequire\.resolve\(\s*['"`]\.{1,2}\//

/** Its examples may read files, which the module does not. */
const DOCUMENTATION = /\/\*\*\s[^]*?\*\//g

const mayReadOwnFiles = (text: string): boolean =>
  mentionsReading(text) && mentionsReading(text.replace(DOCUMENTATION, ''))

const readsOrStarts = (text: string): boolean => READ.test(text) || START.test(text)

const mentionsReading = (text: string): boolean => (PLACE.test(text) && readsOrStarts(text)) || RESOLVED.test(text)

/** By what `createRequire` returns. */
const requiresBeside = (text: string): boolean =>
  /\bcreateRequire\b/.test(text) && /(?:\brequire|\))\(\s*['"`]\.{1,2}\//.test(text)

type OwnReads = {
  /** Of files that the effects always read. */
  readonly missing: readonly SourceError[]
  /** Of files that they may do without, that are written before, or that may be others, in the current folder. */
  readonly doubtful: readonly SourceError[]
}

/** Effects may read what they have written. */
const WRITES = /\b(?:write|append|copy|rename|createWrite|download)/
/** They may do without a file that they cannot read. */
const CATCHES = /\bcatch\b|\.(?:then|allSettled|any|race)\s*\(/

const ownReads = (files: SourceFiles, name: string, { code, effects }: BundleOfEffects): OwnReads => {
  const text = files.text(name) ?? ''
  const missing: SourceError[] = []
  const doubtful: SourceError[] = []
  if (!readsOrStarts(text) || !OWN_MODULE.test(name) || tooDeep(name, text, 'unambiguous') !== undefined)
    return { missing, doubtful }
  const { program } = parse(name, text, 'unambiguous')
  const constants = constantsOf(program)
  const always = alwaysIn(text, [program, ...effectsIn(files, name, effects)])
  walk(program, (node) => {
    if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return
    const [first] = node.arguments
    const isStart = node.type === 'NewExpression'
    if (first === undefined || !(isStart ? STARTING : READING).has(calledName(node.callee) ?? '')) return
    const named = namedFile(first, constants, files.fileOf(name))
    // Effects run in the folder of the project.
    const file = named === undefined ? '' : resolve(files.folder, named.path)
    const isOfProject = named?.isBeside === true || !files.nameOf(file).startsWith('..')
    // The bundle lacks code that the Program does not use.
    if (!isOfProject || statOf(file)?.isFile() !== true || !code.includes(basename(file))) return
    const isMissing = named?.isBeside === true && always.has(node.start) && !WRITES.test(text) && !CATCHES.test(text)
    const found = isMissing ? missing : doubtful
    found.push(sourceError(placeOf(name, text, node.start), missingText(files.nameOf(file), isStart), text))
  })
  return { missing, doubtful }
}

const READING = new Set(['readFileSync', 'readFile', 'createReadStream'])
const STARTING = new Set(['Worker'])

const FUNCTION = /^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/

/** The functions of the effects that the Program calls. Other functions may be called by nobody. */
const effectsIn = (files: SourceFiles, name: string, effects: EffectModules): readonly Node[] => {
  const facts = files.facts(name)
  const names = effects.flatMap(([module, ofModule]) => (module === name ? ofModule : []))
  return names.flatMap((one) => {
    const value = facts && valueOfExport(facts, exportNamed(facts, one))
    const given = value?.type === 'CallExpression' ? value.arguments : value === undefined ? [] : [value]
    return given.filter(({ type }) => FUNCTION.test(type))
  })
}

/** Where calls begin that each run of one of these nodes comes to. */
const alwaysIn = (text: string, nodes: readonly Node[]): ReadonlySet<number> => {
  const starts = new Set<number>()
  for (const top of nodes) {
    let mayHaveEnded = false
    walk(top, (node) => {
      if (node !== top && isLater(node)) {
        mayHaveEnded ||= !FUNCTION.test(node.type) && /\breturn\b/.test(text.slice(node.start, node.end))
        return false
      }
      if (!mayHaveEnded) starts.add(node.start)
      return true
    })
  }
  return starts
}

const missingText = (file: string, isStart: boolean): string =>
  `${file} is ${isStart ? 'started' : 'read'} here, ${ONLY_CODE}: ${isStart ? INSTEAD_OF_START : INSTEAD}`

type Loading = {
  /** What it requires as soon as it runs. */
  readonly requires: ReadonlySet<string>
  /** Where it reads a file as soon as it runs. */
  readonly readsAt: number | undefined
}

/** The modules that run when the bundle is loaded. */
const loadedWith = (
  loadingIn: (name: string) => Loading,
  inputs: Metafile['inputs'],
  entry: string,
): ReadonlyMap<string, Loading> => {
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
    const loading = loadingIn(name)
    loaded.set(name, loading)
    for (const { path, kind, external, original = '' } of inputs[name]?.imports ?? []) {
      const isLoaded =
        (kind === 'import-statement' && !later.has(path)) || (kind === 'require-call' && loading.requires.has(original))
      if (external !== true && isLoaded) queue.push(path)
    }
  }
  return loaded
}

const LATER = /Function|^MethodDefinition|^AssignmentPattern|^Conditional|^Logical|^(?:If|Switch|Try|For|While)/

/** Whether it may run later, or not at all, or is where a failure is caught. */
const isLater = (node: Node): boolean =>
  LATER.test(node.type) ||
  (node.type === 'PropertyDefinition' && !node.static) ||
  (node.type === 'AssignmentExpression' && ['??=', '||=', '&&='].includes(node.operator))

const loadingOf = (files: SourceFiles, path: string): Loading => {
  const text = files.text(path) ?? ''
  const requires = new Set<string>()
  let readsAt: number | undefined
  if (!OWN_MODULE.test(path) || tooDeep(path, text, 'unambiguous') !== undefined) return { requires, readsAt }
  const { program } = parse(path, text, 'unambiguous')
  let constants: Constants | undefined
  const isBeside = (given: Node): boolean => {
    const named = namedFile(given, (constants ??= constantsOf(program)), files.fileOf(path))
    return named?.isBeside === true && statOf(named.path) !== undefined
  }
  walk(program, (node) => {
    if (isLater(node)) return false
    if (node.type !== 'CallExpression') return true
    const { callee, arguments: given } = node
    const [first] = given
    const specifier = first === undefined ? '' : nameText(first)
    const method = calledName(callee)
    const isRelative = /^\.{1,2}\//.test(specifier)
    if (nameOf(callee) === 'require') requires.add(specifier)
    const isRead =
      (method === 'readFileSync' && first !== undefined && (mentionsPlace(first) || isBeside(first))) ||
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
