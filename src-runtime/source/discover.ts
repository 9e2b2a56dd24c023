// Finds the Program modules of a project by its globs.

import { readdir, realpath, stat } from 'node:fs/promises'
import { dirname, join, parse, posix, resolve } from 'node:path'
import { compareText } from './source-error.ts'
import { isOfPath, isRefused, pathsUp, statOf } from '../shared/stat-of.ts'

export type Discovered = {
  /** Names relative to the project folder, with forward slashes, sorted. */
  readonly files: readonly string[]
  /** Existing folders, as absolute paths, whose changes may change the result. */
  readonly folders: readonly string[]
  /** The globs, as they were given, that match no module, but for those that exclude some. */
  readonly unmatched: readonly string[]
  /** Modules that a glob would match if they had another ending. */
  readonly otherEndings: readonly string[]
}

export const DEFAULT_PROGRAMS: readonly string[] = ['programs/**/*.ts']

/** Files beside Programs that are never Programs. */
const NEVER = /\.(?:effects|test|spec|d)\.[cm]?[jt]sx?$/
const MOST_KNOWN = 100_000
const MODULE = /\.[cm]?[jt]sx?$/

/** A cache of which globs match a name, because matching is the slow part of scanning thousands of files. */
export type Matching = Map<string, NameMatch>

type NameMatch = { readonly globs: readonly string[]; readonly hasOtherEnding: boolean }

const NO_MATCH: NameMatch = { globs: [], hasOtherEnding: false }
const endingOf = (name: string): string => MODULE.exec(name)?.[0] ?? ''
const ENDINGS: Iterable<string> = ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs']

/**
 * `globs` that begin with `!` exclude files. Skips hidden folders and node_modules. Throws where files may be that it does not see: for
 * a fault of the system, such as too many open files, and if it may not read a folder where a glob begins. It skips others that it
 * may not read.
 */
export const discover = async (
  folder: string,
  globs: readonly string[],
  known: Matching = new Map(),
): Promise<Discovered> => {
  const given = globs.filter((glob) => !glob.startsWith('!'))
  const wanted = given.map(normal)
  const unwanted = globs.filter((glob) => glob.startsWith('!')).map((glob) => normal(glob.slice(1)))
  const bases = new Set(wanted.map(baseOf))
  const files = new Set<string>()
  const otherEndings: string[] = []
  const matched = new Set<string>()
  const folders = new Set<string>()
  const entered = new Set<string>()
  const links: string[] = []

  const globsOf = (name: string): readonly string[] => {
    const found = wanted.filter((glob) => isMatchOf(glob, name))
    return found.length > 0 && unwanted.some((glob) => isMatchOf(glob, name)) ? [] : found
  }

  const wantedEndings = wanted.every((glob) => MODULE.test(glob)) ? new Set(wanted.map(endingOf)) : ENDINGS

  const matchOf = (name: string): NameMatch => {
    if (!MODULE.test(name) || NEVER.test(name)) return NO_MATCH
    const before = known.get(name)
    if (before !== undefined) return before
    const matching = globsOf(name)
    const own = endingOf(name)
    const stem = name.slice(0, -own.length)
    const hasOtherEnding =
      matching.length === 0 && [...wantedEndings].some((ending) => ending !== own && globsOf(stem + ending).length > 0)
    const match = { globs: matching, hasOtherEnding }
    if (known.size < MOST_KNOWN) known.set(name, match)
    return match
  }

  const enter = async (name: string): Promise<void> => {
    const path = resolve(folder, name)
    const throwIfRefused = (error: unknown): undefined => {
      if (isRefused(error) && bases.has(name)) throw error
    }
    // Links may form circles.
    const real = await realpath(path).catch(throwIfRefused)
    if (real === undefined || entered.has(real)) return
    entered.add(real)
    const entries = await readdir(path, { withFileTypes: true }).catch((error: unknown) => {
      throwIfRefused(error)
      if (!isOfPath(error) && !isRefused(error)) throw error
    })
    if (entries === undefined) return
    folders.add(path)
    const inner: string[] = []
    for (const entry of entries) {
      const child = name === '' ? entry.name : `${name}/${entry.name}`
      const isLink = entry.isSymbolicLink()
      const kind = isLink ? await kindBehind(join(path, entry.name)) : kindOf(entry)
      if (kind === 'file') {
        const match = matchOf(child)
        for (const glob of match.globs) matched.add(glob)
        if (match.hasOtherEnding) otherEndings.push(child)
        if (match.globs.length > 0) {
          files.add(child)
          if (isLink) folders.add(await folderBehind(join(path, entry.name)))
        }
      }
      if (kind !== 'folder' || entry.name === 'node_modules' || entry.name.startsWith('.')) continue
      if (isLink) links.push(child)
      else inner.push(child)
    }
    await Promise.all(inner.map(enter))
  }

  for (const base of bases) {
    await enter(base)
    if (!folders.has(resolve(folder, base))) folders.add(nearestFolder(resolve(folder, base)))
  }
  // Links come last and in order, so that a folder with several names has the same one in every scan.
  for (let found = links.splice(0); found.length > 0; found = links.splice(0)) {
    for (const link of found.toSorted(compareText)) if (!(await leadsAbove(resolve(folder, link)))) await enter(link)
  }
  return {
    files: [...files].toSorted(compareText),
    folders: [...folders],
    unmatched: given.filter((glob) => !matched.has(normal(glob))),
    otherEndings: otherEndings.toSorted(compareText),
  }
}

const normal = (glob: string): string => posix.normalize(glob.replaceAll('\\', '/'))

/** What is typed as `ä` is one character; in the name of a file that comes from macOS it may be two. */
const isMatchOf = (glob: string, name: string): boolean =>
  posix.matchesGlob(name.normalize('NFC'), glob.normalize('NFC'))

/** The fixed path at the beginning of a glob. */
const baseOf = (glob: string): string => {
  const parts = glob.split('/')
  const magic = parts.findIndex((part) => /[*?[\]{}()!+@]/.test(part))
  const fixed = parts.slice(0, magic === -1 ? -1 : magic)
  return fixed.join('/')
}

/** The folder, or its nearest existing parent. */
export const nearestFolder = (path: string): string =>
  pathsUp(path).find((at) => statOf(at)?.isDirectory() === true) ?? parse(path).root

/** Whether a link leads to a folder that it lies in: to `/`, it would lead to all files of the machine. */
const leadsAbove = async (link: string): Promise<boolean> => {
  const [target, own] = await Promise.all([link, dirname(link)].map((path) => realpath(path).catch(() => undefined)))
  return target !== undefined && own !== undefined && pathsUp(own).includes(target)
}

type Kind = 'file' | 'folder' | 'other'

const kindOf = (entry: { isFile(): boolean; isDirectory(): boolean }): Kind =>
  entry.isFile() ? 'file' : entry.isDirectory() ? 'folder' : 'other'

/** Changes of a file are reported in its own folder, not in that of a link to it. */
const folderBehind = async (link: string): Promise<string> => dirname(await realpath(link).catch(() => link))

const kindBehind = async (link: string): Promise<Kind> => {
  const found = await stat(link).catch(() => undefined)
  return found === undefined ? 'other' : kindOf(found)
}
