// With the data of a real runtime.

import { existsSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createClient } from '../../src-sdk/create-client.ts'
import { createRuntime } from '../create-runtime.ts'
import { recordDiskCalls } from '../shared/disk-calls.test-support.ts'
import { openDatabase } from '../store/database.ts'
import { MIGRATIONS } from '../store/migrations.ts'
import { temporaryFolder } from '../shared/temporary-folder.test-support.ts'
import { backUpDataDirectory, resetDataDirectory } from './data-directory.ts'
import { DataDirectoryInUseError, type Runtime } from '../shared/runtime.ts'

/** From before a migration. */
const BACKUP = 'wes.sqlite.schema-1.20261120T000000000Z.backup'

let folder: string
let dataDir: string
let running: Runtime | undefined

beforeEach(() => {
  folder = temporaryFolder('reset')
  dataDir = join(folder, 'data')
})
afterEach(async () => {
  await running?.stop()
  running = undefined
})

const start = async (dir = dataDir) => {
  const log = pino({ level: 'silent' })
  running = await createRuntime({ dataDir: dir, port: 0, projectFolder: folder, watch: false, log })
  return createClient({ url: running.url })
}
const stop = async () => {
  await running?.stop()
  running = undefined
}

/** A Program in two projects, an Execution that completed, one that failed, one that waits. */
const fill = async () => {
  const client = await start()
  await client.createProject({ name: 'other' })
  const code = `({ run: async (ctx, input) => {
    if (input === 'fail') throw new Error('no')
    return input === 'wait' ? ctx.waitForEvent('go') : input
  } })`
  await client.deployProgram({ format: 'wes.program/1', id: 'p', program: { code } })
  await (await client.start('p', 'end')).result()
  await (await client.start('p', 'fail')).result().catch(() => undefined)
  const waiting = await client.start('p', 'wait')
  await vi.waitUntil(async () => (await client.getResult(waiting.id)).status === 'waiting')
  return { client, waiting }
}

const columnsOfKept = (file: string): Readonly<Record<string, unknown>> => {
  const db = new Database(file, { readonly: true })
  const tables = ['projects', 'programs', 'versions', 'artifacts']
  const columns = tables.map((table) => [table, db.pragma(`table_info(${table})`)] as const)
  db.close()
  return Object.fromEntries(columns)
}

describe('a data directory', () => {
  it('is not reset while a runtime uses it', async () => {
    await start()
    expect(() => resetDataDirectory(dataDir, 'everything', Date.now)).toThrow(DataDirectoryInUseError)
  })
  it('keeps its Executions when they are reset while another program has its database open', async () => {
    const { waiting } = await fill()
    const program = new Database(join(dataDir, 'wes.sqlite'))
    onTestFinished(() => void program.close())
    program.prepare('SELECT count(*) FROM executions').get()
    await stop()
    const reset = () => resetDataDirectory(dataDir, 'executions', Date.now)
    expect(reset).toThrow(DataDirectoryInUseError)
    expect(reset).toThrow(`${dataDir} is in use by another program that has the database open`)
    const client = await start()
    expect((await client.getExecution(waiting.id)).status).toBe('waiting')
  })

  it('keeps its Programs and projects when its Executions are reset', async () => {
    await fill()
    await stop()
    for (const name of [BACKUP, 'wes.sqlite.backup.part', 'wes.sqlite.old']) writeFileSync(join(dataDir, name), '')
    writeFileSync(join(dataDir, 'runtime.json'), '{}') // as a kill leaves it
    const logs: boolean[] = []
    const calls = recordDiskCalls((call) => {
      if (call === 'remove killed-runtime.json') logs.push(existsSync(join(dataDir, 'wes.sqlite-wal')))
    })
    resetDataDirectory(dataDir, 'executions', Date.now)
    // A log that is missing beside this file counts as lost, also if the reset is interrupted.
    expect(logs).toEqual([true])
    if (process.platform !== 'win32') {
      expect(calls[calls.indexOf('remove killed-runtime.json') + 1]).toBe('flush data')
      // Before it, the old log is gone for good: it would be taken for that of the new database.
      const replaced = calls.indexOf('name wes.sqlite')
      expect([calls[replaced - 1], calls[replaced + 1]]).toEqual(['flush data', 'flush data'])
      expect(calls.lastIndexOf(`remove ${BACKUP}`)).toBeLessThan(calls.lastIndexOf('flush data'))
    }
    // A backup holds Executions, too. A copy that a person made is not the runtime's to delete.
    expect(readdirSync(dataDir).filter((name) => name.startsWith('wes.sqlite.'))).toEqual(['wes.sqlite.old'])
    if (process.platform !== 'win32') expect(statSync(join(dataDir, 'wes.sqlite')).mode & 0o777).toBe(0o600)
    const client = await start()
    expect((await client.listExecutions()).items).toEqual([])
    expect((await client.listExecutions({ q: 'no' })).items).toEqual([])
    expect((await client.listProjects()).items.map(({ name }) => name)).toContain('other')
    expect((await client.getProgram('p')).latestVersion.number).toBe(1)
    expect(await (await client.start('p', 'again')).result()).toBe('again')
    expect((await client.listExecutions()).items).toHaveLength(1)
  })

  it('is not upgraded first when its Executions are reset, which would take as long, and as much room, as they need', async () => {
    await fill()
    await stop()
    const file = join(dataDir, 'wes.sqlite')
    const current = columnsOfKept(file)
    const old = join(folder, 'old.sqlite')
    for (const { version } of MIGRATIONS) {
      openDatabase({ file: old, now: Date.now, migrations: MIGRATIONS.filter((one) => one.version <= version) }).close()
      expect(columnsOfKept(old), `schema ${version}`).toEqual(current)
      rmSync(old)
    }
    const first = openDatabase({ file: old, now: Date.now, migrations: MIGRATIONS.slice(0, 1) })
    first.prepare('ATTACH DATABASE ? AS current').run(file)
    for (const table of Object.keys(current)) {
      first.exec(`DELETE FROM ${table}; INSERT INTO ${table} SELECT * FROM current.${table}`)
    }
    first.exec(`
      DETACH DATABASE current;
      INSERT INTO idempotency VALUES (1, 'k', 'hash', 1, 0);
      CREATE TRIGGER fails AFTER UPDATE ON idempotency BEGIN SELECT raise(FAIL, 'the upgrade has begun'); END`)
    first.close()
    renameSync(old, file)
    resetDataDirectory(dataDir, 'executions', Date.now)
    expect(readdirSync(dataDir).filter((name) => name.startsWith('wes.sqlite'))).toEqual(['wes.sqlite'])
    const client = await start()
    expect((await client.listProjects()).items.map(({ name }) => name)).toContain('other')
    expect(await (await client.start('p', 'again')).result()).toBe('again')
    expect((await client.listExecutions()).items).toHaveLength(1)
  })

  it('is empty, without backups, when everything is reset', async () => {
    await fill()
    await stop()
    writeFileSync(join(dataDir, BACKUP), '')
    const calls = recordDiskCalls()
    resetDataDirectory(dataDir, 'everything', Date.now)
    if (process.platform !== 'win32') {
      const removed = calls.indexOf('remove wes.sqlite')
      const inOrder = ['remove wes.sqlite-wal', 'flush data', 'remove wes.sqlite', 'flush data']
      expect(calls.slice(removed - 2, removed + 2)).toEqual(inOrder)
    }
    expect(readdirSync(dataDir).filter((name) => name.startsWith('wes.sqlite'))).toEqual([])
    const client = await start()
    expect((await client.listPrograms()).items).toEqual([])
    expect((await client.listProjects()).items).toHaveLength(1)
  })

  it('is copied while a runtime uses it, and a runtime continues from the copy', async () => {
    const { client, waiting } = await fill()
    const copy = join(folder, 'copy')
    const target = join(copy, 'wes.sqlite')
    await expect(backUpDataDirectory(dataDir, target)).rejects.toThrow(/directory|open/)
    await start(copy).then(stop)
    const writing = Promise.all(Array.from({ length: 20 }, async () => (await client.start('p', 'x')).result()))
    await backUpDataDirectory(dataDir, target)
    await writing
    expect(existsSync(`${target}.part`)).toBe(false)
    expect(statSync(target).mode & 0o777).toBe(0o600)
    await stop()

    const copied = await start(copy)
    expect((await copied.getExecution(waiting.id)).status).toBe('waiting')
    await copied.sendEvent(waiting.id, 'go', 'went')
    await vi.waitUntil(async () => (await copied.getResult(waiting.id)).status === 'completed')
    expect(await copied.getResult(waiting.id)).toEqual({ status: 'completed', result: 'went' })
  })
})
