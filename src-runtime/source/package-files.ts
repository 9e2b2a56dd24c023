// Warns of packages in effects that need more than an artifact contains, which is code: files, native packages, and modules whose
// names are only known when they run. Whether they can be loaded without is tried: see `try-effects`.

import type { Metafile } from 'esbuild'
import { OWN_MODULE } from './bundling.ts'
import { chainBehind } from './import-chain.ts'
import { walk, type Range } from './module-facts.ts'
import { parse, tooDeep } from './parse.ts'
import { isDependency, packageOf, type SourceFiles } from './source-files.ts'
import { requiresByVariable } from './variable-requires.ts'

export type BundledModules = {
  readonly inputs: Metafile['inputs']
  /** The key of the module that the bundle begins with. */
  readonly entry: string
  /** The modules with code in the bundle, and how many bytes. */
  readonly used: ReadonlyMap<string, number>
  /** Those of them of which the bundle contains what they require. */
  readonly requiring: ReadonlySet<string>
  /** The native packages that modules require, and the bundle lacks. */
  readonly leftOut: ReadonlyMap<string, string>
  /** All that the bundle lacks, also where a package says that it can do without. */
  readonly native: ReadonlySet<string>
}

export const packageWarnings = (files: SourceFiles, bundle: BundledModules): readonly string[] => {
  const { inputs, entry, used, requiring, leftOut } = bundle
  const packages = [...used.keys()].filter(isDependency)
  /** One for each package. */
  const warn = (names: readonly string[], textOf: (name: string) => string): readonly string[] =>
    [...Map.groupBy(names, packageOf)].map(
      ([name, [first]]) => `${name} ${textOf(name)}${chainBehind(inputs, entry, first!)}`,
    )
  const reading = packages.filter((name) => {
    const text = files.text(name) ?? ''
    return (mayReadBeside(text) && !onlyTriesManifest(name, text)) || (!requiring.has(name) && requiresBeside(text))
  })
  return [
    ...warn(
      reading,
      (name) =>
        `reads files of its own package, ${ONLY_CODE}: the parts of ${name} that need them fail on the hosted service. Its documentation may say how to bundle it`,
    ),
    ...[...used.keys()].flatMap((name) => {
      const native = leftOut.get(name)
      return native === undefined
        ? []
        : `${packageOf(name)} requires the native module "${native}", which an artifact cannot contain: what needs it fails on the hosted service${chainBehind(inputs, entry, name)}`
    }),
    ...warn(
      packages.filter((name) => requiresByVariable(files, name)),
      (name) =>
        `requires modules whose names are only known when it runs, ${ONLY_CODE} that is imported by name: ` +
        `import what ${name} needs in your effects and pass it on, as its documentation says for bundlers`,
    ),
  ]
}

export const ONLY_CODE = 'and an artifact contains only code'

const PLACE = /\b__(?:dir|file)name\b|\bimport\.meta\.(?:url|dirname|filename)\b/
const READ = /\b(?:readFile|readdir|opendir)(?:Sync)?\s*\(|\bcreateReadStream\s*\(|\bopenSync\s*\(/
const START = /\bnew (?:\w+\.)?Worker\s*\(|\bfork\s*\(/
const RESOLVED = /\brequire\.resolve\(\s*['"`]\.{1,2}\//

/** Its examples may read files, which the module does not. */
const DOCUMENTATION = /\/\*\*\s[^]*?\*\//g

/** Whether the text of a module reads or starts files that it names by its own place, as far as words tell. */
export const mayReadBeside = (text: string): boolean =>
  mentionsReading(text) && mentionsReading(text.replace(DOCUMENTATION, ''))

const mentionsReading = (text: string): boolean => (PLACE.test(text) && readsOrStarts(text)) || RESOLVED.test(text)

export const readsOrStarts = (text: string): boolean => READ.test(text) || START.test(text)

export const onlyStarts = (text: string): boolean => START.test(text) && !READ.test(text)

const PLACES = new RegExp(`${PLACE.source}|${RESOLVED.source}`, 'g')

/** Whether it names its place only where it reads its package.json, as for its version, and catches that there is none. */
const onlyTriesManifest = (name: string, text: string): boolean => {
  if (!text.includes('package.json') || !OWN_MODULE.test(name) || tooDeep(name, text, 'unambiguous') !== undefined)
    return false
  const blocks: Range[] = []
  walk(parse(name, text, 'unambiguous').program, (node) => {
    if (node.type !== 'TryStatement' || node.handler === null) return
    const { block, handler } = node
    const written = ({ start, end }: Range): string => text.slice(start, end)
    const tried = written(block)
    if (tried.includes('package.json') && READ.test(tried) && !/\bthrow\b/.test(written(handler))) blocks.push(block)
  })
  return [...text.matchAll(PLACES)].every(({ index }) => blocks.some(({ start, end }) => start <= index && index < end))
}

/** By what `createRequire` returns. */
const requiresBeside = (text: string): boolean =>
  /\bcreateRequire\b/.test(text) && /(?:\brequire|\))\(\s*['"`]\.{1,2}\//.test(text)
