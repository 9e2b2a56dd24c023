// What the bundle that `wes` runs was made of, so that it can tell whether the sources have changed since.

import { existsSync, readdirSync, readFileSync, statSync, type Stats } from 'node:fs'
import { join } from 'node:path'

/** A file or folder by its path below the checkout. */
export type Input = {
  readonly path: string
  readonly mtimeMs: number
  /** Of a file's content, or of the names in a folder. */
  readonly digest: string
}

export const INPUTS_FILE = 'inputs.json'

const digestOf = (file: string, stats: Stats): string => {
  // Loaded here, because it takes longer than all the rest of a look at unchanged sources.
  const { createHash } = process.getBuiltinModule('node:crypto')
  const content = stats.isDirectory() ? readdirSync(file).toSorted().join('\n') : readFileSync(file)
  return createHash('sha1').update(content).digest('base64url')
}

export const inputAt = (checkout: string, path: string): Input => {
  const file = join(checkout, path)
  const stats = statSync(file)
  return { path, mtimeMs: stats.mtimeMs, digest: digestOf(file, stats) }
}

const isUnchanged = (checkout: string, { path, mtimeMs, digest }: Input): boolean => {
  const file = join(checkout, path)
  const stats = statSync(file, { throwIfNoEntry: false })
  // A checkout that was copied has other times.
  return stats !== undefined && (stats.mtimeMs === mtimeMs || digestOf(file, stats) === digest)
}

/** Whether what lies in `bundle`, a folder in out/wes, is what the checkout's sources would make now. */
export const isFresh = (bundle: string): boolean => {
  const checkout = join(bundle, '../../..')
  // Installed without its sources, it cannot be out of date.
  if (!existsSync(join(checkout, 'src-cli/main.ts'))) return true
  const inputs = JSON.parse(readFileSync(join(bundle, INPUTS_FILE), 'utf8')) as readonly Input[]
  return inputs.every((input) => isUnchanged(checkout, input))
}
