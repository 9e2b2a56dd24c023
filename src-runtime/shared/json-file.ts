// Reads and atomically writes small private JSON files.

import { closeSync, fsyncSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeFolder } from './make-folder.ts'
import { replaceFile } from './replace-file.ts'

const PRIVATE_FILE = 0o600

/** Undefined without a file; throws if the file is not JSON. */
export const readJsonFile = (file: string): unknown => {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  return JSON.parse(text) as unknown
}

/** `unread`: the system did not let it be read, so it may be whole, and must not be written over. */
export type JsonFileFault = 'damaged' | 'unread'

/** Like readJsonFile, for a file that must have a form. */
export const readFormedFile = <Content>(
  file: string,
  hasForm: (content: unknown) => content is Content,
): { readonly content: Content | undefined } | { readonly fault: JsonFileFault; readonly error: unknown } => {
  try {
    const content = readJsonFile(file)
    if (content === undefined || hasForm(content)) return { content }
    return { fault: 'damaged', error: new Error('it does not have the form of such a file') }
  } catch (error) {
    return { fault: error instanceof SyntaxError ? 'damaged' : 'unread', error }
  }
}

/** A reader sees the old file or the new one, even after a power loss. */
export const writeJsonFile = (file: string, value: unknown): void =>
  writePrivate(file, `${JSON.stringify(value, undefined, 2)}\n`)

const writePrivate = (file: string, text: string): void => {
  const draft = `${file}.new`
  makeFolder(dirname(file))
  // What a killed process left may have another mode.
  rmSync(draft, { force: true })
  const descriptor = openSync(draft, 'wx', PRIVATE_FILE)
  try {
    // Everything, or it throws: one write may store only the part for which the disk has room.
    writeFileSync(descriptor, text)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  replaceFile(draft, file)
}

/** Renames a file that is damaged, so that the next write does not destroy it. `without`: removes secrets of its text. */
export const putAside = (file: string, without?: (text: string) => string): void => {
  const aside = `${file}.unreadable`
  try {
    if (without === undefined) return replaceFile(file, aside)
    writePrivate(aside, without(readFileSync(file, 'utf8')))
    rmSync(file)
  } catch {
    // It cannot be moved either: the next write replaces it.
  }
}
