import { openDatabase } from '../store/database.ts'
import { MIGRATIONS } from '../store/migrations.ts'
import { openDataDirectory } from './data-directory.ts'

/** Makes a new data directory whose database is of the schema before, for a check that a runtime upgrades it. */
export const writeOldDatabase = (dir: string): void => {
  const { databaseFile, release } = openDataDirectory(dir)
  try {
    openDatabase({ file: databaseFile, now: Date.now, migrations: MIGRATIONS.slice(0, -1) }).close()
  } finally {
    release()
  }
}
