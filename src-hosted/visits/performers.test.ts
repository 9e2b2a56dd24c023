import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { visitsRig, type ProjectRig, type WorkerRig } from './visits-rig.test-support.ts'

const DEAD_AFTER_MS = 2_500
const LONG_MS = 30_000

const rig = visitsRig()
let worker: WorkerRig
let project: ProjectRig

/** The worker that was started last gets what is new. */
beforeEach(async () => {
  rig.effects['echo'] = (input) => input
  worker = await rig.startWorker({ name: 'first', deadAfterMs: DEAD_AFTER_MS })
  project = await rig.newProject()
})

/** An effect that ends when it is told to. */
const held = () => {
  const calls: { readonly attempt: number; readonly end: (result: unknown) => void }[] = []
  return {
    calls,
    effect: (_input: unknown, { attempt }: { readonly attempt: number }) =>
      new Promise((resolve) => calls.push({ attempt, end: resolve })),
    begun: (count: number) => vi.waitUntil(() => calls.length >= count, { interval: 5 }),
  }
}

const pending = async (key: number) =>
  (
    await rig.hosted.sql<{ performer: string | null; deaths: number | null; attempt: number }>(
      'SELECT performer, deaths, attempt FROM pending WHERE execution = $1',
      [key],
    )
  )[0]

const CALL = (name: string, options = '{}') => `({ run: async (ctx) => ctx.effect("${name}", 1, ${options}) })`

it('performs an attempt once, though Restate asks another worker for it while the first one performs it', async () => {
  const { calls, effect, begun } = held()
  rig.effects['once'] = effect
  const { key, id } = await project.start(CALL('once'))
  await begun(1)
  const other = await rig.startWorker({ name: 'second', deadAfterMs: DEAD_AFTER_MS })
  const from = performance.now()
  const asked: string[] = []
  const ask = async () => {
    asked.push((await other.work.work.perform({ executionId: id, command: 1, attempt: 1 }, 'inv_perform')).kind)
    return performance.now() - from > 2 * DEAD_AFTER_MS
  }
  await vi.waitUntil(ask, { timeout: LONG_MS, interval: 200 })
  // One message goes on, and those that come besides do not.
  expect(asked[0]).toBe('again')
  expect(asked.every((kind) => kind === 'again' || kind === 'nothing')).toBe(true)
  expect(await pending(key)).toMatchObject({ performer: 'first', deaths: null })
  calls[0]!.end('done')
  expect(await project.end(key)).toEqual({ status: 'completed', result: 'done' })
  expect(calls.length).toBe(1)
})

it('performs the attempt of a dead worker again, alone after its second death, and fails it after the third', async () => {
  const { effect, calls, begun } = held()
  rig.effects['kills'] = effect
  const { key, id } = await project.start(
    `({ run: async (ctx) => { try { await ctx.effect("kills", 1, { retry: { maxAttempts: 1 } }) } catch (error) { return error.code } } })`,
  )
  await begun(1)
  const attempt = { executionId: id, command: 1, attempt: 1 }
  const { engine } = rig.hosted.store
  for (const [name, deaths] of [
    ['w1', 1],
    ['w2', 2],
    ['w3', 3],
  ] as const) {
    expect(await engine.takeAttempt(attempt, name, 0)).toMatchObject({ kind: 'taken', effect: { deaths } })
    await engine.noteUnderWay(attempt, name, true)
  }
  await engine.letGo(attempt, 'w3')
  const other = await rig.startWorker({ name: 'heir', deadAfterMs: 0 })
  await other.work.work.perform(attempt, 'inv_perform')
  await rig.dispatcher.poke(id, 'effect')
  expect(await project.end(key)).toEqual({ status: 'completed', result: 'runtime_died' })
  expect(calls.length).toBe(1)
  calls[0]!.end('too late') // its worker cannot stop before
})

it('counts no death but the first of workers in which the attempt waited, and one of a worker in which it had begun', async () => {
  const { effect, calls, begun } = held()
  rig.effects['innocent'] = effect
  const place = Promise.withResolvers<void>()
  rig.places = place.promise
  const { key, id } = await project.start(CALL('innocent'))
  const attempt = { executionId: id, command: 1, attempt: 1 }
  await vi.waitUntil(async () => (await pending(key))?.performer === 'first', { interval: 10 })
  const { engine } = rig.hosted.store
  for (const name of ['w1', 'w2', 'w3', 'w4', 'w5']) {
    expect(await engine.takeAttempt(attempt, name, 0)).toMatchObject({ kind: 'taken', effect: { deaths: 1 } })
  }
  const waits = await rig.startWorker({ name: 'waits', deadAfterMs: 0 })
  const waiting = waits.work.work.perform(attempt, 'inv_perform')
  await vi.waitUntil(async () => (await pending(key))?.performer === 'waits', { interval: 10 })
  const other = await rig.startWorker({ name: 'begins', deadAfterMs: 0 })
  const beginning = other.work.work.perform(attempt, 'inv_perform')
  await vi.waitUntil(async () => (await pending(key))?.performer === 'begins', { interval: 10 })
  place.resolve()
  await begun(3)
  expect(await engine.takeAttempt(attempt, 'next', 0)).toMatchObject({ kind: 'taken', effect: { deaths: 2 } })
  for (const call of calls) call.end('done')
  await Promise.all([waiting, beginning])
  await rig.dispatcher.poke(id, 'effect')
  expect(await project.end(key)).toEqual({ status: 'completed', result: 'done' })
})

it('knows who performs an effect that a visit begins by itself', async () => {
  const { effect, calls, begun } = held()
  let isHeld = false
  rig.effects['short'] = (input, call) => (isHeld ? effect(input, call) : input)
  const code = CALL('short')
  // It finds that the effect is short.
  for (const _ of [1, 2]) await project.end((await project.start(code, undefined, 'short')).key)
  isHeld = true
  const { key } = await project.start(code, undefined, 'short')
  await begun(1)
  expect(await pending(key)).toMatchObject({ performer: 'first' })
  calls[0]!.end('done')
  expect(await project.end(key)).toEqual({ status: 'completed', result: 'done' })
})

const lockOut = async (): Promise<void> => {
  await rig.hosted.sql('ALTER ROLE wes_server NOLOGIN')
  await rig.hosted.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'wes_server'`)
}

const letIn = async (): Promise<void> => {
  let failures = 0
  const hasFailed = async () => {
    await rig.hosted.store.workspaces.find('none').catch(() => (failures += 1))
    return failures > 5
  }
  await vi.waitUntil(hasFailed, { timeout: LONG_MS, interval: 100 })
  await rig.hosted.sql('ALTER ROLE wes_server LOGIN')
}

it.each(['echoes', 'echoes shortly'])(
  'keeps the outcome of an effect that %s while the database is away',
  async (name) => {
    let isLast = false
    const calls: number[] = []
    rig.effects[name] = async (input, { attempt }) => {
      if (!isLast) return input
      calls.push(attempt)
      await lockOut()
      return 'kept'
    }
    if (name === 'echoes shortly') {
      for (const _ of [1, 2]) await project.end((await project.start(CALL(name), undefined, name)).key)
    }
    isLast = true
    const { key } = await project.start(CALL(name), undefined, name)
    await vi.waitUntil(() => calls.length > 0, { interval: 5 })
    await letIn()
    expect(await project.end(key)).toEqual({ status: 'completed', result: 'kept' })
    expect(calls).toEqual([1])
  },
)

it('asks for the next attempt when Restate asks again for the one before', async () => {
  let failures = 1
  const { effect, begun, calls } = held()
  rig.effects['second'] = (input, call) => {
    if (failures-- > 0) throw new Error('no')
    return effect(input, call)
  }
  const { key, id } = await project.start(CALL('second', '{ retry: { initialInterval: "1h", maxInterval: "1h" } }'))
  await vi.waitUntil(async () => (await pending(key))?.attempt === 2, { interval: 10 })
  const failed = { executionId: id, command: 1, attempt: 1 }
  // This worker has asked for it already.
  expect(await worker.work.work.perform(failed, 'inv_perform')).toEqual({ kind: 'nothing' })
  const other = await rig.startWorker({ name: 'second', deadAfterMs: DEAD_AFTER_MS })
  expect(await other.work.work.perform(failed, 'inv_perform')).toMatchObject({ kind: 'again', attempt: 2 })
  await project.worker.actEarly(key, 'retry', 1)
  await begun(1)
  calls[0]!.end(2)
  expect(await project.end(key)).toEqual({ status: 'completed', result: 2 })
})

it('asks for an effect that failed very often without reading all of its failures', async () => {
  rig.effects['fails'] = () => Promise.reject(new Error('no'))
  const { key, id } = await project.start(CALL('fails', '{ retry: { initialInterval: "1h", maxInterval: "1h" } }'))
  await vi.waitUntil(async () => (await pending(key))?.attempt === 2, { interval: 10 })
  // As if it had been due for an hour.
  await rig.hosted.sql('UPDATE pending SET since = since - 7200000, due_at = due_at - 7200000 WHERE execution = $1', [
    key,
  ])
  const reads = vi.spyOn(rig.hosted.store.engine, 'lastTurnAt')
  onTestFinished(() => reads.mockRestore())
  const { attempts } = await worker.work.work.visit(id, 'inv_visit', 'sweep')
  expect(attempts).toMatchObject([{ command: 1, attempt: 2 }])
  expect(reads).not.toHaveBeenCalled()
})
