// What bundled effects lack in an artifact that they have in the project's folder.

import { dirname, join } from 'node:path'
import { messageOf } from '../shared/message-of.ts'
import { inPackages, pathsUp, statOf } from '../shared/stat-of.ts'
import type { EffectModules } from './bundle-effects.ts'
import { chainBehind } from './import-chain.ts'
import { findOwnFiles } from './find-own-files.ts'
import { ONLY_CODE, packageWarnings, type BundledModules } from './package-files.ts'
import { placeWithoutPrefix } from './place-prefix.ts'
import { sourceError, startOf, type Place, type SourceError } from './source-error.ts'
import { isDependency, packageOf, type SourceFiles } from './source-files.ts'
import { createSourceOf, isMadeUp, nameOfUrl, type RawSourceMap } from './source-map.ts'
import { failureIn, failureInEmptyFolder, type LoadFailure } from './try-effects.ts'

export type Lack = {
  /** Without which they cannot run. */
  readonly errors: readonly SourceError[]
  /** Texts, of what they may need later, or not at all. */
  readonly doubtful: readonly string[]
}

/** What is to become a part of an artifact. */
type Bundled = {
  readonly code: string
  readonly map: RawSourceMap
  readonly effects: EffectModules
  readonly modules: BundledModules
  /** Bundles them without their packages; undefined if that fails. */
  codeForFolder(): Promise<string | undefined>
}

/** A bundle that is not refused. */
export type Accepted = {
  readonly sizes: ReadonlyMap<string, number>
  readonly imports: ReadonlySet<string>
  /** The module that failed, maybe for want of the environment, before others were loaded. */
  readonly failedAt: string | undefined
}

/** `accepted`: gets the bundle unless it is refused. */
export const lackOf = async (files: SourceFiles, bundled: Bundled, accepted: Accepted[]): Promise<Lack> => {
  const { code, effects, modules } = bundled
  const { used } = modules
  const own = findOwnFiles(files, code, effects, [...used.keys()])
  const doubtful = [...own.doubtful, ...packageWarnings(files, modules)]
  const packages = [...used].filter(([name]) => isDependency(name))
  const imports = importsOfPackages(modules)
  const isKnown = accepted.some(
    (other) => isPartOf(packages, imports, other) && (other.failedAt === undefined || used.has(other.failedAt)),
  )
  const needsTrial = own.doubtful.length > 0 || (packages.length > 0 && !isKnown)
  if (own.errors.length > 0 || !needsTrial) return { errors: own.errors, doubtful }
  const { error, failedAt, untried } = await tried(files, bundled)
  if (error !== undefined) return { errors: [error], doubtful }
  accepted.push({ sizes: used, imports, failedAt })
  return { errors: [], doubtful: untried === undefined ? doubtful : [...doubtful, untried] }
}

type Tried = { readonly error?: SourceError; readonly failedAt?: string; readonly untried?: string }

const tried = async (files: SourceFiles, bundled: Bundled): Promise<Tried> => {
  const { code, effects, modules } = bundled
  try {
    const failure = await failureInEmptyFolder(code)
    if (failure === undefined) return {}
    const place = placeIn(failure, files, bundled) ?? startOf(effects[0]?.[0] ?? '')
    const { path } = place
    const needsNative = await lacksNative(bundled, failure)
    if (!needsNative && !(await loadsInFolder(files, bundled))) return { failedAt: path }
    const lacks = needsNative ? nativeText(modules) : ONLY_CODE
    const chain = isDependency(path) ? chainBehind(modules.inputs, modules.entry, path) : ''
    return { error: sourceError(place, failureText(path, failure, lacks) + chain, files.text(path)) }
  } catch (error) {
    return { untried: untriedText(effects, messageOf(error)) }
  }
}

/** Whether it does not fail so with something in their place: no process that tries effects can load them. */
const lacksNative = async ({ code, modules: { native } }: Bundled, failure: LoadFailure): Promise<boolean> => {
  if (native.size === 0) return false
  const other = await failureInEmptyFolder(code, [...native])
  return other === undefined || framesOf(other) !== framesOf(failure)
}

const framesOf = ({ stack }: LoadFailure): string => Array.from(stack.matchAll(FRAME), ([frame]) => frame).join()

/** There may be no temporary folder, or no process for it. */
const untriedText = (effects: EffectModules, why: string): string =>
  `${effects.map(([name]) => name).join(', ')} could not be tried without the project's files, ${ONLY_CODE}: ${why}`

type Modules = readonly (readonly [name: string, size: number])[]

/** What the project's modules import of packages, and how: a module that is required in a function may never run. */
const importsOfPackages = ({ used, inputs }: BundledModules): ReadonlySet<string> => {
  const own = [...used.keys()].filter((name) => !isDependency(name)).flatMap((name) => inputs[name]?.imports ?? [])
  return new Set(own.filter(({ path }) => isDependency(path)).map(({ kind, path }) => `${kind} ${path}`))
}

/** Whether a bundle that is not refused has the same code of packages, imported in the same way, and maybe more. */
const isPartOf = (packages: Modules, imports: ReadonlySet<string>, other: Accepted): boolean =>
  [...imports].every((one) => other.imports.has(one)) &&
  packages.every(([name, size]) => size <= (other.sizes.get(name) ?? -1))

/** They may fail without the network and the environment, which the processes lack that try them, also there. */
const loadsInFolder = async (files: SourceFiles, { modules: { used }, codeForFolder }: Bundled): Promise<boolean> => {
  const code = await codeForFolder()
  if (code === undefined) return false
  const elsewhere = [...used.keys()].filter((name) => isDependency(name) || name.startsWith('../'))
  const readable = new Set([
    files.folder,
    ...inPackages(files.folder, ''),
    ...elsewhere.map((name) => folderOfPackage(files, name)),
  ])
  return (await failureIn(files.folder, code, [...readable])) === undefined
}

/** That of all packages, where it is installed; its own, where it is linked. */
const folderOfPackage = (files: SourceFiles, name: string): string => {
  const file = files.fileOf(name)
  if (isDependency(name)) return file.replace(BELOW, '$1')
  const folder = dirname(file)
  return pathsUp(folder).find((at) => statOf(join(at, 'package.json')) !== undefined) ?? folder
}

/** What follows the first folder of packages. */
const BELOW = /^(.*?[\\/]node_modules)[\\/].*/

/** With the native packages that its modules require. */
const nativeText = ({ used, inputs, leftOut, native }: BundledModules): string => {
  const required = [...used.keys()].flatMap((name) => [
    ...(inputs[name]?.imports ?? []).flatMap(({ path, external }) =>
      external === true && native.has(path) ? [path] : [],
    ),
    ...(leftOut.has(name) ? [leftOut.get(name)!] : []),
  ])
  const names = [...new Set(required)].map((name) => `"${name}"`)
  return names.length === 0 ? ONLY_CODE : `and an artifact cannot contain the native code of ${names.join(', ')}`
}

const failureText = (path: string, { message }: LoadFailure, lacks: string): string => {
  // The bundler's name of the function.
  const reason = message.split('\n', 1).join().replace('__require', 'require')
  return isDependency(path)
    ? `${packageOf(path)} fails here as soon as it is imported, ${lacks}: ${reason}. See its documentation for how to bundle it, or use another package`
    : `this fails as soon as the effects are loaded, ${ONLY_CODE}, and no files or native packages: ${reason}`
}

const FRAME = /effects\.mjs:(\d+):(\d+)/g

/** Where it was thrown, in the sources. */
const placeIn = ({ stack }: LoadFailure, files: SourceFiles, { map }: Pick<Bundled, 'map'>): Place | undefined => {
  const sourceOf = createSourceOf(map)
  for (const [, line, column] of stack.matchAll(FRAME)) {
    const place = sourceOf(Number(line), Number(column))
    if (place === undefined || isMadeUp(place.path)) continue
    const path = nameOfUrl(place.path)
    return placeWithoutPrefix({ ...place, path }, files.text(path) ?? '', files.urlOf(path))
  }
  return undefined
}
