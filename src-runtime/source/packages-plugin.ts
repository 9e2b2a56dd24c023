// For bundles that contain their packages: refuses native packages, and leaves out optional ones that are native or not installed.

import type { Message, OnLoadResult, OnResolveResult, Plugin, PluginBuild } from 'esbuild'
import { statOf } from '../shared/stat-of.ts'
import { PLAIN, UNRESOLVED } from './bundling.ts'
import {
  isOptional,
  isNative,
  isNativeFile,
  installedPackageOf,
  mayBeMissing,
  nativeRefusal,
} from './native-packages.ts'
import { isDependency, type SourceFiles } from './source-files.ts'

/** Package names, and files of compiled code. */
const MAY_BE_NATIVE = /^[^./]|^\.[^./]|\.node$/

/** Marks native packages that are left out. */
export const NATIVE = Symbol('native')

export const PACKAGES_PLUGIN = 'wes-packages'

/** `onNative`: gets the native packages that are left out. */
export const packagesPlugin = (onNative: (specifier: string) => void): Plugin => ({
  name: PACKAGES_PLUGIN,
  setup: (own) => {
    own.onResolve(
      { filter: MAY_BE_NATIVE },
      async ({ path, importer, namespace, resolveDir, kind, pluginData, with: attributes }) => {
        if (pluginData === PLAIN || namespace !== 'file' || kind === 'entry-point') return undefined
        const found = await own.resolve(path, {
          importer,
          namespace,
          resolveDir,
          kind,
          pluginData: PLAIN,
          with: attributes,
        })
        if (found.errors.length === 0) {
          const result = found.external ? undefined : resultFor(path, importer, found.path)
          if (result?.pluginData === NATIVE) onNative(path)
          return result
        }
        // An import statement would fail as soon as the bundle is loaded.
        const isCalled = kind === 'require-call' || kind === 'dynamic-import'
        return isCalled && !path.startsWith('#') && mayBeMissing(importer, path) ? { path, external: true } : undefined
      },
    )
  },
})

/** For a bundle that nobody runs, which tells what imports what: leaves out what has caused these errors. */
export const tolerantPlugin = (files: SourceFiles, errors: readonly Message[]): Plugin => {
  const faulty = new Set(errors.filter(({ text }) => !UNRESOLVED.test(text)).map(({ location }) => location?.file))
  return {
    name: 'wes-tolerant',
    setup: (own) => {
      own.onResolve({ filter: /./, namespace: 'file' }, async ({ path, pluginData, kind, ...from }) => {
        if (pluginData === PLAIN || kind === 'entry-point') return undefined
        const found = await own.resolve(path, { ...from, kind, pluginData: PLAIN })
        return found.errors.length > 0 ? { path, external: true } : undefined
      })
      own.onLoad({ filter: /./, namespace: 'file' }, ({ path }) => {
        const name = files.nameOf(path)
        const mayBeModule = READABLE.test(path) || WITHOUT_ENDING.test(path)
        return !mayBeModule || (isDependency(name) && faulty.has(name)) ? NO_MODULE : undefined
      })
    },
  }
}

/** Loading these modules throws what Node would throw, more or less. `unneeded`: why they cannot be bundled, by their names. */
export const withoutPlugin = (files: SourceFiles, unneeded: ReadonlyMap<string, string>): Plugin => ({
  name: 'wes-without',
  setup: (own) => {
    own.onLoad({ filter: /./, namespace: 'file' }, ({ path }) => {
      const name = files.nameOf(path)
      const why = unneeded.get(name)
      if (why === undefined) return undefined
      const message = JSON.stringify(`the artifact does not contain ${name}: ${why}`)
      return { contents: `throw Object.assign(new Error(${message}), { code: 'MODULE_NOT_FOUND' })`, loader: 'js' }
    })
  },
})

const WITHOUT_ENDING = /[\\/][^.\\/]+$/
const READABLE = /\.(?:[cm]?[jt]sx?|json|txt)$/
const NO_MODULE: OnLoadResult = { contents: '', loader: 'empty' }

/** A path of which only the beginning is known, as in `require('./locale/' + name)`, stands for all files there, also for those that are no modules. */
export const folderPlugin = (files: SourceFiles): Plugin => ({
  name: 'wes-folder',
  setup: (own) => {
    /** The bundler asks where a complete path leads. */
    const named = new Set<string>()
    own.onResolve({ filter: /\.\w+$/, namespace: 'file' }, async ({ path, pluginData, kind, ...from }) => {
      if (pluginData === PLAIN || READABLE.test(path)) return undefined
      named.add((await own.resolve(path, { ...from, kind, pluginData: PLAIN })).path)
      return undefined
    })
    own.onLoad({ filter: /\.\w+$/, namespace: 'file' }, ({ path }) =>
      READABLE.test(path) || isNativeFile(path) || named.has(path) || !isDependency(files.nameOf(path))
        ? undefined
        : NO_MODULE,
    )
    own.onLoad({ filter: WITHOUT_ENDING, namespace: 'file' }, async ({ path }) => {
      const name = files.nameOf(path)
      const text = isDependency(name) ? files.text(name) : undefined
      // Such as LICENSE.
      return text === undefined || (await isScript(own, text)) ? undefined : NO_MODULE
    })
  },
})

const isScript = ({ esbuild }: PluginBuild, text: string): Promise<boolean> =>
  esbuild.transform(text, { logLevel: 'silent' }).then(
    () => true,
    () => false,
  )

/** Only the bundler reads those of Yarn, and other processes that Yarn has started. */
const IN_ARCHIVE = /\.zip[\\/]/

const archivedText = (name: string): string =>
  `"${name}" is in an archive of Yarn, which only processes that Yarn starts can read: run this command with \`yarn\` before it, ` +
  'or set `nodeLinker: node-modules` in .yarnrc.yml and run `yarn install`'

const resultFor = (specifier: string, importer: string, file: string): OnResolveResult | undefined => {
  const owner = installedPackageOf(file)
  if (IN_ARCHIVE.test(file) && statOf(file) === undefined)
    return { errors: [{ text: archivedText(owner?.name ?? specifier) }] }
  const isForeign = owner !== undefined && owner.folder !== installedPackageOf(importer)?.folder
  if (!isNativeFile(file) && !(isForeign && isNative(owner))) return undefined
  if (isOptional(importer, specifier)) return { path: specifier, external: true, pluginData: NATIVE }
  return { errors: [{ text: nativeRefusal(file) }] }
}
