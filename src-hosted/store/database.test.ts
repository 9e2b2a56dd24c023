import { expect, it, onTestFinished, vi } from 'vitest'
import { StoreClosedError, StoreUnavailableError } from '../../src-runtime/shared/store-errors.ts'
import { openDatabase } from './database.ts'
import { hostedRig } from './hosted-store-rig.test-support.ts'

const rig = hostedRig()

it('reads what is committed, whatever the database would do by itself', async () => {
  await rig.sql('ALTER ROLE ALL SET default_transaction_isolation TO serializable')
  const db = openDatabase({ url: rig.url, role: 'wes_worker', connections: 1 })
  onTestFinished(() => db.close())
  expect(await db.run('SHOW transaction_isolation')).toEqual([{ transaction_isolation: 'read committed' }])
})

it('answers a write once it is in the log, whatever the database would do by itself', async () => {
  const db = openDatabase({ url: rig.url, role: 'wes_worker', connections: 1 })
  onTestFinished(() => db.close())
  expect(await rig.sql('SHOW synchronous_commit')).toEqual([{ synchronous_commit: 'off' }])
  expect(await db.run('SHOW synchronous_commit')).toEqual([{ synchronous_commit: 'on' }])
})

it('gives up what has no answer when it closes, and begins nothing more', async () => {
  const db = openDatabase({ url: rig.url, role: 'wes_worker', connections: 1 })
  const [asked, waiting] = [db.run('SELECT pg_sleep(30)'), db.run('SELECT 1')]
  const both = Promise.allSettled([asked, waiting])
  const sleeping = () => rig.sql(`SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep'`)
  await vi.waitUntil(async () => (await sleeping()).length > 0, { interval: 10 })
  await db.close()
  expect(await both).toEqual([
    { status: 'rejected', reason: expect.any(StoreUnavailableError) },
    { status: 'rejected', reason: expect.any(StoreClosedError) },
  ])
  await expect(asked).rejects.toThrow('Connection terminated')
})

it('connects anew where a server takes no writes any more, because another one has taken over', async () => {
  const db = openDatabase({ url: rig.url, role: 'wes_worker', connections: 1 })
  onTestFinished(() => db.close())
  const write = () => db.run(`SELECT nextval('execution_keys') IS NOT NULL AS is_written`)
  const backend = async () => (await db.run<{ pid: number }>('SELECT pg_backend_pid() AS pid'))[0]!.pid
  const before = await backend()
  await db.run('SET default_transaction_read_only = on')
  await expect(write()).rejects.toThrow('PostgreSQL takes no writes here')
  expect(await write()).toEqual([{ is_written: true }])
  expect(await backend()).not.toBe(before)
})
