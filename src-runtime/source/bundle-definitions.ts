// Bundles the options of definitions (ids, schemas, options of effects) into a script that evaluates to them. Leaves out
// functions, and everything that only functions use.

import type { Metafile, Plugin } from 'esbuild'
import type { Blanked } from './blank.ts'
import { bundle, DESCRIBING, loaderOf, OWN_MODULE, PLAIN, resolveOwn, type BundlingFailed } from './bundling.ts'
import { EFFECTS_MODULE } from './effect-exports.ts'
import { ELSEWHERE } from './find-programs.ts'
import { definerOf, SDK, valueOfExport } from './module-facts.ts'
import type { SdkModule } from './sdk-module.ts'
import { describingSlice, isWorthCutting, withoutFunctions } from './slice-module.ts'
import { isDependency, type SourceFiles } from './source-files.ts'
import { readSourceMap, type RawSourceMap } from './source-map.ts'
import { CONVERTERS } from './to-json-schema.ts'

/** Parts of modules, by module name. */
export type Slices = ReadonlyMap<string, Blanked>

export type DefinitionsBundle =
  | { readonly ok: true; readonly code: string; readonly map: RawSourceMap; readonly inputs: Metafile['inputs'] }
  | BundlingFailed

export type DefinitionKind = 'programs' | 'effects'

export const bundleDefinitions = (
  files: SourceFiles,
  sdk: SdkModule,
  kind: DefinitionKind,
  slices: Slices,
  /** Vendors whose schemas need a converter; see CONVERTERS. */
  converters: Iterable<string>,
): Promise<DefinitionsBundle> =>
  bundleDescribing(files, entryText(kind, slices, [...converters]), definitionsPlugin(files, sdk, kind, slices))

/** Bundles a module whose default export is the project's configuration. */
export const bundleConfig = (files: SourceFiles, sdk: SdkModule, name: string): Promise<DefinitionsBundle> => {
  // Not `import config`: without a default export, the bundler's error would name this entry.
  const entry = `import * as module from ${JSON.stringify(`./${name}`)}\nwesDefinitions = { converters: {}, config: module.default }`
  return bundleDescribing(files, entry, definitionsPlugin(files, sdk, 'config', new Map()))
}

const bundleDescribing = async (files: SourceFiles, entry: string, plugin: Plugin): Promise<DefinitionsBundle> => {
  const bundled = await bundle(files, {
    stdin: { contents: entry, resolveDir: files.folder, sourcefile: 'wes:definitions', loader: 'js' },
    outfile: `${files.folder}/wes-definitions.js`,
    format: 'iife',
    platform: 'node',
    mainFields: ['module', 'main'],
    target: 'node24',
    define: { 'process.env.NODE_ENV': '"production"' },
    banner: { js: `(() => { "use strict"; let wesDefinitions; ${REQUIRE}` },
    footer: { js: 'return wesDefinitions })()' },
    plugins: [plugin],
  })
  if (!bundled.ok) return bundled
  const { texts, metafile } = bundled
  return {
    ok: true,
    code: texts.get('wes-definitions.js')!,
    map: readSourceMap(texts.get('wes-definitions.js.map')!),
    inputs: metafile.inputs,
  }
}

/** For built-in modules. The evaluating process loads none, but it has what joi needs of two as globals. */
const REQUIRE = `const require = (name) => {
  if (name === 'url' || name === 'node:url') return { URL, URLSearchParams }
  if (name === 'util' || name === 'node:util') return { TextDecoder, TextEncoder }
  throw new Error(name + ' is not available to configs and the options of definitions: only functions of effects may use built-in modules')
}`

/**
 * Versions of the define functions that keep their options for the describing process. A function that is given may be
 * undefined there, where the statement that sets it is left out.
 */
const DEFINERS = `export * from 'wes:sdk'
const DEFINED = Symbol.for('wes.defined')
const define = (value, kind, [options, ...rest]) =>
  Object.defineProperty(value, DEFINED, { value: { kind, options, hasFunction: rest.length > 0 } })
export const defineProgram = (...given) => define({ ...given[0] }, 'program', given)
export const defineEvent = (name, schema) => ({ name, schema })
export const defineEffect = (...given) => define(() => undefined, 'effect', given)
`

/** Has every export: modules that Programs share may import effects, and none is called here. */
const NO_EFFECTS = 'module.exports = new Proxy({}, { get: () => () => undefined })'

const entryText = (kind: DefinitionKind, slices: Slices, vendors: readonly string[]): string => {
  const names = [...slices.keys()]
  return [
    ...vendors.map((vendor) => `import ${vendor} from 'wes:converter/${vendor}'`),
    ...names.map((name, index) => `import * as m${index} from ${JSON.stringify(DESCRIBING + name)}`),
    `wesDefinitions = { converters: { ${vendors.join(', ')} }, ${kind}: [`,
    ...names.map((name, index) => `[${JSON.stringify(name)}, m${index}],`),
    `] }`,
  ].join('\n')
}

const definitionsPlugin = (
  files: SourceFiles,
  sdk: SdkModule,
  kind: DefinitionKind | 'config',
  slices: Slices,
): Plugin => ({
  name: 'wes-definitions',
  setup: (own) => {
    own.onResolve({ filter: /^wes(?:-describing)?:/ }, ({ path }) => {
      const at = path.indexOf(':')
      return {
        path: path.slice(at + 1),
        namespace: path.slice(0, at),
        sideEffects: path === 'wes:sdk' ? false : undefined,
      }
    })
    own.onResolve({ filter: new RegExp(`^${SDK}$`) }, () => ({ path: 'definers', namespace: 'wes' }))
    own.onResolve({ filter: EFFECTS_MODULE }, async ({ path, pluginData, importer, namespace, resolveDir }) => {
      if (pluginData === PLAIN) return undefined
      const name = await resolveOwn(own, files, path, { importer, resolveDir })
      if (name === undefined) return undefined
      const describesIt = kind === 'effects' && namespace === 'wes-describing'
      return describesIt ? { path: name, namespace } : { path: 'no-effects', namespace: 'wes' }
    })
    own.onLoad({ filter: /^no-effects$/, namespace: 'wes' }, () => ({ contents: NO_EFFECTS, loader: 'js' }))
    own.onLoad({ filter: OWN_MODULE, namespace: 'file' }, ({ path }) => {
      const name = files.nameOf(path)
      const facts = isDependency(name) ? undefined : files.facts(name)
      if (facts === undefined || !isWorthCutting(facts)) return undefined
      return { contents: withoutFunctions(facts).text, loader: loaderOf(name), resolveDir: files.folderOf(name) }
    })
    own.onLoad({ filter: /^(?:definers|sdk)$/, namespace: 'wes' }, ({ path }) => {
      return { contents: path === 'sdk' ? sdk.code : DEFINERS, loader: 'js' }
    })
    own.onLoad({ filter: /^converter\//, namespace: 'wes' }, async ({ path }) => {
      const converter = CONVERTERS[path.slice('converter/'.length)]!
      const where = { resolveDir: files.folder, kind: 'import-statement' as const }
      const found = await own.resolve(converter.package, where)
      const contents =
        found.errors.length > 0
          ? 'export default undefined'
          : `export { ${converter.export} as default } from ${JSON.stringify(converter.package)}`
      return { contents, loader: 'js', resolveDir: files.folder }
    })
    own.onLoad({ filter: /./, namespace: 'wes-describing' }, ({ path }) => ({
      contents: (slices.get(path) ?? effectSlice(files, path))?.text ?? '',
      loader: loaderOf(path),
      resolveDir: files.folderOf(path),
    }))
  },
})

/** For a module from which other effect modules re-export. */
const effectSlice = (files: SourceFiles, name: string): Blanked | undefined => {
  const facts = files.facts(name)
  if (facts === undefined) return undefined
  const names = facts.exports.flatMap((one) => {
    // A name that the module does not export itself keeps its `export *`.
    if (one.kind === 'all') return [ELSEWHERE]
    const value = valueOfExport(facts, one)
    return one.kind === 'from' || (value && definerOf(value, facts.imports) === 'defineEffect') ? [one.name] : []
  })
  return describingSlice(facts, names)
}
