import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it, onTestFinished, vi } from 'vitest'
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

it('copies no database that is empty beside its log, and keeps the log', async () => {
  const folder = temporaryFolder('back-up')
  const file = join(folder, 'wes.sqlite')
  writeFileSync(file, '')
  writeFileSync(`${file}-wal`, 'what was stored last')
  await expect(backUpDatabase(file, join(folder, 'copy.sqlite'))).rejects.toThrow(`${file} is missing or empty`)
  expect(readFileSync(`${file}-wal`, 'utf8')).toBe('what was stored last')
})

it('says that the disk of the copy is full, which may be another one than that of the data', async () => {
  const folder = temporaryFolder('back-up')
  const file = join(folder, 'wes.sqlite')
  new Database(file).exec('CREATE TABLE t (data BLOB)').close()
  const full = new Database.SqliteError('database or disk is full', 'SQLITE_FULL')
  const backup = vi.spyOn(Database.prototype, 'backup').mockRejectedValue(full)
  onTestFinished(() => backup.mockRestore())
  const target = join(folder, 'copy.sqlite')
  await expect(backUpDatabase(file, target)).rejects.toThrow(`the disk that holds ${folder} is full`)
  expect(existsSync(`${target}.part`)).toBe(false)
})

it('removes an incomplete copy when it is aborted', async () => {
  const folder = temporaryFolder('back-up')
  const file = join(folder, 'wes.sqlite')
  new Database(file).exec('CREATE TABLE t (data BLOB); INSERT INTO t VALUES (zeroblob(30000000))').close()
  const quitting = new AbortController()
  const done = backUpDatabase(file, join(folder, 'copy.sqlite'), quitting.signal)
  expect(readdirSync(folder)).toContain('copy.sqlite.part')
  quitting.abort()
  await expect(done).rejects.toThrow('aborted')
  expect(readdirSync(folder).filter((name) => name.startsWith('copy'))).toEqual([])
})
