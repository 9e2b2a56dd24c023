// The project's own modules, read and parsed once for as long as they stay the same.

import { readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path'
import { readModule, type ModuleFacts, type ModuleReading } from './module-facts.ts'

/** Changes when a file does. `undefined`: there is no such file. */
export type Stamp = string | undefined

export const stampOf = (file: string): Stamp => {
  try {
    const stat = statSync(file, { throwIfNoEntry: false })
    return stat?.isFile() === true ? `${stat.mtimeMs}:${stat.size}:${stat.ino}` : undefined
  } catch {
    return undefined
  }
}

export type SourceFiles = {
  readonly folder: string
  /** Relative to the project folder, with forward slashes; it may begin with `../`. */
  nameOf(file: string): string
  fileOf(name: string): string
  /** Where its imports begin: beside the file itself, when the name is a link to it. */
  folderOf(name: string): string
  /** `undefined`: it cannot be read. */
  read(name: string): ModuleReading | undefined
  /** Read, and parsing; undefined otherwise. */
  facts(name: string): ModuleFacts | undefined
  text(name: string): string | undefined
}

const KEPT = 5_000

export const createSourceFiles = (folder: string): SourceFiles => {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new Error(`the project folder ${resolve(folder)} does not exist`)
  }
  const root = realpathSync(resolve(folder))
  const kept = new Map<string, { readonly stamp: Stamp; readonly reading: ModuleReading; readonly text: string }>()

  const nameOf = (file: string) => relative(root, file).split(sep).join('/')
  const fileOf = (name: string) => (isAbsolute(name) ? name : resolve(root, name))

  const entryOf = (name: string) => {
    const file = fileOf(name)
    const stamp = stampOf(file)
    const known = kept.get(file)
    if (known !== undefined && known.stamp === stamp) return known
    kept.delete(file)
    if (stamp === undefined) return undefined
    let text: string
    try {
      text = readFileSync(file, 'utf8').replace(/^\ufeff/, '')
    } catch {
      return undefined
    }
    const entry = { stamp, text, reading: readModule(name, text) }
    kept.set(file, entry)
    if (kept.size > KEPT) kept.delete(kept.keys().next().value!)
    return entry
  }

  return {
    folder: root,
    nameOf,
    fileOf,
    folderOf: (name) => {
      try {
        return dirname(realpathSync(fileOf(name)))
      } catch {
        return dirname(fileOf(name))
      }
    },
    read: (name) => entryOf(name)?.reading,
    facts: (name) => {
      const reading = entryOf(name)?.reading
      return reading?.ok === true ? reading.facts : undefined
    },
    text: (name) => {
      try {
        return readFileSync(fileOf(name), 'utf8')
      } catch {
        return undefined
      }
    },
  }
}

/** Of a package, its package.json: it is replaced as a whole, and has thousands of files. */
export const inputBehind = (name: string): string => {
  const folder = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(name)?.[0]
  return folder === undefined ? name : `${folder}/package.json`
}

export const isDependency = (name: string): boolean => /(?:^|\/)node_modules\//.test(name)
