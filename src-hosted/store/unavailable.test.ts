import { expect, it, onTestFinished, vi } from 'vitest'
import { StoreClosedError, StoreUnavailableError } from '../../src-runtime/shared/store-errors.ts'
import { temporaryFolder } from '../../src-runtime/shared/temporary-folder.test-support.ts'
import { startEmbeddedPostgres } from '../boot/embedded-postgres.ts'
import { freePorts } from '../boot/free-ports.ts'
import { openSession } from './database.ts'
import { urlOf } from './hosted-store-rig.test-support.ts'
import { migrateDatabase } from './migrate.ts'
import { openHostedStore } from './open-hosted-store.ts'

const LOGIN = { user: 'wes_server', password: 'of tests' }

/** A store, and a PostgreSQL of its own that can be killed. */
const startStore = async (name: string) => {
  const folder = temporaryFolder(name)
  const [port = 0] = await freePorts([0])
  const start = () => startEmbeddedPostgres({ folder, port })
  const first = await start()
  await migrateDatabase({ ownerUrl: first.ownerUrl, login: LOGIN })
  const store = await openHostedStore({ url: urlOf(first.ownerUrl), connections: { app: 4, worker: 4 } })
  onTestFinished(() => store.close())
  return {
    first,
    store,
    kill: async () => {
      process.kill(first.pid, 'SIGKILL')
      await first.ended
    },
    startAgain: async () => {
      const second = await start()
      onTestFinished(() => second.stop())
      return second
    },
  }
}

it('rejects what is asked while PostgreSQL is dead, goes on when it is back, and loses nothing that it acknowledged', async () => {
  const { store, kill, startAgain } = await startStore('killed')
  const gaps = vi.fn()
  const listening = store.notices.listen(() => {}, gaps)
  await vi.waitUntil(() => gaps.mock.calls.length === 1)

  const acknowledged: string[] = []
  const failures: unknown[] = []
  let isOver = false
  const create = async (writer: number) => {
    for (let n = 0; !isOver; n++) {
      const id = `wsp_${writer}_${n}`
      await store.workspaces.create({ id, name: 'Shop', defaultProjectId: `prj_${writer}_${n}` }).then(
        () => acknowledged.push(id),
        (error: unknown) => failures.push(error),
      )
    }
  }
  const writers = [0, 1, 2, 3, 4, 5].map(create)
  await vi.waitUntil(() => acknowledged.length > 50)
  await kill()
  await vi.waitUntil(() => failures.length > 10)
  const before = acknowledged.length
  const second = await startAgain()
  await vi.waitUntil(() => acknowledged.length > before + 50)
  isOver = true
  await Promise.all(writers)

  expect(failures.every((error) => error instanceof StoreUnavailableError)).toBe(true)
  const session = await openSession(second.ownerUrl, { search_path: 'wes' })
  const stored = new Set((await session.run<{ id: string }>('SELECT id FROM workspaces')).map(({ id }) => id))
  await session.close()
  expect(acknowledged.filter((id) => !stored.has(id))).toEqual([])
  await vi.waitUntil(() => gaps.mock.calls.length > 1)
  await listening.stop()
  await store.close()
  await store.close()
  await expect(store.workspaces.get('wsp_0_0')).rejects.toThrow(StoreClosedError)
})

it('tells each change that follows a mark, also where PostgreSQL was killed in between and gives numbers of transactions again', async () => {
  const { first, store, kill, startAgain } = await startStore('renumbered')
  await store.workspaces.create({ id: 'wsp_1', name: 'Shop', defaultProjectId: 'prj_1' })
  const { programs } = store.forWorkspace('wsp_1')
  const version = {
    projectId: 'prj_1',
    programId: 'order',
    origin: 'upload',
    runnable: true,
    manifest: '{}',
    createdAt: 0,
  } as const
  const deploy = (digest: string) => programs.deploy({ ...version, id: `ver_${digest}`, digest, code: '({})' })
  await deploy('0')
  const told = await store.changes.after(await store.changes.latest(), 9)
  const notifier = await openSession(first.ownerUrl, { synchronous_commit: 'off' })
  onTestFinished(() => notifier.close())
  for (let n = 0; n < 20; n += 1) await notifier.run('NOTIFY changed')
  if (told.kind === 'gone') throw new Error('the changes are gone')
  const later = await store.changes.after(told.mark, 9)
  if (later.kind === 'gone') throw new Error('the changes are gone')
  const marks = [told.mark, later.mark, await store.changes.latest()]
  await kill()
  await startAgain()
  await vi.waitUntil(() => store.workspaces.get('wsp_1').catch(() => false))
  for (let n = 1; n < 40; n += 1) await deploy(String(n))
  for (const mark of marks) {
    const page = await store.changes.after(mark, 100)
    expect(page.kind === 'changes' ? page.items.map((one) => one.kind === 'program' && one.versionNumber) : []).toEqual(
      Array.from({ length: 39 }, (_, n) => n + 2),
    )
  }
})
