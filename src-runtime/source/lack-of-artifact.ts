// What bundled effects lack in an artifact that they have in the project's folder.

import { messageOf } from '../shared/message-of.ts'
import type { EffectModules } from './bundle-effects.ts'
import { chainBehind } from './import-chain.ts'
import { findOwnFiles } from './find-own-files.ts'
import { ONLY_CODE, packageWarnings, type BundledModules } from './package-files.ts'
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

type Bundled = { readonly code: string; readonly map: RawSourceMap }

/** What has been found out, for bundles that share packages. */
export type Tried = {
  /** The sizes of the modules of bundles that are not refused. */
  readonly accepted: ReadonlyMap<string, number>[]
  readonly refused: { readonly place: Place; readonly failure: LoadFailure }[]
}

/** `codeForFolder`: bundles them without their packages; undefined if that fails. */
export const lackOf = async (
  files: SourceFiles,
  bundled: Bundled,
  effects: EffectModules,
  modules: BundledModules,
  tried: Tried,
  codeForFolder: () => Promise<string | undefined>,
): Promise<Lack> => {
  const { used, inputs, entry, leftOut } = modules
  const own = findOwnFiles(files, bundled.code, effects, [...used.keys()])
  const doubtful = [...own.doubtful, ...packageWarnings(files, modules)]
  const packages = [...used].filter(([name]) => isDependency(name))
  const isKnown = own.doubtful.length === 0 && (packages.length === 0 || isPartOf(packages, tried))
  if (own.errors.length > 0 || isKnown) return { errors: own.errors, doubtful }
  const find = async (): Promise<Tried['refused'][number] | undefined> => {
    const failure = await failureInEmptyFolder(bundled.code)
    if (failure === undefined) return undefined
    const place = placeIn(failure, bundled) ?? startOf(effects[0]?.[0] ?? '')
    const isSure = leftOut.has(place.path) || (await loadsInFolder(files, packages, codeForFolder))
    return isSure ? { place, failure } : undefined
  }
  const known = tried.refused.find(({ place }) => used.has(place.path))
  const found = known ?? (await find().catch((error: unknown) => untriedText(effects, messageOf(error))))
  if (found === undefined || typeof found === 'string') {
    tried.accepted.push(used)
    return { errors: [], doubtful: found === undefined ? doubtful : [...doubtful, found] }
  }
  if (known === undefined) tried.refused.push(found)
  const { path } = found.place
  const chain = isDependency(path) ? chainBehind(inputs, entry, path) : ''
  return { errors: [sourceError(found.place, failureText(path, found.failure) + chain, files.text(path))], doubtful }
}

/** There may be no temporary folder, or no process for it. */
const untriedText = (effects: EffectModules, why: string): string =>
  `${effects.map(([name]) => name).join(', ')} could not be tried without the project's files, ${ONLY_CODE}: ${why}`

type Modules = readonly (readonly [name: string, size: number])[]

/** Whether a bundle that is not refused has the same code of packages, and maybe more. */
const isPartOf = (packages: Modules, { accepted }: Tried): boolean =>
  accepted.some((sizes) => packages.every(([name, size]) => size <= (sizes.get(name) ?? -1)))

/** They may fail without the network and the environment, which the processes lack that try them, also there. */
const loadsInFolder = async (
  files: SourceFiles,
  packages: Modules,
  codeForFolder: () => Promise<string | undefined>,
): Promise<boolean> => {
  const code = await codeForFolder()
  const folders = packages.map(([name]) => files.fileOf(name).replace(BELOW, '$1'))
  return code !== undefined && (await failureIn(files.folder, code, [files.folder, ...new Set(folders)])) === undefined
}

/** What follows the first folder of packages. */
const BELOW = /^(.*?[\\/]node_modules)[\\/].*/

const failureText = (path: string, { message }: LoadFailure): string => {
  // The bundler's name of the function.
  const reason = message.split('\n', 1).join().replace('__require', 'require')
  return isDependency(path)
    ? `${packageOf(path)} fails here as soon as it is imported, ${ONLY_CODE}: ${reason}. See its documentation for how to bundle it, or use another package`
    : `this fails as soon as the effects are loaded, ${ONLY_CODE}, and no files or native packages: ${reason}`
}

const FRAME = /effects\.mjs:(\d+):(\d+)/g

/** Where it was thrown, in the sources. */
const placeIn = ({ stack }: LoadFailure, { map }: Bundled): Place | undefined => {
  const sourceOf = createSourceOf(map)
  for (const [, line, column] of stack.matchAll(FRAME)) {
    const place = sourceOf(Number(line), Number(column))
    if (place !== undefined && !isMadeUp(place.path)) return { ...place, path: nameOfUrl(place.path) }
  }
  return undefined
}
