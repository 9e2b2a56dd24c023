// Bundles the effect modules of a Program into one ES module for the effect host. It contains the project's own code. It
// imports packages from the project folder, or contains them too.

import { readdirSync, readFileSync, type Dirent } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Metafile, Plugin } from 'esbuild'
import type { Class } from 'oxc-parser'
import { realPath } from '../shared/real-path.ts'
import { remembered } from '../shared/remembered.ts'
import { blank } from './blank.ts'
import { withBundledRequires } from './bundled-requires.ts'
import {
  bundle,
  keysFrom,
  loaderOf,
  MODULE,
  provideSdk,
  withoutSourceMap,
  type BundlingFailed,
  type BundlingOf,
} from './bundling.ts'
import { chainBehind } from './import-chain.ts'
import { lackOf, type Accepted } from './lack-of-artifact.ts'
import { nameText, withoutTypes, type ModuleFacts } from './module-facts.ts'
import { linkedPackagesPlugin } from './linked-packages-plugin.ts'
import { folderPlugin, packagesPlugin, PACKAGES_PLUGIN, tolerantPlugin, withoutPlugin } from './packages-plugin.ts'
import { OWN_PLACE, placePrefix, usesPlace } from './place-prefix.ts'
import type { SdkModule } from './sdk-module.ts'
import type { SourceError } from './source-error.ts'
import { isDependency, type SourceFiles } from './source-files.ts'
import type { RawSourceMap } from './source-map.ts'

/** `[name of a module, names of its effects]` for each module. */
export type EffectModules = readonly (readonly [module: string, names: readonly string[]])[]

export type EffectsBundle = {
  readonly code: string
  /** Its sources are URLs, relative to the project folder: Node reads it. */
  readonly map: RawSourceMap
  /** Names of files and folders. */
  readonly inputs: readonly string[]
  /** Why no artifact can contain it. */
  readonly errors: readonly SourceError[]
  /** Texts, of what it may lack in an artifact. */
  readonly doubtful: readonly string[]
}

/** Whether effects import the project's packages from its folder, or contain them. */
export type PackagesOf = 'folder' | 'bundle'

const ENTRY = 'wes-effects:'

/** For errors in packages: the chain of imports from the only one of the bundles. */
export const chainToPackage = ({ inputs = {} }: BundlingFailed, path: string): string =>
  isDependency(path) ? chainBehind(inputs, `${ENTRY}0`, path) : ''

export const bundleEffects = async (
  files: SourceFiles,
  sdk: SdkModule,
  packages: PackagesOf,
  wanted: readonly EffectModules[],
): Promise<BundlingOf<EffectsBundle>> => {
  const requiring = new Set<string>()
  const leftOut = new Map<string, string>()
  const native = new Set<string>()
  const first = packages === 'bundle' ? ({ from: 'all', changed: requiring, leftOut, native } as const) : undefined
  const bundleWithout = async (unneeded: ReadonlyMap<string, string>) => {
    const without = unneeded.size === 0 ? undefined : withoutPlugin(files, unneeded)
    const bundled = await bundleOnce(files, sdk, packages, wanted, first, without)
    if (bundled.ok || requiring.size === 0) return bundled
    // Packages may do without what they require so, such as in a block that catches, and what cannot be bundled.
    requiring.clear()
    return bundleOnce(files, sdk, packages, wanted, { from: 'project', changed: requiring, leftOut, native }, without)
  }
  let bundled = await bundleWithout(new Map())
  if (!bundled.ok) {
    const isOfPackage = bundled.errors.some(({ location }) => isDependency(location?.file ?? ''))
    if (packages === 'folder' || !isOfPackage) return bundled
    // The bundler tells nothing of what failed.
    const again = await bundleOnce(files, sdk, packages, wanted, undefined, tolerantPlugin(files, bundled.errors))
    if (!again.ok) return bundled
    const { inputs } = again.metafile
    const unneeded = unneededIn(inputs, wanted, bundled)
    if (unneeded.size > 0) bundled = await bundleWithout(unneeded)
    if (!bundled.ok) return { ...bundled, inputs }
  }
  const { texts, metafile } = bundled
  // The bundles share most packages.
  const read = { ...files, text: remembered(files.text) }
  const accepted: Accepted[] = []
  const made: EffectsBundle[] = []
  for (const [index, effects] of wanted.entries()) {
    const output = metafile.outputs[`wes-${index}.mjs`]!
    const written = findingAsNode(forgettingErrors(texts.get(`wes-${index}.mjs`)!))
    const needsRequire = output.imports.some(({ kind }) => kind === 'require-call') || CALLS_REQUIRE.test(written)
    const map = JSON.parse(texts.get(`wes-${index}.mjs.map`)!) as RawSourceMap
    const code = needsRequire ? `${REQUIRE}\n${written}` : written
    const bundleOf = {
      code,
      map: needsRequire ? { ...map, mappings: `;${map.mappings}` } : map,
      inputs: inputsOf(files, metafile.inputs, [ENTRY + index, ...Object.keys(output.inputs)]),
    }
    const modules = { inputs: metafile.inputs, entry: ENTRY + index, used: usedBy(output), requiring, leftOut, native }
    const codeForFolder = () => codeOfProject(files, sdk, effects)
    const lacks =
      packages === 'folder'
        ? { errors: [], doubtful: [] }
        : await lackOf(read, { ...bundleOf, effects, modules, codeForFolder }, accepted)
    made.push({ ...bundleOf, ...lacks })
  }
  return { ok: true, bundles: made }
}

/**
 * The modules of packages that fail, and that nothing imports by name, with why they do. The bundler finds them where a package requires
 * by the beginning of a path: beside what it means may be its tests, and templates. Not those that need what only artifacts lack, such as
 * a native package: they work where Node runs the package.
 */
const unneededIn = (
  inputs: Metafile['inputs'],
  wanted: readonly EffectModules[],
  { errors }: BundlingFailed,
): ReadonlyMap<string, string> => {
  const needed = keysFrom(
    inputs,
    wanted.map((_, index) => ENTRY + index),
  )
  return new Map(
    errors.flatMap(({ text, location, pluginName }) =>
      location !== null && isDependency(location.file) && !needed.has(location.file) && pluginName !== PACKAGES_PLUGIN
        ? [[location.file, text]]
        : [],
    ),
  )
}

/**
 * Also the folders in which a module that has just been made would be a part of the bundle: the bundler looks there for what a path
 * stands for of which only the beginning is known.
 */
const inputsOf = (files: SourceFiles, inputs: Metafile['inputs'], from: readonly string[]): readonly string[] => {
  const keys = keysFrom(inputs, from)
  const folders = [...keys].flatMap((key) =>
    isDependency(key)
      ? []
      : (inputs[key]?.imports ?? []).flatMap(({ path, external }) => {
          const [, begin] = external === true ? (BY_BEGIN.exec(path) ?? []) : []
          return begin === undefined ? [] : foldersIn(resolve(dirname(files.fileOf(key)), begin))
        }),
  )
  return [...keys, ...folders.map(files.nameOf)]
}

/** What the bundler calls all files that a path may stand for. */
const BY_BEGIN = /^(\.{1,2}\/(?:[^*]*\/)?)[^*/]*\*/

/** Including the folder, and without those that hold no modules of the project. */
const foldersIn = (folder: string): readonly string[] => [
  folder,
  ...entriesOf(folder)
    .filter((entry) => entry.isDirectory() && !/^(?:\.|node_modules$)/.test(entry.name))
    .flatMap(({ name }) => foldersIn(join(folder, name))),
]

/** None if it is gone, or cannot be read. */
const entriesOf = (folder: string): readonly Dirent[] => {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

/** What imports its packages from the project's folder. */
const codeOfProject = async (
  files: SourceFiles,
  sdk: SdkModule,
  effects: EffectModules,
): Promise<string | undefined> => {
  const bundled = await bundleEffects(files, sdk, 'folder', [effects])
  return bundled.ok ? bundled.bundles[0]?.code : undefined
}

/** Which modules `withBundledRequires` changes: of the project alone, those where they cannot do without. Without it, none. */
type Requiring =
  | {
      readonly from: 'all' | 'project'
      /** Gets the names of those that it has changed. */
      readonly changed: Set<string>
      /** Gets the native packages that such modules require, and the bundle lacks. */
      readonly leftOut: Map<string, string>
      /** Gets all native packages that the bundle lacks. */
      readonly native: Set<string>
    }
  | undefined

const bundleOnce = (
  files: SourceFiles,
  sdk: SdkModule,
  packages: PackagesOf,
  wanted: readonly EffectModules[],
  requiring: Requiring,
  first?: Plugin,
) =>
  bundle(files, {
    outdir: files.folder,
    outExtension: { '.js': '.mjs' },
    entryPoints: wanted.map((_, index) => ({ in: `${ENTRY}${index}`, out: `wes-${index}` })),
    format: 'esm',
    platform: 'node',
    target: 'node24',
    define: OWN_PLACE,
    // Without `module`, which names files for bundlers only.
    ...(packages === 'folder' && { conditions: [] }),
    plugins: [
      ...(first === undefined ? [] : [first]),
      folderPlugin(files),
      effectsPlugin(files, sdk, requiring, wanted),
      packages === 'folder'
        ? linkedPackagesPlugin(files)
        : packagesPlugin((specifier) => requiring?.native.add(specifier)),
    ],
  })

const usedBy = ({ inputs }: Metafile['outputs'][string]): ReadonlyMap<string, number> =>
  new Map(
    Object.entries(inputs).flatMap(([name, { bytesInOutput }]) => (bytesInOutput > 0 ? [[name, bytesInOutput]] : [])),
  )

/**
 * What the bundler writes instead of `using`, which Node 22 lacks, keeps an error in a variable of the function: a later round of a
 * loop would throw it again.
 */
const forgettingErrors = (code: string): string =>
  code.replaceAll(
    /\b__callDispose\((_stack\d*), (_error\d*), (_hasError\d*)\)/g,
    '__callDispose($1, $2, $3, $3 = false)',
  )

/** What the bundler writes for a `require` of which it does not know what it requires, such as a built-in module. */
const CALLS_REQUIRE = /^var __require = /m

/** What the bundler writes for `require('./locale/' + name)` knows only complete names of files. */
const findingAsNode = (code: string): string =>
  code.replace(
    /^( {2}var fn = map\[path\]);\n(.*)\n {2}throw (new Error\("Module not found in bundle: " \+ path\));$/m,
    `$1 ?? map[path + ".js"] ?? map[path + ".json"] ?? map[path + "/index.js"];\n$2\n  throw Object.assign($3, { code: "MODULE_NOT_FOUND" });`,
  )

/** For CommonJS modules, because ES modules have no `require`. */
const REQUIRE = `import { createRequire as wesCreateRequire } from 'node:module'; const require = wesCreateRequire(process.cwd() + '/package.json')`

const effectsPlugin = (
  files: SourceFiles,
  sdk: SdkModule,
  requiring: Requiring,
  wanted: readonly EffectModules[],
): Plugin => ({
  name: 'wes-effects',
  setup: (own) => {
    own.onResolve({ filter: /^wes-effects:/ }, ({ path }) => ({
      path: path.slice(ENTRY.length),
      namespace: 'wes-effects',
    }))
    // esbuild itself resolves no path with an asterisk.
    own.onResolve({ filter: /\*/, namespace: 'wes-effects' }, ({ path }) => ({ path: realPath(files.fileOf(path)) }))
    provideSdk(own, sdk)
    own.onLoad({ filter: /./, namespace: 'wes-effects' }, ({ path }) => ({
      contents: entryText(files, wanted[Number(path)]!),
      loader: 'js',
      resolveDir: files.folder,
    }))
    own.onLoad({ filter: MODULE, namespace: 'file' }, async ({ path }) => {
      const name = files.nameOf(path)
      const code = readFileSync(path, 'utf8').replace(/^\ufeff/, '')
      const isOwn = !isDependency(name)
      const named = isOwn || ERROR_CLASS.test(code) ? withClassNames(files.facts(name)) : undefined
      const bundling =
        requiring !== undefined && (isOwn || requiring.from === 'all')
          ? await withBundledRequires(own, path, named ?? code, {
              isOwn,
              onlyNeeded: requiring.from === 'project',
              onLeftOut: (specifier) => {
                requiring.leftOut.set(name, specifier)
                requiring.native.add(specifier)
              },
            })
          : undefined
      if (bundling !== undefined) requiring?.changed.add(name)
      const made = bundling ?? named
      const changed = isDependency(name) ? (withoutSourceMap(made ?? code) ?? made) : made
      const text = changed ?? code
      if (!usesPlace(text)) return changed === undefined ? undefined : { contents: text, loader: loaderOf(name) }
      // `#!` is allowed only at the start of a file.
      return { contents: placePrefix(files.urlOf(name)) + text.replace(/^#!/, '//'), loader: loaderOf(name) }
    })
  },
})

/** In packages, only modules with such a class are parsed: an effect may tell errors of a package by their names, and no other classes. */
const ERROR_CLASS = /\bclass\s+(?:[\w$]*(?:Error|Exception)[\w$]*|[\w$]+\s+extends\s+[\w$.]*(?:Error|Exception))[\s{]/

/**
 * The bundler renames a class that refers to itself, and one of two that have the same name. Errors often have the name of
 * their class. Undefined if the module has no classes. esbuild's own `keepNames` would add calls to functions, which effects may
 * send as text, such as to a browser. It drops an unused class with such a field, and the packages that only the class needs.
 */
const withClassNames = (facts: ModuleFacts | undefined): string | undefined => {
  const names = [...(facts?.values ?? [])].flatMap(([value, given]) => {
    const node = withoutTypes(given)
    if ((node.type !== 'ClassDeclaration' && node.type !== 'ClassExpression') || node.declare) return []
    const name = node.id?.name ?? value
    if (name === 'default' || hasOwnName(node)) return []
    // At the end of the class, which keeps the positions of its code.
    const at = node.body.end - 1
    // Does not throw for a class that cannot be changed.
    const named = `/* @__PURE__ */ Reflect.defineProperty(this, 'name', { value: '${name}', configurable: true })`
    return [{ start: at, end: at, instead: `;static #wesName = ${named}` }]
  })
  return facts === undefined || names.length === 0 ? undefined : blank(facts.text, names).text
}

const hasOwnName = ({ body }: Class): boolean =>
  body.body.some((member) => 'static' in member && member.static && 'key' in member && nameText(member.key) === 'name')

/** A name of two modules is refused elsewhere, where it stands. */
const entryText = (files: SourceFiles, modules: EffectModules): string => {
  const known = new Set<string>()
  const isNew = (name: string): boolean => !known.has(name) && known.add(name).has(name)
  return modules.map(([module, names]) => exportText(files.specifierOf(module), names.filter(isNew))).join('\n')
}

const exportText = (specifier: string, names: readonly string[]): string =>
  `export { ${names.map((name) => JSON.stringify(name)).join(', ')} } from ${JSON.stringify(specifier)}`
