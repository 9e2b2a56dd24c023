// Bundles definitions of Programs into classic scripts, without schemas, with references instead of effects, and without
// code that only other definitions need.

import { join } from 'node:path'
import type { BuildOptions, Message, Metafile } from 'esbuild'
import type { Insertion } from './blank.ts'
import {
  bundle,
  EFFECTS,
  ENTRY,
  keyOf,
  OWN_MODULE,
  SLICE,
  sourceNameOf,
  TOP_LEVEL_AWAIT,
  type BundlingOf,
  type Definition,
} from './bundling.ts'
import type { EffectExports } from './effect-exports.ts'
import { DEFINE } from './forbidden-names.ts'
import { tolerantPlugin } from './packages-plugin.ts'
import { programPlugin } from './program-plugin.ts'
import type { SdkModule } from './sdk-module.ts'
import { BUNDLE, nestsLittle, tooDeep } from './parse.ts'
import { partsOf } from './script-parts.ts'
import { placeOf, sourceError, startOf } from './source-error.ts'
import { isDependency, type SourceFiles } from './source-files.ts'
import { createSourceOf, readSourceMap, shiftColumns, type RawSourceMap } from './source-map.ts'
import { pathsUp } from '../shared/stat-of.ts'
import { createYield } from '../shared/yield-to-event-loop.ts'

export type ProgramBundle = {
  readonly definition: Definition
  /** Contains stand-ins for forbidden names. */
  readonly code: string
  readonly map: RawSourceMap
  readonly inputs: Metafile['inputs']
  /** Modules with code in the bundle. */
  readonly used: ReadonlySet<string>
  /** By the names of the imported effect modules. */
  readonly effects: ReadonlyMap<string, EffectExports>
}

/** Fails for all if one has an error. */
export const bundlePrograms = async (
  files: SourceFiles,
  sdk: SdkModule,
  definitions: readonly Definition[],
): Promise<BundlingOf<ProgramBundle>> => {
  const bundled = await bundleAs('parts', files, sdk, definitions)
  if (!bundled.ok) return bundled
  const twice = bundled.bundles.filter(holdsModuleTwice).map(({ definition }) => definition)
  if (twice.length === 0) return bundled
  const again = await bundleAs('whole modules', files, sdk, twice)
  if (!again.ok) return again
  const whole = new Map(again.bundles.map((one) => [one.definition, one]))
  return { ok: true, bundles: bundled.bundles.map((one) => whole.get(one.definition) ?? one) }
}

/**
 * Whether the bundle contains the definition's part of its module, and the module too, because what the part imports imports it.
 * Its code would run twice, with two of each variable and class.
 */
const holdsModuleTwice = ({ definition, used }: ProgramBundle): boolean => {
  const slice = sliceKeyOf(definition, used)
  return slice !== undefined && used.has(sourceNameOf(slice))
}

const sliceKeyOf = (definition: Definition, used: ReadonlySet<string>): string | undefined =>
  [...used].find((key) => key.endsWith(SLICE + keyOf(definition)))

/** Bundles many definitions in one call, so that modules are read and parsed once. */
const bundleAs = async (
  what: 'parts' | 'whole modules',
  files: SourceFiles,
  sdk: SdkModule,
  definitions: readonly Definition[],
): Promise<BundlingOf<ProgramBundle>> => {
  const effectExports = new Map<string, EffectExports>()
  const insertions = new Map<string, readonly Insertion[]>()
  const options = {
    outdir: files.folder,
    // Numbers, because an asterisk in the name of an entry point would be a pattern.
    entryPoints: definitions.map((_, index) => ({ in: ENTRY + index, out: `wes-${index}` })),
    format: 'iife',
    // For the map by which a package replaces its modules that need Node, or the built-in modules that they import.
    platform: hasOwnBrowserMap(files) ? 'neutral' : 'browser',
    mainFields: ['browser', 'module', 'main'],
    conditions: ['browser', 'module'],
    target: 'es2023',
    // The engine has it. What the bundler would write instead throws the error of one round of a loop again in later ones.
    supported: { using: true },
    define: { ...DEFINE },
    // Otherwise classes that refer to themselves, and those of the same name in two modules, are renamed, with their errors.
    // Not for effects: what they send as text, such as to a browser, would refer to the bundler's function.
    keepNames: true,
    banner: { js: '(() => { "use strict"; let wesProgram;' },
    footer: { js: 'return wesProgram })()' },
    plugins: [programPlugin(files, sdk, definitions, what, effectExports, insertions)],
  } satisfies BuildOptions
  const bundled = await bundle(files, options)
  if (!bundled.ok) {
    const { errors } = bundled
    const awaits = errors.some(({ text }) => TOP_LEVEL_AWAIT.test(text))
    const isOfPackage = errors.some(({ location }) => isDependency(location?.file ?? ''))
    if (definitions.length > 1 || !(awaits || isOfPackage)) return bundled
    // The bundler tells nothing of what failed. An ES module may await at its top level.
    const again = await bundle(files, {
      ...options,
      ...(awaits && { format: 'esm' }),
      plugins: [tolerantPlugin(files, errors), ...options.plugins],
    })
    return { ok: false, errors, ...(again.ok && { inputs: again.metafile.inputs }) }
  }
  const { texts, metafile } = bundled
  const bundles: ProgramBundle[] = []
  const yieldToEventLoop = createYield()
  for (const [index, definition] of definitions.entries()) {
    await yieldToEventLoop()
    const code = texts.get(`wes-${index}.js`)!
    const used = usedModules(metafile.outputs[`wes-${index}.js`]!)
    const sliced = withSlice(readSourceMap(texts.get(`wes-${index}.js.map`)!), definition, used)
    const map = withoutInsertions(files, sliced, insertions)
    const deep = tooDeepIn(files, code, map, used)
    if (deep !== undefined) return { ok: false, errors: [deep] }
    bundles.push({
      definition,
      code,
      map,
      inputs: metafile.inputs,
      used,
      effects: effectsOf(files, used, metafile.inputs, effectExports),
    })
  }
  return { ok: true, bundles }
}

/** In a module of a package, in data, or in a module of the project that nothing else reads. */
const tooDeepIn = (
  files: SourceFiles,
  code: string,
  map: RawSourceMap,
  used: ReadonlySet<string>,
): Message | undefined => {
  // Most of it may be modules that other bundles contain, too.
  if (partsOf(code, used).every((part) => nestsLittle(part.code))) return undefined
  const deep = tooDeep(BUNDLE, code, 'script')
  if (deep === undefined) return undefined
  const { line, column } = placeOf('', code, deep.at)
  const place = createSourceOf(map)(line, column) ?? startOf('.')
  const detail = sourceError(place, deep.text, files.text(place.path))
  return { id: '', pluginName: '', text: detail.message, location: null, notes: [], detail }
}

/**
 * Whether the project has such a map itself, in its folder or above. It is meant for pages, not for Programs, and the bundler would
 * apply it to everything below it.
 */
const hasOwnBrowserMap = (files: SourceFiles): boolean =>
  pathsUp(files.folder).some((at) => hasBrowserMap(files.text(files.nameOf(join(at, 'package.json'))) ?? '{}'))

const hasBrowserMap = (packageJson: string): boolean => {
  try {
    const { browser = null } = JSON.parse(packageJson) as { readonly browser?: unknown }
    return typeof browser === 'object' && browser !== null
  } catch {
    return false
  }
}

/**
 * Names the definition's part of its module, which esbuild's source map calls like the whole module, or like the target of
 * a link.
 */
const withSlice = (map: RawSourceMap, definition: Definition, used: ReadonlySet<string>): RawSourceMap => {
  const slice = sliceKeyOf(definition, used)
  const at = slice === undefined ? -1 : map.sources.lastIndexOf(slice.slice(0, slice.indexOf(SLICE)))
  return slice === undefined || at === -1 ? map : { ...map, sources: map.sources.with(at, slice) }
}

/** The source map for the text before the insertions. */
const withoutInsertions = (
  files: SourceFiles,
  map: RawSourceMap,
  insertions: ReadonlyMap<string, readonly Insertion[]>,
): RawSourceMap =>
  shiftColumns(map, (source) => {
    const found = insertions.get(source) ?? []
    const text = found.length === 0 ? undefined : files.facts(source)?.text
    if (text === undefined) return []
    return found.map(({ offset, length }) => ({ ...placeOf(source, text, offset), length }))
  })

const usedModules = ({ inputs }: Metafile['outputs'][string]): ReadonlySet<string> =>
  new Set(Object.entries(inputs).flatMap(([name, { bytesInOutput }]) => (bytesInOutput > 0 ? [name] : [])))

/** The effect modules that the bundle refers to, and those imported without names, whose effects are called by name. */
const effectsOf = (
  files: SourceFiles,
  used: ReadonlySet<string>,
  inputs: Metafile['inputs'],
  effectExports: ReadonlyMap<string, EffectExports>,
): ReadonlyMap<string, EffectExports> => {
  const found = new Set<string>()
  for (const key of used) {
    if (key.startsWith(EFFECTS)) found.add(key.slice(EFFECTS.length))
    const bare = bareImports(files, sourceNameOf(key))
    for (const { path, original } of inputs[key]?.imports ?? []) {
      if (path.startsWith(EFFECTS) && original !== undefined && bare.has(original))
        found.add(path.slice(EFFECTS.length))
    }
  }
  return new Map(
    [...found].toSorted().flatMap((name) => {
      const exports = effectExports.get(name)
      return exports === undefined ? [] : [[name, exports]]
    }),
  )
}

const bareImports = (files: SourceFiles, name: string): ReadonlySet<string> =>
  new Set(
    isDependency(name) || !OWN_MODULE.test(name)
      ? []
      : files
          .facts(name)
          ?.statements.flatMap(({ node }) =>
            node.type === 'ImportDeclaration' && node.specifiers.length === 0 ? [node.source.value] : [],
          ),
  )
