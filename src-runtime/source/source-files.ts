// Reads and parses the project's modules. Caches them until they change.

import { isUtf8 } from 'node:buffer'
import { readdirSync, readFileSync, statSync, type Stats } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { realPath } from '../shared/real-path.ts'
import { createSizedMap } from '../shared/sized-map.ts'
import { fileNames, type FileNames } from './file-names.ts'
import { readModule, type ModuleFacts, type ModuleReading } from './module-facts.ts'
import { stampIn, statOf, type Stamp } from '../shared/stat-of.ts'

/** More than any artifact may have. */
const LARGEST_BYTES = 32 * 1024 * 1024

/** Why something that exists must not be read: a named pipe or a device may never end. */
export const whyNotReadable = (stat: Stats | undefined): string | undefined => {
  if (stat === undefined) return undefined
  if (stat.isFIFO()) return 'is a named pipe, not a file'
  if (stat.isCharacterDevice() || stat.isBlockDevice()) return 'is a device, not a file'
  return stat.size > LARGEST_BYTES ? 'is larger than 32 MiB: let an effect read it when it runs' : undefined
}

/** On a system that tells capital letters from small ones; the bundler does not. Undefined where nothing is called so. */
export const whyOtherCase = (file: string): string | undefined => {
  const wanted = basename(file)
  if (statOf(file) !== undefined || statOf(dirname(file)) === undefined) return undefined
  const found = readdirSync(dirname(file)).find((name) => name.toLowerCase() === wanted.toLowerCase())
  return found && `is called ${found}, with other capital letters: write its name so`
}

/** File systems have coarse clocks: two writes within one tick may have the same stamp. */
const TICK_MS = 20
/** A file with a time in the future is not being written. */
const SKEW_MS = 2_000

/** Whether a file may have changed since `time` (ms since the epoch) without a new stamp. */
export const mayHaveChangedSince = (stat: Stats | undefined, time: number): boolean => {
  const writtenAt = stat?.mtimeMs
  return writtenAt !== undefined && writtenAt >= time - TICK_MS && writtenAt <= Date.now() + SKEW_MS
}

/** Whether a file was written after the millisecond `time`. */
export const wasWrittenAfter = (stat: Stats | undefined, time: number): boolean =>
  mayHaveChangedSince(stat, time + TICK_MS + 1)

/** Whether a file came to its path since `time` (ms since the epoch), or was changed since, whatever time it was given. */
export const hasAppearedSince = (file: string, time: number): boolean => {
  const changedAt = statOf(file)?.ctimeMs ?? 0
  return changedAt > time && changedAt <= Date.now() + SKEW_MS
}

export type SourceFiles = FileNames & {
  readonly folder: string
  /** The folder from which its imports resolve: for a link, the folder of the target. */
  folderOf(name: string): string
  /** Undefined if the file cannot be read. */
  read(name: string): ModuleReading | undefined
  /** Undefined if the file cannot be read or parsed. */
  facts(name: string): ModuleFacts | undefined
  text(name: string): string | undefined
  /** Why the text of an existing file is of no use. */
  faultOf(name: string): string | undefined
}

type Entry = {
  readonly stamp: Stamp
  /** Later changes will have a new stamp. */
  readonly isSettled: boolean
  readonly isUtf8: boolean
  readonly text: string
  /** Undefined until it is parsed. */
  reading: ModuleReading | undefined
}

/** A small limit, because parsed modules are many times as large as their text. */
const KEPT_CHARACTERS = 4 * 1024 * 1024

export const createSourceFiles = (folder: string): SourceFiles => {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new Error(`the project folder ${resolve(folder)} does not exist`)
  }
  const root = realPath(resolve(folder))
  const kept = createSizedMap<string, Entry>(KEPT_CHARACTERS, ({ text }) => text.length)
  const names = fileNames(root)
  const { fileOf } = names

  const entryOf = (name: string): Entry | undefined => {
    const file = fileOf(name)
    const stat = statOf(file)
    const stamp = stampIn(stat)
    const known = kept.get(file)
    if (known?.isSettled === true && known.stamp === stamp) return known
    kept.take(file)
    if (stamp === undefined || whyNotReadable(stat) !== undefined) return undefined
    const isSettled = !mayHaveChangedSince(stat, Date.now())
    let bytes: Buffer
    try {
      bytes = readFileSync(file)
    } catch {
      return undefined
    }
    const text = bytes.toString().replace(/^\ufeff/, '')
    const reading = known?.text === text ? known.reading : undefined
    const entry: Entry = { stamp, isSettled, isUtf8: isUtf8(bytes), text, reading }
    kept.set(file, entry)
    return entry
  }

  const read = (name: string): ModuleReading | undefined => {
    const entry = entryOf(name)
    if (entry !== undefined) entry.reading ??= readModule(name, entry.text)
    return entry?.reading
  }

  return {
    ...names,
    folder: root,
    folderOf: (name) => {
      try {
        return dirname(realPath(fileOf(name)))
      } catch {
        return dirname(fileOf(name))
      }
    },
    read,
    facts: (name) => {
      const reading = read(name)
      return reading?.ok === true ? reading.facts : undefined
    },
    text: (name) => {
      const file = fileOf(name)
      if (whyNotReadable(statOf(file)) !== undefined) return undefined
      try {
        return readFileSync(file, 'utf8')
      } catch {
        return undefined
      }
    },
    faultOf: (name) => {
      const entry = entryOf(name)
      if (entry !== undefined) return entry.isUtf8 ? undefined : 'is not UTF-8: save it as UTF-8'
      // One that was just deleted is no fault.
      const stat = statOf(fileOf(name))
      if (stat === undefined) return undefined
      return whyNotReadable(stat) ?? 'cannot be read: check its permissions'
    },
  }
}

/** The first form is a folder that Yarn makes with `nodeLinker: pnpm`. */
const PACKAGE =
  /^(?:.*\/)?node_modules\/(?:\.store\/([^/]+?)(?:-(?:npm|virtual|patch)-[^/]*)?\/package|((?:@[^/]+\/)?[^/]+))(?=\/)/

/** For a file of a package, its package.json: packages are replaced as a whole, and have thousands of files. */
export const inputBehind = (name: string): string => {
  const folder = PACKAGE.exec(name)?.[0]
  return folder === undefined ? name : `${folder}/package.json`
}

/** The package that a file belongs to; the file if it belongs to none. Yarn's folders tell no scope: `@aws-sdk-client-s3`. */
export const packageOf = (name: string): string => {
  const [, inStore, installed] = PACKAGE.exec(name) ?? []
  return inStore ?? installed ?? name
}

export const isDependency = (name: string): boolean => /(?:^|\/)node_modules\//.test(name)
