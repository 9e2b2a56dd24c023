// A small database of an older version, whose upgrade takes longer than any test.

import Database from 'better-sqlite3'
import { openDatabase } from './database.ts'
import { MIGRATIONS } from './migrations.ts'

/** Its step 3 of `MIGRATIONS.length - 1` does not end. */
export const writeSlowToUpgrade = (file: string): void => {
  const db = openDatabase({ file, now: Date.now, migrations: MIGRATIONS.slice(0, 1) })
  db.exec(`
    INSERT INTO idempotency VALUES (1, 'k', 'hash', 1, 0);
    CREATE VIEW endless AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1e15) SELECT count(*) FROM n;
    CREATE TRIGGER waits AFTER UPDATE ON idempotency BEGIN SELECT * FROM endless; END`)
  db.close()
}

/** Returns the version of its schema. */
export const makeFastToUpgrade = (file: string): number => {
  const db = new Database(file)
  db.exec('DROP TRIGGER waits; DROP VIEW endless')
  const version = db.pragma('user_version', { simple: true }) as number
  db.close()
  return version
}
