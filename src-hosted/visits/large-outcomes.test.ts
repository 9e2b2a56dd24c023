import { expect, it, vi } from 'vitest'
import { visitsRig } from './visits-rig.test-support.ts'

const rig = visitsRig()
const MIB = 1024 * 1024

it('delivers large outcomes of effects in parts, in their order, and performs none of the effects again', async () => {
  const COUNT = 14
  const performed: unknown[] = []
  rig.effects['large'] = (input) => {
    performed.push(input)
    return 'x'.repeat(1_000_000)
  }
  const worker = await rig.startWorker({ name: 'first' })
  const { engine } = rig.hosted.store
  const { load } = engine
  const loadedBytes: number[] = []
  vi.spyOn(engine, 'load').mockImplementation(async (id) => {
    const loaded = await load(id)
    loadedBytes.push((loaded?.outcomes ?? []).reduce((sum, { data }) => sum + data.length, 0))
    return loaded
  })
  const project = await rig.newProject({ visitors: { poke: () => Promise.resolve() } })
  const { key, id } = await project.start(`({ run: async (ctx) => {
    const order = []
    const note = (what) => () => { order.push(what) }
    const all = Array.from({ length: ${COUNT} }, (_, index) => ctx.effect('large', index).then(note(index)))
    await Promise.all([...all, ctx.waitForEvent('last').then(note('event'))])
    return order
  } })`)
  const { attempts } = await worker.work.work.visit(id, 'inv_1', 'start')
  const inTurn = attempts.toReversed()
  for (const attempt of inTurn) await worker.work.work.perform({ executionId: id, ...attempt }, 'inv_perform')
  await project.send(key, 'last')
  loadedBytes.length = 0
  expect(await worker.work.work.visit(id, 'inv_2', 'event')).toMatchObject({ attempts: [] })
  const stored = inTurn.map(({ command }) => command - 1)
  expect(await project.end(key)).toEqual({ status: 'completed', result: [...stored, 'event'] })
  expect(Math.max(...loadedBytes)).toBeLessThanOrEqual(4 * MIB)
  expect(loadedBytes.length).toBeLessThanOrEqual(COUNT / 4 + 1)
  expect(performed).toHaveLength(COUNT)
})
