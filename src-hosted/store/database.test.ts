import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
import { StoreClosedError, StoreUnavailableError } from '../../src-runtime/shared/store-errors.ts'
import { databaseServer, openDatabase, type LastUses } from './database.ts'
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

/** A proxy in front of PostgreSQL. `fallSilent`: it passes nothing on, and ends nothing, on the connections that it has. */
const startProxy = async () => {
  const sockets: Socket[] = []
  const server = createServer((incoming) => {
    const outgoing = connect(rig.postgres.port, '127.0.0.1')
    for (const socket of [incoming, outgoing]) sockets.push(socket.on('error', () => {}))
    incoming.pipe(outgoing).pipe(incoming)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const url = new URL(rig.url)
  url.port = String((server.address() as AddressInfo).port)
  return { url: url.href, fallSilent: () => sockets.forEach((socket) => socket.unpipe().pause()) }
}

it('gives up all connections of the process that are unused since before one got no answer', async () => {
  const proxy = await startProxy()
  const lastUses: LastUses = new Map()
  const open = (role: 'wes_app' | 'wes_worker') => {
    const db = openDatabase({ url: proxy.url, role, connections: 4, lastUses })
    onTestFinished(() => db.close())
    return db
  }
  const [app, worker] = [open('wes_app'), open('wes_worker')]
  const ask = (db: typeof app) => db.run('SELECT 1 AS one FROM (SELECT pg_sleep(0.1)) AS slept WHERE $1 > 0', [1])
  await Promise.all([ask(app), ask(app), ask(worker), ask(worker), ask(worker)])
  expect([app.state(), worker.state()]).toMatchObject([{ open: 2 }, { open: 3 }])
  proxy.fallSilent()
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const [silent] = await Promise.all([
    ask(worker).catch((error: unknown) => error),
    vi.advanceTimersByTimeAsync(12_000),
  ])
  expect(silent).toBeInstanceOf(StoreUnavailableError)
  vi.useRealTimers()
  expect(await Promise.all([ask(worker), ask(app)])).toEqual([[{ one: 1 }], [{ one: 1 }]])
})

it('counts what PostgreSQL answers, also with an error, and nothing that it does not', async () => {
  const proxy = await startProxy()
  const db = openDatabase({ url: proxy.url, role: 'wes_worker', connections: 1 })
  onTestFinished(() => db.close())
  await db.run('SELECT 1')
  await expect(db.run('SELECT 1 / 0')).rejects.toThrow('division by zero')
  expect(db.state().answered).toBe(2)
  proxy.fallSilent()
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  await Promise.all([
    expect(db.run('SELECT 1')).rejects.toThrow('does not answer'),
    vi.advanceTimersByTimeAsync(12_000),
  ])
  expect(db.state().answered).toBe(2)
})

it('says where all connections are in use, and not that PostgreSQL cannot be reached', async () => {
  const db = openDatabase({ url: rig.url, role: 'wes_worker', connections: 1 })
  onTestFinished(() => db.close())
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const asked = db.run('SELECT 1 AS one FROM pg_sleep(0.3)')
  const [late] = await Promise.all([
    db.run('SELECT 1').catch((error: unknown) => error),
    vi.advanceTimersByTimeAsync(5_000),
  ])
  expect(late).toEqual(
    new StoreUnavailableError(
      'no connection of this process was free within 5000 ms: it has too much to do, or PostgreSQL is slow',
    ),
  )
  expect(await asked).toEqual([{ one: 1 }])
})

it('answers what was asked before the process stood still', async () => {
  const db = openDatabase({ url: rig.url, role: 'wes_worker', connections: 1 })
  onTestFinished(() => db.close())
  const ask = () => db.run<{ one: number }>('SELECT 1 AS one FROM pg_sleep(0.05)')
  await ask()
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const asked = [ask(), ask()]
  // As the first look at its timers does after the process stood still.
  vi.advanceTimersToNextTimer()
  expect(await Promise.all(asked)).toEqual([[{ one: 1 }], [{ one: 1 }]])
})

it('answers what was asked before the process stood still as it was connecting', async () => {
  const db = openDatabase({ url: rig.url, role: 'wes_worker', connections: 1 })
  onTestFinished(() => db.close())
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const asked = db.run('SELECT 1 AS one')
  while (db.state().open === 0) await setImmediate()
  vi.advanceTimersToNextTimer()
  expect(await asked).toEqual([{ one: 1 }])
})

it('closes connections that only a burst needed, and keeps some for the next callers', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const db = openDatabase({ url: rig.url, role: 'wes_worker', connections: 4 })
  onTestFinished(() => db.close())
  await Promise.all([1, 2, 3, 4].map(() => db.run('SELECT pg_sleep(0.01)')))
  expect(db.state()).toMatchObject({ open: 4, idle: 4 })
  await vi.advanceTimersByTimeAsync(3 * 60_000)
  await db.run('SELECT 1')
  expect(db.state()).toMatchObject({ open: 4, idle: 4 })
  await vi.advanceTimersByTimeAsync(3 * 60_000)
  expect(db.state()).toMatchObject({ open: 2, idle: 2 })
  await vi.advanceTimersByTimeAsync(60 * 60_000)
  expect(db.state()).toMatchObject({ open: 2, idle: 2 })
})

it('tells to which server a URL leads, whichever part of it says so', () => {
  const servers = {
    'postgres://wes:secret@db.example:6432/wes': 'postgres://db.example:6432',
    'postgres://wes@db.example/wes?host=10.0.0.5&port=6432': 'postgres://10.0.0.5:6432',
    'postgres://wes@%31%30.0.0.5/wes': 'postgres://10.0.0.5:5432',
    'postgres://wes@db.example/wes?host=::1': 'postgres://[::1]:5432',
    'postgres://wes@[::1]/wes': 'postgres://[::1]:5432',
    'postgres://wes@db.example:6432/wes?host=/run/postgresql': 'postgres://127.0.0.1:6432',
  }
  expect(Object.fromEntries(Object.keys(servers).map((url) => [url, databaseServer(url)]))).toEqual(servers)
  vi.stubEnv('PGHOST', '10.0.0.6')
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(databaseServer('postgres:///wes')).toBe('postgres://10.0.0.6:5432')
})
