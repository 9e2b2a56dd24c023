// The entry of the bundle: wes.mjs calls these functions.

import { join } from 'node:path'
import { isFresh } from './bundle-inputs.ts'

/** Resolves to the exit code, or to undefined if this bundle is older than the sources; then nothing has run. */
export const runIfCurrent = (args: readonly string[]): Promise<number | undefined> =>
  start(args, () => isFresh(join(import.meta.dirname, '..')))

/** Resolves to the exit code. */
export const run = (args: readonly string[]): Promise<number | undefined> => start(args, () => true)

const start = async (args: readonly string[], isCurrent: () => boolean): Promise<number | undefined> => {
  // First of all, because a host needs as long as the rest of a start, and does so meanwhile.
  const firstHost = args[0] === 'dev' ? (await import('#runtime/create-runtime.ts')).startFirstHost() : undefined
  try {
    return isCurrent() ? await (await import('./run.ts')).run(args, firstHost) : undefined
  } finally {
    firstHost?.giveUp()
  }
}
