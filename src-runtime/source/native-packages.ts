// Finds out which packages are native, that is, contain code that is compiled for one operating system and processor. An
// artifact cannot contain them.

import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Node } from 'oxc-parser'
import { Type, type Static } from 'typebox'
import { createValidator } from '../shared/create-validator.ts'
import { catchingBlock, nameOf, walk } from './module-facts.ts'
import { parse, tooDeep } from './parse.ts'

export type InstalledPackage = { readonly name: string; readonly folder: string; readonly manifest: Manifest }

const Names = Type.Optional(Type.Record(Type.String(), Type.Unknown()))

const Manifest = Type.Object({
  name: Type.Optional(Type.Unknown()),
  main: Type.Optional(Type.Unknown()),
  gypfile: Type.Optional(Type.Unknown()),
  /** Read by node-pre-gyp. */
  binary: Type.Optional(Type.Unknown()),
  /** Read by napi-rs. */
  napi: Type.Optional(Type.Unknown()),
  dependencies: Names,
  optionalDependencies: Names,
  peerDependenciesMeta: Names,
})
type Manifest = Static<typeof Manifest>

const manifests = createValidator(Manifest)

/** Yarn makes the first form with `nodeLinker: pnpm`, where only the package.json has the package's name. */
const PACKAGE_OF_FILE =
  /^(.*[\\/]node_modules[\\/](?:\.store[\\/][^\\/]+[\\/]package|((?:@[^\\/]+[\\/])?[^\\/]+)))[\\/]/

/** The installed package that a file belongs to; undefined for files of the project. */
export const installedPackageOf = (file: string): InstalledPackage | undefined => {
  const [, folder, name] = PACKAGE_OF_FILE.exec(file) ?? []
  if (folder === undefined) return undefined
  const manifest = manifestIn(folder)
  return { name: name?.replace('\\', '/') ?? String(manifest.name), folder, manifest }
}

const manifestIn = (folder: string): Manifest => {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    return manifests.check(manifest) ? manifest : {}
  } catch {
    return {}
  }
}

/** Packages that find, load or build compiled code. */
const LOADERS = new Set([
  'bindings',
  'node-gyp-build',
  'node-gyp-build-optional-packages',
  'node-pre-gyp',
  '@mapbox/node-pre-gyp',
  'prebuild-install',
  'node-addon-api',
])

/** For example `@img/sharp-linux-x64`. */
const FOR_ONE_PLATFORM = /[-/](?:linux|linuxmusl|darwin|win32|android|freebsd)-(?:x64|arm64|arm|ia32)\b/

export const isNative = ({ name, folder, manifest }: InstalledPackage): boolean =>
  LOADERS.has(name) ||
  FOR_ONE_PLATFORM.test(name) ||
  isNativeFile(typeof manifest.main === 'string' ? manifest.main : '') ||
  [manifest.gypfile, manifest.binary, manifest.napi].some((member) => member !== undefined && member !== false) ||
  Object.keys(manifest.dependencies ?? {}).some((dependency) => LOADERS.has(dependency)) ||
  Object.keys(manifest.optionalDependencies ?? {}).some((dependency) => FOR_ONE_PLATFORM.test(dependency)) ||
  ['binding.gyp', 'prebuilds'].some((entry) => existsSync(join(folder, entry)))

export const isNativeFile = (file: string): boolean => file.endsWith('.node')

const packageIn = (specifier: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier

/** Whether the import is optional: the importer's `package.json` says so, or all imports are in `try` blocks. */
export const isOptional = (importer: string, specifier: string): boolean => {
  const { manifest } = installedPackageOf(importer) ?? {}
  const name = packageIn(specifier)
  if (manifest?.optionalDependencies?.[name] !== undefined) return true
  return manifest?.peerDependenciesMeta?.[name] !== undefined || isInTry(importer, specifier)
}

const isInTry = (importer: string, specifier: string): boolean =>
  isAlwaysIn(importer, specifier, /\btry\b/, catchingBlock)

/**
 * Whether a package may do without what it imports, which is not installed: where Node runs the package, only a call of such a function
 * would fail, as that of a database's driver that nobody uses.
 */
export const mayBeMissing = (importer: string, specifier: string): boolean => {
  const { manifest } = installedPackageOf(importer) ?? {}
  if (manifest === undefined || manifest.dependencies?.[packageIn(specifier)] !== undefined) return false
  return isOptional(importer, specifier) || isAlwaysIn(importer, specifier, /\(/, (node) => functionBody(node))
}

/** Whether what a module imports is of its own package, or of one that this depends on. The project's modules may import any. */
export const dependsOn = (importer: string, specifier: string): boolean => {
  const owner = installedPackageOf(importer)
  const name = packageIn(specifier)
  return owner === undefined || owner.name === name || owner.manifest.dependencies?.[name] !== undefined
}

const functionBody = (node: Node): Node | undefined =>
  node.type === 'FunctionDeclaration' || node.type === 'FunctionExpression' || node.type === 'ArrowFunctionExpression'
    ? (node.body ?? undefined)
    : undefined

/** Whether the module imports it, and always within one of the nodes that `around` returns. `hint` is in the text of a module with one. */
const isAlwaysIn = (
  importer: string,
  specifier: string,
  hint: RegExp,
  around: (node: Node) => Node | undefined,
): boolean => {
  const text = readFileSync(importer, 'utf8')
  if (!hint.test(text) || tooDeep(importer, text, 'unambiguous') !== undefined) return false
  const { program } = parse(importer, text, 'unambiguous')
  const ranges: { readonly start: number; readonly end: number }[] = []
  const imports: number[] = []
  walk(program, (node) => {
    const range = around(node)
    if (range !== undefined) ranges.push(range)
    const from =
      node.type === 'ImportExpression'
        ? node.source
        : node.type === 'CallExpression' && nameOf(node.callee) === 'require'
          ? node.arguments[0]
          : undefined
    if (from?.type === 'Literal' && from.value === specifier) imports.push(node.start)
  })
  return imports.length > 0 && imports.every((at) => ranges.some(({ start, end }) => start <= at && at < end))
}

export const nativeRefusal = (file: string): string => {
  const name = installedPackageOf(file)?.name ?? file.slice(dirname(file).length + 1)
  return (
    `"${name}" is a native module: its code is compiled for one operating system and processor, so an artifact cannot ` +
    'contain it. Use a package without native code'
  )
}
