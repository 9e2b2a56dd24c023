import { statSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../shared/temporary-folder.test-support.ts'
import { backUpDatabase } from './back-up.ts'

it.skipIf(process.platform === 'win32')('writes a copy that nobody else may read, from its beginning', async () => {
  const folder = temporaryFolder('back-up')
  const [file, target] = [join(folder, 'wes.sqlite'), join(folder, 'copy.sqlite')]
  const db = new Database(file)
  db.exec('CREATE TABLE t (data BLOB); INSERT INTO t VALUES (zeroblob(30000000))')
  db.close()
  const modes = new Set<number>()
  let isDone = false
  const done = backUpDatabase(file, target).finally(() => (isDone = true))
  while (!isDone) {
    const part = statSync(`${target}.part`, { throwIfNoEntry: false })
    if (part !== undefined) modes.add(part.mode & 0o777)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await done
  expect([...modes]).toEqual([0o600])
  expect(statSync(target).size).toBeGreaterThan(30_000_000)
})
