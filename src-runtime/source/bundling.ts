// What all bundles of a project share: how they are made, what their plugins do alike, and the names of generated modules.

import { extname } from 'node:path'
import type {
  BuildFailure,
  BuildOptions,
  Loader,
  Message,
  Metafile,
  Plugin,
  PluginBuild,
  ResolveOptions,
} from 'esbuild'
import { build } from './call-esbuild.ts'
import { SDK } from './module-facts.ts'
import { mayBeTooDeep } from './parse.ts'
import type { SdkModule } from './sdk-module.ts'
import { isDependency, packageOf, type SourceFiles } from './source-files.ts'

/** An exported definition of a Program. */
export type Definition = { readonly path: string; readonly exportName: string }

export type BundlingFailed = {
  readonly ok: false
  readonly errors: readonly Message[]
  /** Which modules import which, where one of them awaits at its top level. */
  readonly inputs?: Metafile['inputs']
}

export type BundlingOf<Bundle> = { readonly ok: true; readonly bundles: readonly Bundle[] } | BundlingFailed
export type OneBundled<Bundle> = { readonly ok: true; readonly bundle: Bundle } | BundlingFailed

/** Bundles all at once; if that fails, one by one, to find the error. */
export const bundleEach = async <Wanted, Bundle>(
  wanted: readonly Wanted[],
  bundleAll: (wanted: readonly Wanted[]) => Promise<BundlingOf<Bundle>>,
): Promise<readonly OneBundled<Bundle>[]> => {
  if (wanted.length === 0) return []
  const all = await bundleAll(wanted)
  if (all.ok) return all.bundles.map((one) => ({ ok: true, bundle: one }))
  if (wanted.length === 1) return [all]
  const each: OneBundled<Bundle>[] = []
  for (const one of wanted) each.push(...(await bundleEach([one], bundleAll)))
  return each
}

/** Prefix of a definition's number in a bundle, for the script that runs it. */
export const ENTRY = 'wes-entry:'
/**
 * Follows the name of a module, before a definition's key: for the part of the module that the definition needs. esbuild
 * resolves such a name itself, and applies the module's tsconfig.json. It has none for what a plugin resolves.
 */
export const SLICE = '?wes-slice:'
/** Prefix of a module's name: for the part that describes its Programs or its effects. */
export const DESCRIBING = 'wes-describing:'
/** Prefix of an effect module's name: for references to its effects. */
export const EFFECTS = 'wes:effects/'

export const OWN_MODULE = /\.[cm]?[jt]sx?$/
/** Files that esbuild reads as modules: also those without an ending. */
export const MODULE = /\.[cm]?[jt]sx?$|[\\/][^.\\/]+$/

/** Marks requests of our own plugins to esbuild, so that the plugins do not handle them again. */
export const PLAIN = Symbol('plain')

/** The project's own module that an import leads to; undefined for others. */
export const resolveOwn = async (
  own: PluginBuild,
  files: SourceFiles,
  specifier: string,
  from: Pick<ResolveOptions, 'importer' | 'namespace' | 'resolveDir'>,
): Promise<string | undefined> => {
  const found = await own.resolve(specifier, { ...from, kind: 'import-statement', pluginData: PLAIN })
  const name = files.nameOf(found.path)
  return found.errors.length > 0 || isDependency(name) ? undefined : name
}

/** The authoring API for all modules of a bundle. */
export const provideSdk = (own: PluginBuild, { code }: SdkModule): void => {
  own.onResolve({ filter: new RegExp(`^${SDK}$`) }, () => ({ path: 'sdk', namespace: 'wes', sideEffects: false }))
  own.onLoad({ filter: /^sdk$/, namespace: 'wes' }, () => ({ contents: code, loader: 'js' }))
}

/** The file of a module in a bundle. Returns other names unchanged. */
export const sourceNameOf = (name: string): string => {
  const slice = sliceIn(name)
  if (slice !== undefined) return slice.path
  return name.startsWith(DESCRIBING) ? name.slice(DESCRIBING.length) : name
}

/** The definition whose part of a module a name stands for. */
export const sliceIn = (name: string): Definition | undefined => {
  const at = name.indexOf(SLICE)
  return at === -1 ? undefined : definitionOf(name.slice(at + SLICE.length))
}

/** They make a bundle independent of the machine, the time and the terminal. */
const COMMON = {
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

/** The bundler takes hours for some thousands of functions within one another, and drops imports that TypeScript refuses. */
const withoutRefused = (files: SourceFiles): Plugin => ({
  name: 'wes-refused',
  setup: (own) => {
    own.onLoad({ filter: OWN_MODULE, namespace: 'file' }, ({ path }) => {
      const name = files.nameOf(path)
      const mayBeDeep = !isDependency(name) || mayBeTooDeep(files.text(name) ?? '')
      const reading = mayBeDeep ? files.read(name) : undefined
      if (reading?.ok !== false || reading.isRefused !== true) return undefined
      return { errors: reading.errors.map((detail) => ({ text: detail.message, detail })) }
    })
  },
})

type Outputs = { readonly ok: true; readonly texts: ReadonlyMap<string, string>; readonly metafile: Metafile }

/** `texts`: the outputs, by their names. */
export const bundle = async (files: SourceFiles, options: BuildOptions): Promise<Outputs | BundlingFailed> => {
  const buildWith = (plugins: readonly Plugin[]) =>
    build({
      ...options,
      ...COMMON,
      absWorkingDir: files.folder,
      plugins: [withoutRefused(files), ...plugins, ...(options.plugins ?? [])],
    })
  try {
    const built = await buildWith([])
    const ignored = ignoredIn(built.warnings)
    const { outputFiles, metafile } = ignored.size === 0 ? built : await buildWith([withIgnored(files, ignored)])
    return { ok: true, texts: new Map(outputFiles.map(({ path, text }) => [files.nameOf(path), text])), metafile }
  } catch (error) {
    if (isBuildFailure(error)) return { ok: false, errors: error.errors }
    throw error
  }
}

const IGNORED = /^Ignoring this import because "(.*)" was marked as having no side effects/

/**
 * The modules that `import './setup.ts'` is for, and that the bundler leaves out, because a package.json says "sideEffects": false. Node
 * runs them. Of a package, its name: its modules may import others in the same way, of which the bundler tells nothing.
 */
const ignoredIn = (warnings: readonly Message[]): ReadonlySet<string> =>
  new Set(
    warnings.flatMap(({ text }) => {
      const [, name] = IGNORED.exec(text) ?? []
      return name === undefined ? [] : [wholeOf(name)]
    }),
  )

const wholeOf = (name: string): string => (isDependency(name) ? packageOf(name) : name)

const KEPT = Symbol('kept')

/** Each import of such a module must say so: that which comes first counts for all. */
const withIgnored = (files: SourceFiles, ignored: ReadonlySet<string>): Plugin => ({
  name: 'wes-ignored',
  setup: (own) => {
    own.onResolve({ filter: /./ }, async ({ path, pluginData, kind, ...from }) => {
      if (pluginData === PLAIN || pluginData === KEPT || kind === 'entry-point') return undefined
      const found = await own.resolve(path, { ...from, kind, pluginData: KEPT })
      const isIgnored = found.errors.length === 0 && !found.external && found.namespace === 'file'
      if (!isIgnored || !ignored.has(wholeOf(files.nameOf(found.path)))) return undefined
      const { namespace, suffix } = found
      const given: unknown = found.pluginData
      return { path: found.path, namespace, suffix, pluginData: given === KEPT ? undefined : given, sideEffects: true }
    })
  },
})

/** The keys of a bundle's modules that some of them need, including their own. The output has none whose constants are written in others. */
export const keysFrom = (inputs: Metafile['inputs'], keys: readonly string[]): ReadonlySet<string> => {
  const queue = [...keys]
  const seen = new Set(queue)
  for (let key = queue.pop(); key !== undefined; key = queue.pop()) {
    for (const { path, external } of inputs[key]?.imports ?? []) {
      if (external === true || seen.has(path)) continue
      seen.add(path)
      queue.push(path)
    }
  }
  return seen
}

export const TOP_LEVEL_AWAIT = /^Top-level await is (?:currently )?not (?:supported|available)/

export const UNRESOLVED = /^Could not resolve "([^"]*)"/

const isBuildFailure = (error: unknown): error is BuildFailure =>
  error instanceof Error && Array.isArray((error as { errors?: unknown }).errors)

/** esbuild uses the last source map that a module names, and none if that is empty. */
const NO_SOURCE_MAP = '\n//# sourceMappingURL=data:application/json,{"version":3,"sources":[],"mappings":""}'

/**
 * For a module of a package that may have a source map of its own, which may name files that the package does not contain,
 * and any file of this machine, whose text would then be stored as the author's. Undefined if it has none.
 */
export const withoutSourceMap = (code: string): string | undefined =>
  code.includes('sourceMappingURL=') ? code + NO_SOURCE_MAP : undefined

/** Without an asterisk of the export's name: esbuild resolves no name with one. */
export const keyOf = ({ path, exportName }: Definition): string =>
  `${path}#${encodeURIComponent(exportName).replaceAll('*', '%2A')}`

export const definitionOf = (key: string): Definition => {
  const at = key.lastIndexOf('#')
  return { path: key.slice(0, at), exportName: decodeURIComponent(key.slice(at + 1)) }
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
