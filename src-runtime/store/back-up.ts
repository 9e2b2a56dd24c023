// Copies a database that may be in use, as of one moment.

import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { replaceFileLater } from '../shared/replace-file.ts'
import { refuseLogAlone } from './database.ts'
import { makePrivateDraft } from './private-draft.ts'
import { DiskFullError } from '../shared/store-errors.ts'
import { toStoreError } from './store-errors.ts'

/** Pages per step; the event loop runs other work between steps. */
const PAGES = 2_000

/** Replaces `target`, in one step, when the copy is complete. `signal`: aborted, the incomplete copy is removed. */
export const backUpDatabase = async (file: string, target: string, signal?: AbortSignal): Promise<void> => {
  const draft = `${target}.part`
  let db: Database.Database | undefined
  try {
    refuseLogAlone(file)
    makePrivateDraft(draft)
    db = new Database(file, { readonly: true, fileMustExist: true })
    // In one read transaction, because otherwise every commit would restart the copy.
    db.exec('BEGIN')
    db.prepare('SELECT 1 FROM sqlite_schema').get()
    await db.backup(draft, {
      progress: () => {
        signal?.throwIfAborted()
        return PAGES
      },
    })
    await replaceFileLater(draft, target)
  } catch (error) {
    rmSync(draft, { force: true })
    throw isFull(error)
      ? new DiskFullError(`the disk that holds ${dirname(target)} is full`, { cause: error })
      : toStoreError(error)
  } finally {
    db?.close()
  }
}

/** Only the copy is written, so it is its disk. */
const isFull = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'SQLITE_FULL' || error.code === 'ENOSPC')
