import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { openSession } from '../store/database.ts'
import { StoreUnavailableError } from '../../src-runtime/shared/store-errors.ts'
import { hostedRig } from '../store/hosted-store-rig.test-support.ts'
import { readInTurn } from './read-in-turn.ts'

const rig = hostedRig()

/** A statement fails that waits for a connection longer than 5 s. */
const LONGER_MS = 5_500

it('reads everything when a slow database is asked for much at once', async () => {
  const engine = readInTurn(rig.store.engine, 6)
  const { id } = await (await rig.newWorkspace()).start()
  const session = await openSession(rig.postgres.ownerUrl, { search_path: 'wes' })
  await session.run('BEGIN')
  await session.run('LOCK TABLE executions')
  const reads = Promise.all(Array.from({ length: 100 }, () => engine.load(id)))
  await Promise.race([reads, sleep(LONGER_MS)])
  await session.run('COMMIT')
  await session.close()
  expect((await reads).every((read) => read?.head.id === id)).toBe(true)
}, 60_000)

it('rejects what has waited for too long, because the database is away', async () => {
  const engine = readInTurn(rig.store.engine, 1, 200)
  const { id } = await (await rig.newWorkspace()).start()
  const session = await openSession(rig.postgres.ownerUrl, { search_path: 'wes' })
  await session.run('BEGIN')
  await session.run('LOCK TABLE executions')
  const first = engine.load(id)
  await expect(engine.load(id)).rejects.toThrow(StoreUnavailableError)
  await session.run('COMMIT')
  await session.close()
  expect((await first)?.head.id).toBe(id)
  expect((await engine.load(id))?.head.id).toBe(id)
})
