import { expect, it, vi } from 'vitest'
import { visitsRig } from './visits-rig.test-support.ts'

const rig = visitsRig()
const nobody = { poke: () => Promise.resolve() }

it('times out a wait although an event that an older wait of the same name takes stands before it', async () => {
  let turn = Promise.resolve()
  let onTurn = (): void => {}
  const worker = await rig.startWorker({
    name: 'first',
    wrapHosts: (hosts) => ({
      ...hosts,
      activate: async (...args) => {
        const ran = await hosts.activate(...args)
        onTurn()
        await turn
        return ran
      },
    }),
  })
  const project = await rig.newProject({ visitors: nobody })
  const { key, id } = await project.start(`({ run: async (ctx) => {
    ctx.waitForEvent('x').catch(() => {})
    await ctx.waitForEvent('go')
    try { return await ctx.waitForEvent('x', { timeout: 1 }) } catch { return 'timed out' }
  } })`)
  await worker.work.work.visit(id, 'inv_1', 'start')
  await project.send(key, 'go')
  const ran = Promise.withResolvers<void>()
  const end = Promise.withResolvers<void>()
  turn = end.promise
  onTurn = ran.resolve
  const commit = vi.spyOn(rig.hosted.store.engine, 'commit')
  const visited = worker.work.work.visit(id, 'inv_2', 'event')
  await ran.promise
  const dueBy = rig.hosted.store.now() + 20
  await vi.waitUntil(() => rig.hosted.store.now() > dueBy, { interval: 5 })
  // It comes after the second wait is over, and before that wait is stored.
  await project.send(key, 'x', 'for the first wait')
  end.resolve()
  await visited
  expect(await project.outcome(key)).toMatchObject({ status: 'completed', result: '{"result":"timed out"}' })
  expect(commit.mock.calls.length).toBeLessThanOrEqual(3)
  commit.mockRestore()
})

it('pauses when its turns are refused again and again', async () => {
  const worker = await rig.startWorker({ name: 'second' })
  const project = await rig.newProject({ visitors: nobody })
  const { key, id } = await project.start(`({ run: () => 'done' })`)
  const refused = { kind: 'lost', turns: 0, cancelRequestedAt: undefined, status: 'queued' } as const
  const commit = vi.spyOn(rig.hosted.store.engine, 'commit').mockResolvedValue(refused)
  const visited = await worker.work.work.visit(id, 'inv_1', 'start')
  expect(visited).toEqual({ attempts: [], next: { why: 'again', delayMs: 1_000 } })
  // Eight, and as many that show that a long turn runs.
  expect(commit.mock.calls.length).toBeLessThanOrEqual(16)
  commit.mockRestore()
  expect(await worker.work.work.visit(id, 'inv_2', 'again')).toEqual({ attempts: [] })
  expect(await project.outcome(key)).toMatchObject({ status: 'completed' })
})
