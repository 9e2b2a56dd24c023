// Resolves the imports of a Program for esbuild: the needed part of its own module, references instead of effects, the
// authoring API, and no Node built-ins.

import { isBuiltin } from 'node:module'
import type { OnLoadResult, Plugin } from 'esbuild'
import type { Insertion } from './blank.ts'
import {
  definitionOf,
  ENTRY,
  keyOf,
  loaderOf,
  MODULE,
  PLAIN,
  provideSdk,
  resolveOwn,
  SLICE,
  sliceIn,
  withoutSourceMap,
  type Definition,
} from './bundling.ts'
import {
  EFFECTS_MODULE,
  readEffectExports,
  type EffectExports,
  type EffectExportsReading,
  type FollowImport,
} from './effect-exports.ts'
import type { SdkModule } from './sdk-module.ts'
import { isWorthCutting, runningSlice, withoutSchemas } from './slice-module.ts'
import { sourceError, startOf } from './source-error.ts'
import { isDependency, whyOtherCase, type SourceFiles } from './source-files.ts'

const RUN = 'wes:run'

/** In names that esbuild does not resolve with a suffix behind them. */
const NOT_RESOLVED = /[?#*]/

const entryText = (files: SourceFiles, definition: Definition): string =>
  `import { compiled } from ${JSON.stringify(RUN)}
import { ${JSON.stringify(definition.exportName)} as definition } from ${JSON.stringify(files.specifierOf(definition.path) + SLICE + keyOf(definition))}
wesProgram = compiled(definition)`

/**
 * Each Execution has its own realm, so `current` is its only context, which references to effects use. The sandbox hides
 * functions named wes:runtime in stacks; a bound function has no frame, and keeps its own name. An export that is no
 * function, which is not always known before its module runs, must not be taken for a value: a comparison with it would
 * only be wrong.
 */
const RUN_TEXT = `let current
const named = (value, name) => Object.defineProperty(value, 'name', { value: name })
const hidden = (value) => named(value, 'wes:runtime')
const run = (definition) => hidden((ctx, input) => {
  current = ctx
  return definition.run(ctx, input)
})
export const compiled = (definition) =>
  definition.label === undefined ? { run: run(definition) } : { run: run(definition), label: definition.label }
const call = hidden((name, input) => {
  if (current === undefined) throw new Error('Effect "' + name + '" was called while its module was loading: call effects inside a Program')
  return current.effect(name, input)
})
const refuse = /* @__PURE__ */ hidden((name) => {
  throw new TypeError('"' + name + '" is an effect in a Program, and was used as a value: Programs get only functions from a *.effects.ts module. Move shared values into another module')
})
const CALLED_BY_LANGUAGE = ['then', 'toJSON']
export const effect = (name) => {
  const reference = named(call.bind(undefined, name), name)
  Object.defineProperty(reference, Symbol.toPrimitive, { value: hidden(() => refuse(name)) })
  return new Proxy(reference, {
    get: hidden((of, key, receiver) =>
      typeof key === 'symbol' || key in of || CALLED_BY_LANGUAGE.includes(key) ? Reflect.get(of, key, receiver) : refuse(name)),
  })
}`

export const programPlugin = (
  files: SourceFiles,
  sdk: SdkModule,
  entries: readonly Definition[],
  what: 'parts' | 'whole modules',
  effectExports: Map<string, EffectExports>,
  insertions: Map<string, readonly Insertion[]>,
): Plugin => ({
  name: 'wes-programs',
  setup: (own) => {
    const follow: FollowImport = async (from, specifier) => {
      const name = await resolveOwn(own, files, specifier, { resolveDir: files.folderOf(from.path) })
      return name === undefined ? undefined : files.facts(name)
    }
    own.onResolve({ filter: /^wes-entry:/ }, ({ path }) => ({
      path: keyOf(entries[Number(path.slice(ENTRY.length))]!),
      namespace: 'wes-entry',
    }))
    own.onResolve({ filter: /^wes:/ }, ({ path }) => ({ path: path.slice('wes:'.length), namespace: 'wes' }))
    own.onResolve({ filter: /\?wes-slice:/ }, ({ path }) => {
      const name = sliceIn(path)?.path ?? ''
      if (!NOT_RESOLVED.test(name)) return undefined
      return { path: files.fileOf(name), suffix: path.slice(path.indexOf(SLICE)) }
    })
    provideSdk(own, sdk)
    own.onResolve({ filter: EFFECTS_MODULE }, async ({ path, pluginData, importer, namespace, resolveDir }) => {
      if (pluginData === PLAIN) return undefined
      const name = await resolveOwn(own, files, path, { importer, namespace, resolveDir })
      return name === undefined ? undefined : { path: `effects/${name}`, namespace: 'wes', sideEffects: false }
    })
    own.onResolve({ filter: /^[a-z_:/0-9]+$/ }, async ({ path, pluginData, importer, namespace, resolveDir }) => {
      if (pluginData === PLAIN || !isBuiltin(path)) return undefined
      const from = { importer, namespace, resolveDir }
      const found = await own.resolve(path, { ...from, kind: 'import-statement', pluginData: PLAIN })
      // A package may have the same name, or the importing one does without the module in browsers.
      if (found.errors.length === 0) return undefined
      return { path, external: true, sideEffects: false }
    })
    own.onLoad({ filter: /./, namespace: 'wes-entry' }, ({ path }) => ({
      contents: entryText(files, definitionOf(path)),
      loader: 'js',
      resolveDir: files.folder,
    }))
    own.onLoad({ filter: /^run$/, namespace: 'wes' }, () => ({ contents: RUN_TEXT, loader: 'js' }))
    own.onLoad({ filter: /^effects\//, namespace: 'wes' }, async ({ path }) => {
      const name = path.slice('effects/'.length)
      const reading = await effectExportsOf(files, name, follow)
      if (reading.ok) {
        effectExports.set(name, reading.exports)
        return { contents: referencesText(reading.exports.names), loader: 'js' }
      }
      return { errors: reading.errors.map((detail) => ({ text: detail.message, detail })) }
    })
    own.onLoad({ filter: MODULE, namespace: 'file' }, ({ path, suffix }) => {
      const definition = sliceIn(suffix)
      if (definition !== undefined) {
        if (what === 'whole modules') return loaded(files, definition.path, wholeText(path, definition))
        const facts = files.facts(definition.path)
        return facts && loaded(files, definition.path, runningSlice(facts, definition.exportName).text)
      }
      const name = files.nameOf(path)
      if (isDependency(name)) {
        // Only esbuild reads a package in an archive of Yarn.
        const contents = withoutSourceMap(files.text(name) ?? '')
        return contents === undefined ? undefined : { contents, loader: loaderOf(name) }
      }
      const facts = files.facts(name)
      if (facts === undefined || !isWorthCutting(facts)) return undefined
      const shared = withoutSchemas(facts)
      insertions.set(name, shared.insertions)
      return loaded(files, name, shared.text)
    })
  },
})

const loaded = (files: SourceFiles, name: string, contents: string): OnLoadResult => ({
  contents,
  loader: loaderOf(name),
  resolveDir: files.folderOf(name),
})

const referencesText = (names: readonly string[]): string => {
  const locals = names.map((name, index) => (/^[\w$]+$/.test(name) ? `$${name}` : `$${index}`))
  return [
    `import { effect } from ${JSON.stringify(RUN)}`,
    ...names.map((name, index) => `const ${locals[index]} = /* @__PURE__ */ effect(${JSON.stringify(name)})`),
    `export { ${names.map((name, index) => `${locals[index]} as ${JSON.stringify(name)}`).join(', ')} }`,
  ].join('\n')
}

const wholeText = (file: string, { exportName }: Definition): string =>
  `export { ${JSON.stringify(exportName)} } from ${JSON.stringify(file)}`

const effectExportsOf = async (
  files: SourceFiles,
  name: string,
  follow: FollowImport,
): Promise<EffectExportsReading> => {
  const reading = files.read(name)
  if (reading?.ok === true) return readEffectExports(reading.facts, follow)
  return {
    ok: false,
    errors: reading?.errors ?? [
      sourceError(startOf(name), whyOtherCase(files.fileOf(name)) ?? 'cannot be read', undefined),
    ],
  }
}
