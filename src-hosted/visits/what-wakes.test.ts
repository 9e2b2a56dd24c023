// What wakes an Execution whose messages come late, early or never.

import { beforeAll, expect, it, vi } from 'vitest'
import { visitsRig, type ProjectRig, type WorkerRig } from './visits-rig.test-support.ts'

const rig = visitsRig()
let worker: WorkerRig
let project: ProjectRig

beforeAll(async () => {
  worker = await rig.startWorker({ name: 'first' })
  // No message arrives: the tests visit.
  project = await rig.newProject({ visitors: { poke: () => Promise.resolve() } })
})

const rowOf = async (key: number) =>
  (
    await rig.hosted.sql<{ wake_at: number | null; now: number; due: number | null }>(
      `SELECT wake_at, wes_now() AS now, (SELECT min(due_at) FROM pending WHERE execution = ${key}) AS due
       FROM executions WHERE key = ${key}`,
    )
  )[0]!

it('what lies ready after a turn, as a buffered event, in case the process dies before it is delivered', async () => {
  const { key, id } = await project.start(`({ run: async (ctx) => {
    await ctx.waitForEvent('go')
    return [await ctx.waitForEvent('item'), await ctx.waitForEvent('item'), await ctx.waitForEvent('none')]
  } })`)
  await worker.work.work.visit(id, 'inv_1', 'start')
  for (const payload of [1, 2]) await project.send(key, 'item', payload)
  await project.send(key, 'go')
  const { engine } = rig.hosted.store
  const { commit } = engine
  const left: (number | null)[] = []
  const spy = vi.spyOn(engine, 'commit').mockImplementation(async (...commits) => {
    const committed = await commit(...commits)
    const { wake_at: at, now } = await rowOf(key)
    left.push(at === null ? null : at - now)
    return committed
  })
  await worker.work.work.visit(id, 'inv_2', 'event')
  spy.mockRestore()
  // Two items are left, then one, then none.
  expect(left).toEqual([expect.any(Number), expect.any(Number), null])
  for (const ms of left.slice(0, 2)) expect(ms).toBeGreaterThan(30_000)
})

it('a timer whose message comes a little too early', async () => {
  const { key, id } = await project.start('({ run: async (ctx) => { await ctx.sleep(1_500); return 1 } })')
  await worker.work.work.visit(id, 'inv_1', 'start')
  const { due, now } = await rowOf(key)
  await new Promise((resolve) => setTimeout(resolve, due! - now - 300))
  expect(await worker.work.work.visit(id, 'inv_2', 'timer')).toEqual({ attempts: [] })
  expect(await project.end(key)).toEqual({ status: 'completed', result: 1 })
})

it('an event, while the visit of such a message waits for the timer', async () => {
  const once = async () => {
    const { key, id } = await project.start(
      '({ run: async (ctx) => Promise.race([ctx.sleep(1_500), ctx.waitForEvent("go")]) })',
    )
    await worker.work.work.visit(id, 'inv_1', 'start')
    const { due, now } = await rowOf(key)
    await new Promise((resolve) => setTimeout(resolve, due! - now - 900))
    const visited = worker.work.work.visit(id, 'inv_2', 'timer')
    await project.send(key, 'go', 'came')
    await visited
    return project.end(key)
  }
  // On a busy machine the event may come after the timer.
  await expect.poll(once, { interval: 0 }).toEqual({ status: 'completed', result: 'came' })
})

it('visits and sweeps send no message for what runs here, nor for a timer that workers find', async () => {
  const ends: (() => void)[] = []
  rig.effects['long'] = () => new Promise<void>((resolve) => ends.push(resolve))
  const { key, id } = await project.start(
    '({ run: async (ctx) => { await Promise.race([ctx.effect("long", 1), ctx.sleep("30 days")]); return 1 } })',
  )
  const { attempts, next } = await worker.work.work.visit(id, 'inv_1', 'start')
  expect([attempts, next]).toEqual([[expect.objectContaining({ command: 1 })], undefined])
  const performed = worker.work.work.perform({ executionId: id, command: 1, attempt: 1 }, 'inv_perform')
  await vi.waitUntil(() => ends.length === 1)
  expect(await worker.work.work.visit(id, 'inv_2', 'sweep')).toEqual({ attempts: [] })
  ends[0]!()
  expect(await performed).toEqual({ kind: 'poke' })
  await worker.work.work.visit(id, 'inv_5', 'effect')
  expect(await project.end(key)).toEqual({ status: 'completed', result: 1 })
})

it.each([
  ['timers that follow each other', 'for (;;) await ctx.sleep("30 s")', 'timer'],
  [
    'timers that began together',
    'for (let n = 1; n < 9; n += 1) ctx.sleep(n * 30_000); await ctx.waitForEvent("none")',
    'timer',
  ],
  ['events', 'for (;;) await ctx.waitForEvent("item")', 'event'],
] as const)('%s, as often as a lease ends, in case the message about an effect was lost', async (_what, loop, why) => {
  const { key, id } = await project.start(`({ run: async (ctx) => { ctx.effect("lost", 1); ${loop} } })`)
  expect(await worker.work.work.visit(id, 'inv_1', 'start')).toMatchObject({ attempts: [{ command: 1 }] })
  const later = async (ms: number): Promise<void> => {
    await rig.hosted.sql('UPDATE pending SET since = since - $1, due_at = due_at - $1', [ms])
    await rig.hosted.sql('UPDATE journal SET at = at - $1', [ms])
  }
  const asked: number[] = []
  for (let n = 2; n <= 6; n += 1) {
    await later(31_000)
    if (why === 'event') await project.send(key, 'item')
    const { attempts } = await worker.work.work.visit(id, `inv_${n}`, why)
    asked.push(attempts.length)
  }
  expect(asked).toEqual([0, 1, 0, 1, 0])
})
