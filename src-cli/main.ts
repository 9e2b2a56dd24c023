// The entry of the bundle: wes.mjs calls these functions.

import { join } from 'node:path'
import { isFresh } from './bundle-inputs.ts'

/** Whether this bundle is up to date with the sources. */
export const isCurrent = (): boolean => isFresh(join(import.meta.dirname, '..'))

/** Resolves to the exit code. */
export const run = async (args: readonly string[]): Promise<number> => (await import('./run.ts')).run(args)
