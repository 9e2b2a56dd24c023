// Reads and atomically writes small private JSON files.

import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

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

/** A reader sees the old file or the new one, even after a power loss. */
export const writeJsonFile = (file: string, value: unknown): void => {
  const draft = `${file}.new`
  mkdirSync(dirname(file), { recursive: true })
  // What a killed process left may have another mode.
  rmSync(draft, { force: true })
  const descriptor = openSync(draft, 'wx', PRIVATE_FILE)
  try {
    writeSync(descriptor, `${JSON.stringify(value, undefined, 2)}\n`)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  renameSync(draft, file)
}

/** Renames a file that cannot be read, so that the next write does not destroy it. */
export const putAside = (file: string): void => {
  try {
    renameSync(file, `${file}.unreadable`)
  } catch {
    // It cannot be moved either: the next write replaces it.
  }
}
