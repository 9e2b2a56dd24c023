// What wes.mjs finds in the bundle that it runs.

import { join } from 'node:path'
import { isFresh } from './bundle-inputs.ts'

/** Whether this bundle is what the sources would make now. */
export const isCurrent = (): boolean => isFresh(join(import.meta.dirname, '..'))

/** From arguments to exit code. */
export const run = async (args: readonly string[]): Promise<number> => (await import('./run.ts')).run(args)
