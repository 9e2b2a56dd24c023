import { expect, it, vi } from 'vitest'
import { visitsRig } from './visits-rig.test-support.ts'

const rig = visitsRig()
const MIB = 1024 * 1024

it('replays large events in parts of a few megabytes, in the order in which they were delivered', async () => {
  const COUNT = 12
  const worker = await rig.startWorker({ name: 'first' })
  const project = await rig.newProject({ visitors: { poke: () => Promise.resolve() } })
  const { key, id } = await project.start(`({ run: async (ctx) => {
    const seen = []
    // The journal has them in another order: those of b came first.
    for (const name of ['a', 'b']) for (let index = 0; index < ${COUNT / 2}; index++) seen.push((await ctx.waitForEvent(name)).slice(0, 3))
    await ctx.waitForEvent('last')
    return seen
  } })`)
  await worker.work.work.visit(id, 'inv_start', 'start')
  const sent = Array.from({ length: COUNT }, (_, index) => ({
    name: index < COUNT / 2 ? 'b' : 'a',
    text: String(index).padStart(3, '0'),
  }))
  for (const { name, text } of sent) await project.send(key, name, text.padEnd(MIB - 100, 'x'))
  await worker.work.work.visit(id, 'inv_events', 'event')
  worker.hosts.forget(id)
  const { engine } = rig.hosted.store
  const { dataAt } = engine
  const answers: number[] = []
  vi.spyOn(engine, 'dataAt').mockImplementation(async (...of) => {
    const data = await dataAt(...of)
    answers.push([...data.values()].reduce((sum, { length }) => sum + length, 0))
    return data
  })
  await project.send(key, 'last')
  await worker.work.work.visit(id, 'inv_last', 'event')
  const inOrder = [...sent.slice(COUNT / 2), ...sent.slice(0, COUNT / 2)].map(({ text }) => text)
  expect(await project.end(key)).toEqual({ status: 'completed', result: inOrder })
  expect(Math.max(...answers)).toBeLessThanOrEqual(8 * MIB)
  expect(answers.length).toBeLessThanOrEqual(3)
})

it('replays a history of several pages', async () => {
  const TURNS = 300
  const worker = await rig.startWorker({ name: 'pages' })
  const project = await rig.newProject({ visitors: { poke: () => Promise.resolve() } })
  const { key, id } = await project.start(`({ run: async (ctx) => {
    for (let turn = 0; turn < ${TURNS}; turn++) await ctx.sleep(0)
    return ctx.waitForEvent('last')
  } })`)
  await worker.work.work.visit(id, 'inv_start', 'start')
  for (let again = 0; again < 8 && (await rig.hosted.store.engine.load(id))!.head.turns <= TURNS; again += 1) {
    await worker.work.work.visit(id, `inv_${again}`, 'again')
  }
  worker.hosts.forget(id)
  const reading = vi.spyOn(rig.hosted.store.engine, 'recorded')
  await project.send(key, 'last', 'seen')
  await worker.work.work.visit(id, 'inv_last', 'event')
  expect(await project.end(key)).toEqual({ status: 'completed', result: 'seen' })
  expect(reading.mock.calls.length).toBeGreaterThan(1)
})

it('does not load buffered events again after each turn while more are coming', async () => {
  const COUNT = 40
  const worker = await rig.startWorker({ name: 'second' })
  const project = await rig.newProject({ visitors: { poke: () => Promise.resolve() } })
  const { key, id } = await project.start(`({ run: async (ctx) => {
    const seen = []
    for (let index = 0; index < ${COUNT}; index++) seen.push(await ctx.waitForEvent('a'))
    return seen
  } })`)
  await worker.work.work.visit(id, 'inv_start', 'start')
  const numbers = Array.from({ length: COUNT }, (_, number) => number)
  const left = [...numbers]
  const send = async (count: number): Promise<void> => {
    for (const number of left.splice(0, count)) await project.send(key, 'a', number)
  }
  await send(COUNT / 2)
  const { engine } = rig.hosted.store
  const { commit } = engine
  const loading = vi.spyOn(engine, 'load')
  vi.spyOn(engine, 'commit').mockImplementation(async (...turns) => {
    await send(1)
    return commit(...turns)
  })
  await worker.work.work.visit(id, 'inv_events', 'event')
  expect(await project.end(key)).toEqual({ status: 'completed', result: numbers })
  expect(loading.mock.calls.length).toBeLessThan(COUNT / 4)
})

it('delivers what another wait takes before buffered events that are ready after it', async () => {
  const worker = await rig.startWorker({ name: 'third' })
  const project = await rig.newProject({ visitors: { poke: () => Promise.resolve() } })
  const { key, id } = await project.start(`({ run: async (ctx) => {
    const seen = []
    ctx.waitForEvent('first').then((number) => seen.push(number))
    for (let index = 0; index < 6; index++) seen.push(await ctx.waitForEvent('a'))
    return seen
  } })`)
  await worker.work.work.visit(id, 'inv_start', 'start')
  for (const number of [1, 2, 3, 4, 5, 6]) await project.send(key, 'a', number)
  const { engine } = rig.hosted.store
  const { commit } = engine
  vi.spyOn(engine, 'commit').mockImplementationOnce(async (...turns) => {
    await project.send(key, 'first', 0)
    return commit(...turns)
  })
  await worker.work.work.visit(id, 'inv_events', 'event')
  const { result } = await project.end(key)
  // The second one was awaited before, or at the same moment.
  expect([1, 2]).toContain((result as readonly number[]).indexOf(0))
})

it('fails an Execution whose replay differs from its history, and says what to do', async () => {
  const worker = await rig.startWorker({ name: 'before' })
  const project = await rig.newProject({ visitors: { poke: () => Promise.resolve() } })
  const { key, id } = await project.start('({ run: async (ctx) => ctx.waitForEvent("a") })')
  await worker.work.work.visit(id, 'inv_start', 'start')
  await rig.hosted.sql(`UPDATE artifacts SET code = replace(code, '"a"', '"other"')`)
  const other = await rig.startWorker({ name: 'after' })
  await project.send(key, 'a', 1)
  await other.work.work.visit(id, 'inv_event', 'event')
  expect(await project.end(key)).toMatchObject({
    status: 'failed',
    error: {
      code: 'nondeterminism',
      message: expect.stringMatching(/holds wait for event "a".* asks for wait for event "other".*Start it again/),
    },
  })
})
