// The sources that the bundle of `wes` was made from, so that it can tell whether they have changed.

import { existsSync, readdirSync, readFileSync, statSync, type Stats } from 'node:fs'
import { join } from 'node:path'

/** A file or folder. Its path is relative to the checkout. */
export type Input = {
  readonly path: string
  readonly mtimeMs: number
  /** The hash of a file's content, or of the names in a folder. */
  readonly digest: string
}

export const INPUTS_FILE = 'inputs.json'

const digestOf = (file: string, stats: Stats): string => {
  // Loaded late, because loading it takes longer than checking sources that have not changed.
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
  // Without `join`, which takes as long as the look at the file.
  const file = `${checkout}/${path}`
  const stats = statSync(file, { throwIfNoEntry: false })
  // Copying a checkout changes the times only.
  return stats !== undefined && (stats.mtimeMs === mtimeMs || digestOf(file, stats) === digest)
}

/** Whether `bundle`, a folder in out/wes, is up to date with the checkout's sources. */
export const isFresh = (bundle: string): boolean => {
  const checkout = join(bundle, '../../..')
  // A bundle that is installed without its sources cannot be out of date. Nor can pnpm's copy of a checkout, which lacks files, such as the
  // lockfile: Node runs no TypeScript in node_modules, so nothing could make it again.
  if (!existsSync(join(checkout, 'src-cli/main.ts')) || /[\\/]node_modules[\\/]/.test(checkout)) return true
  const inputs = JSON.parse(readFileSync(join(bundle, INPUTS_FILE), 'utf8')) as readonly Input[]
  return inputs.every((input) => isUnchanged(checkout, input))
}
