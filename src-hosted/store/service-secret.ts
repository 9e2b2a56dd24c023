// The secret of the service that hides, in what callers are shown, numbers that all workspaces share: these show how busy others are.

import type { Database } from './database.ts'

const SERVICE = 'SELECT epoch, mark_secret FROM service'

/** Reads it once. It is another one after the database was made anew. */
export const createServiceSecret = (db: Database): (() => Promise<string>) => {
  let known: Promise<string> | undefined
  return () => {
    known ??= db
      .run<{ epoch: string; mark_secret: string }>(SERVICE)
      .then(([row]) => `${row!.epoch} ${row!.mark_secret}`)
      .catch((error: unknown) => {
        known = undefined
        throw error
      })
    return known
  }
}
