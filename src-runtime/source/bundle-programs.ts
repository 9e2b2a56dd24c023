// Bundles definitions of Programs into classic scripts: without schemas, with references in the place of effects, and
// nothing of what only other definitions need.

import { dirname, extname } from 'node:path'
import { isBuiltin } from 'node:module'
import {
  build,
  type BuildFailure,
  type BuildOptions,
  type Loader,
  type Message,
  type Metafile,
  type OnLoadResult,
  type Plugin,
} from 'esbuild'
import {
  EFFECTS_MODULE,
  readEffectExports,
  type EffectExports,
  type EffectExportsReading,
  type FollowImport,
} from './effect-exports.ts'
import { DEFINE } from './forbidden-names.ts'
import { SDK } from './module-facts.ts'
import type { SdkModule } from './sdk-module.ts'
import { runningSlice, withoutSchemas } from './slice-module.ts'
import { sourceError } from './source-error.ts'
import { isDependency, type SourceFiles } from './source-files.ts'
import type { RawSourceMap } from './source-map.ts'

export type Definition = { readonly path: string; readonly exportName: string }

export type ProgramBundle = {
  readonly definition: Definition
  /** With stand-ins for forbidden names. */
  readonly code: string
  readonly map: RawSourceMap
  readonly inputs: Metafile['inputs']
  /** Modules of which something is left. */
  readonly used: ReadonlySet<string>
  /** By the names of the effect modules that it imports. */
  readonly effects: ReadonlyMap<string, EffectExports>
}

export type BundlingOf<Bundle> =
  | { readonly ok: true; readonly bundles: readonly Bundle[]; readonly warnings: readonly Message[] }
  | { readonly ok: false; readonly errors: readonly Message[] }

export const ENTRY = 'wes-entry:'
export const SLICE = 'wes-slice:'
export const EFFECTS = 'wes:effects/'
const RUN = 'wes:run'

export const OWN_MODULE = /\.[cm]?[jt]sx?$/

/** One call for many definitions: they share what is read and parsed. It fails for all when one is at fault. */
export const bundlePrograms = async (
  files: SourceFiles,
  sdk: SdkModule,
  definitions: readonly Definition[],
): Promise<BundlingOf<ProgramBundle>> => {
  const effectExports = new Map<string, EffectExports>()
  try {
    const { outputFiles, metafile, warnings } = await build({
      ...COMMON,
      absWorkingDir: files.folder,
      outdir: files.folder,
      entryPoints: definitions.map((definition, index) => ({ in: ENTRY + keyOf(definition), out: `wes-${index}` })),
      format: 'iife',
      platform: 'neutral',
      mainFields: ['browser', 'module', 'main'],
      conditions: ['browser', 'module'],
      target: 'es2023',
      define: { ...DEFINE },
      banner: { js: '(() => { "use strict"; let wesProgram;' },
      footer: { js: 'return wesProgram })()' },
      plugins: [programPlugin(files, sdk, effectExports)],
    })
    const textOf = new Map(outputFiles.map(({ path, text }) => [files.nameOf(path), text]))
    return {
      ok: true,
      warnings,
      bundles: definitions.map((definition, index) => {
        const used = usedModules(metafile.outputs[`wes-${index}.js`]!)
        return {
          definition,
          code: textOf.get(`wes-${index}.js`)!,
          map: JSON.parse(textOf.get(`wes-${index}.js.map`)!) as RawSourceMap,
          inputs: metafile.inputs,
          used,
          effects: effectsOf(used, metafile.inputs, effectExports),
        }
      }),
    }
  } catch (error) {
    if (isBuildFailure(error)) return { ok: false, errors: error.errors }
    throw error
  }
}

const usedModules = ({ inputs }: Metafile['outputs'][string]): ReadonlySet<string> =>
  new Set(Object.entries(inputs).flatMap(([name, { bytesInOutput }]) => (bytesInOutput > 0 ? [name] : [])))

/** Effect modules of which a reference is left, and those that are imported for being called by name. */
const effectsOf = (
  used: ReadonlySet<string>,
  inputs: Metafile['inputs'],
  effectExports: ReadonlyMap<string, EffectExports>,
): ReadonlyMap<string, EffectExports> => {
  const found = new Set<string>()
  for (const key of used) {
    for (const name of [key, ...(inputs[key]?.imports.map(({ path }) => path) ?? [])]) {
      if (name.startsWith(EFFECTS)) found.add(name.slice(EFFECTS.length))
    }
  }
  return new Map(
    [...found].toSorted().flatMap((name) => {
      const exports = effectExports.get(name)
      return exports === undefined ? [] : [[name, exports]]
    }),
  )
}

/** What all bundles have in common: nothing that depends on the machine, the day or the terminal. */
export const COMMON = {
  bundle: true,
  write: false as const,
  metafile: true as const,
  sourcemap: 'external' as const,
  sourcesContent: false,
  legalComments: 'none' as const,
  charset: 'utf8' as const,
  treeShaking: true,
  nodePaths: [],
  logLevel: 'silent' as const,
  logLimit: 0,
} satisfies BuildOptions

export const isBuildFailure = (error: unknown): error is BuildFailure =>
  error instanceof Error && Array.isArray((error as { errors?: unknown }).errors)

export const keyOf = ({ path, exportName }: Definition): string => `${path}#${exportName}`

export const definitionOf = (key: string): Definition => {
  const at = key.lastIndexOf('#')
  return { path: key.slice(0, at), exportName: key.slice(at + 1) }
}

export const loaderOf = (name: string): Loader => {
  switch (extname(name)) {
    case '.ts':
    case '.mts':
    case '.cts':
      return 'ts'
    case '.tsx':
      return 'tsx'
    case '.jsx':
      return 'jsx'
    default:
      return 'js'
  }
}

const entryText = (definition: Definition): string =>
  `import { run } from ${JSON.stringify(RUN)}
import { ${JSON.stringify(definition.exportName)} as definition } from ${JSON.stringify(SLICE + keyOf(definition))}
wesProgram = { run: run(definition) }`

/** An Execution has a world of its own, so there is one context in it, and a reference finds it here. */
const RUN_TEXT = `let current
export const run = (definition) => (ctx, input) => {
  current = ctx
  return definition.run(ctx, input)
}
export const effect = (name) => Object.defineProperty((input) => {
  if (current === undefined) throw new Error('Effect "' + name + '" was called while its module was loading: call effects inside a Program')
  return current.effect(name, input)
}, 'name', { value: name })`

const programPlugin = (files: SourceFiles, sdk: SdkModule, effectExports: Map<string, EffectExports>): Plugin => ({
  name: 'wes-programs',
  setup: (own) => {
    const follow: FollowImport = async (from, specifier) => {
      const resolveDir = dirname(files.fileOf(from.path))
      const found = await own.resolve(specifier, { resolveDir, kind: 'import-statement', pluginData: PLAIN })
      const name = files.nameOf(found.path)
      return found.errors.length > 0 || isDependency(name) ? undefined : files.facts(name)
    }
    own.onResolve({ filter: /^wes(?:-entry|-slice)?:/ }, ({ path }) => {
      const at = path.indexOf(':')
      return { path: path.slice(at + 1), namespace: path.slice(0, at) }
    })
    own.onResolve({ filter: new RegExp(`^${SDK}$`) }, () => ({ path: 'sdk', namespace: 'wes', sideEffects: false }))
    own.onResolve({ filter: EFFECTS_MODULE }, async ({ path, pluginData, ...args }) => {
      if (pluginData === PLAIN) return undefined
      const found = await own.resolve(path, { ...resolveOptions(args), pluginData: PLAIN })
      const name = files.nameOf(found.path)
      if (found.errors.length > 0 || isDependency(name)) return undefined
      return { path: `effects/${name}`, namespace: 'wes', sideEffects: false }
    })
    own.onResolve({ filter: /^[a-z_:/0-9]+$/ }, async ({ path, pluginData, ...args }) => {
      if (pluginData === PLAIN || !isBuiltin(path)) return undefined
      if (!path.startsWith('node:')) {
        const found = await own.resolve(path, { ...resolveOptions(args), pluginData: PLAIN })
        if (found.errors.length === 0) return undefined
      }
      return { path, external: true, sideEffects: false }
    })
    own.onLoad({ filter: /./, namespace: 'wes-entry' }, ({ path }) => ({
      contents: entryText(definitionOf(path)),
      loader: 'js',
      resolveDir: files.folder,
    }))
    own.onLoad({ filter: /./, namespace: 'wes-slice' }, ({ path }) => {
      const definition = definitionOf(path)
      const facts = files.facts(definition.path)
      return facts && loaded(files, definition.path, runningSlice(facts, definition.exportName).text)
    })
    own.onLoad({ filter: /^run$/, namespace: 'wes' }, () => ({ contents: RUN_TEXT, loader: 'js' }))
    own.onLoad({ filter: /^sdk$/, namespace: 'wes' }, () => ({ contents: sdk.code, loader: 'js' }))
    own.onLoad({ filter: /^effects\//, namespace: 'wes' }, async ({ path }) => {
      const name = path.slice('effects/'.length)
      const reading = await effectExportsOf(files, name, follow)
      if (reading.ok) {
        effectExports.set(name, reading.exports)
        return { contents: referencesText(reading.exports.names), loader: 'js' }
      }
      return { errors: reading.errors.map((detail) => ({ text: detail.message, detail })) }
    })
    own.onLoad({ filter: OWN_MODULE, namespace: 'file' }, ({ path }) => {
      const name = files.nameOf(path)
      if (isDependency(name)) return undefined
      const facts = files.facts(name)
      return facts?.text.includes(SDK) === true ? loaded(files, name, withoutSchemas(facts).text) : undefined
    })
  },
})

/** Asked of esbuild by a plugin of ours, which then must not be asked again. */
const PLAIN = Symbol('plain')

type ResolveArguments = { readonly importer: string; readonly namespace: string; readonly resolveDir: string }

const resolveOptions = ({ importer, namespace, resolveDir }: ResolveArguments) => ({
  importer,
  namespace,
  resolveDir,
  kind: 'import-statement' as const,
})

const loaded = (files: SourceFiles, name: string, contents: string): OnLoadResult => ({
  contents,
  loader: loaderOf(name),
  resolveDir: dirname(files.fileOf(name)),
})

const referencesText = (names: readonly string[]): string => {
  const locals = names.map((name, index) => (/^[\w$]+$/.test(name) ? `$${name}` : `$${index}`))
  return [
    `import { effect } from ${JSON.stringify(RUN)}`,
    ...names.map((name, index) => `const ${locals[index]} = /* @__PURE__ */ effect(${JSON.stringify(name)})`),
    `export { ${names.map((name, index) => `${locals[index]} as ${JSON.stringify(name)}`).join(', ')} }`,
  ].join('\n')
}

export const effectExportsOf = async (
  files: SourceFiles,
  name: string,
  follow: FollowImport,
): Promise<EffectExportsReading> => {
  const reading = files.read(name)
  if (reading?.ok === true) return readEffectExports(reading.facts, follow)
  return {
    ok: false,
    errors: reading?.errors ?? [sourceError({ path: name, line: 1, column: 1 }, 'cannot be read', undefined)],
  }
}
