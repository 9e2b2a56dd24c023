// A copy of a database that may be in use, as of one moment.

import { chmodSync, renameSync, rmSync } from 'node:fs'
import Database from 'better-sqlite3'
import { toStoreError } from './store-errors.ts'

/** So many at a time: others get the event loop in between. */
const PAGES = 2_000

/** `target` appears once it is whole, and replaces what is there. */
export const backUpDatabase = async (file: string, target: string): Promise<void> => {
  const draft = `${target}.part`
  let db: Database.Database | undefined
  try {
    rmSync(draft, { force: true })
    db = new Database(file, { readonly: true, fileMustExist: true })
    // Within one read transaction: otherwise every commit meanwhile would make the copy begin anew.
    db.exec('BEGIN')
    db.prepare('SELECT 1 FROM sqlite_schema').get()
    await db.backup(draft, { progress: () => PAGES })
    // As private as what it is a copy of.
    chmodSync(draft, 0o600)
    renameSync(draft, target)
  } catch (error) {
    rmSync(draft, { force: true })
    throw toStoreError(error)
  } finally {
    db?.close()
  }
}
