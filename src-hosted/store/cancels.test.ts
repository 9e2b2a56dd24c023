import { expect, it } from 'vitest'
import { openSession } from './database.ts'
import { hostedRig } from './hosted-store-rig.test-support.ts'

const rig = hostedRig()

it('takes few transactions for many cancels, and answers each for itself', async () => {
  const [workspace, other] = [await rig.newWorkspace(), await rig.newWorkspace()]
  await workspace.deploy('order')
  const heads = await Promise.all(Array.from({ length: 40 }, () => workspace.start()))
  const foreign = await other.start()
  const at = rig.store.now()
  const waits = { turns: 1, status: 'waiting', startedAt: at } as const
  const end = { turns: 1, status: 'completed', startedAt: at, finishedAt: at } as const
  await workspace.commit(heads[0]!.id, waits)
  await workspace.commit(heads[1]!.id, end)
  const keys = [...heads, heads[0]!, foreign].map(({ key }) => key)
  let answers: readonly unknown[] = []
  const cancelAll = async () => {
    answers = await Promise.all(keys.map((key) => workspace.accept.requestCancel(key)))
  }
  expect(await rig.transactionsOf(cancelAll)).toBeLessThanOrEqual(3)
  const accepted = { kind: 'accepted', status: 'cancelled', wake: false }
  expect(answers).toEqual([
    { kind: 'accepted', status: 'cancelling', executionId: heads[0]!.id, wake: true },
    { kind: 'finished', status: 'completed' },
    ...heads.slice(2).map(({ id }) => ({ ...accepted, executionId: id })),
    { kind: 'accepted', status: 'cancelling', executionId: heads[0]!.id, wake: false },
    { kind: 'gone' },
  ])
})

it('cancels other Executions while the row of one is locked', async () => {
  const workspace = await rig.newWorkspace()
  await workspace.deploy('order')
  const heads = await Promise.all(Array.from({ length: 3 }, () => workspace.start()))
  const session = await openSession(rig.postgres.ownerUrl, { search_path: 'wes' })
  try {
    await session.run('BEGIN')
    await session.run('SELECT FROM executions WHERE key = $1 FOR UPDATE', [heads[1]!.key])
    const [first, second, third] = heads.map(({ key }) => workspace.accept.requestCancel(key))
    const accepted = { kind: 'accepted', status: 'cancelled' }
    expect(await Promise.all([first, third])).toMatchObject([accepted, accepted])
    await session.run('COMMIT')
    expect(await second).toMatchObject(accepted)
  } finally {
    await session.close()
  }
})
