import { expect, it, vi } from 'vitest'
import { visitsRig } from './visits-rig.test-support.ts'

const rig = visitsRig()
const MIB = 1024 * 1024
const EVENTS = 3
const PER_EVENT = 5
const CODE = `({ run: async (ctx) => {
  const input = 'x'.repeat(1_000_000)
  const one = async () => {
    await ctx.waitForEvent('item')
    for (let n = 0; n < ${PER_EVENT}; n++) ctx.effect('e', input).catch(() => {})
  }
  await Promise.all(Array.from({ length: ${EVENTS} }, one))
  await ctx.waitForEvent('end')
} })`

it('stores turns with a large output one by one, and a cancel behind them', async () => {
  rig.effects['e'] = () => new Promise(() => {})
  const worker = await rig.startWorker({ name: 'first', hasVisits: true })
  const { engine } = rig.hosted.store
  const { commit } = engine
  const sizes: number[] = []
  const types: string[] = []
  vi.spyOn(engine, 'commit').mockImplementation((...of) => {
    const { entries = [] } = of[1].change
    sizes.push(entries.reduce((sum, { data = '' }) => sum + data.length, 0))
    types.push(...entries.map(({ type }) => type))
    return commit(...of)
  })
  const project = await rig.newProject({ visitors: { poke: () => Promise.resolve() } })
  const { key, id } = await project.start(CODE)
  await worker.work.work.visit(id, 'inv_0', 'start')
  for (let n = 0; n < EVENTS; n++) await project.send(key, 'item', n)
  await project.worker.cancel(key)
  await worker.work.work.visit(id, 'inv_1', 'event')
  expect(await project.end(key)).toMatchObject({ status: 'cancelled' })
  const stored = sizes.filter((size) => size > MIB)
  expect(stored).toHaveLength(EVENTS)
  expect(Math.max(...stored)).toBeLessThan((PER_EVENT + 1) * MIB)
  const delivered = types.filter((type) => type === 'event_delivered' || type.includes('cancel'))
  const events = Array.from({ length: EVENTS }, () => 'event_delivered')
  expect(delivered).toEqual([...events, 'cancel_requested', 'execution_cancelled'])
})
