import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import type { Dispatcher, Visited, Work } from '../dispatch/dispatcher.ts'
import { sweepExecutions } from '../upkeep/sweep.ts'
import { createVisitHere, visitsHereFirst } from './visits-here.ts'
import { visitsRig, type ProjectRig, type WorkerRig } from './visits-rig.test-support.ts'

const DEAD_AFTER_MS = 1_000
const TEN_EFFECTS = `({ run: async (ctx) => {
  let sum = 0
  for (let i = 0; i < 10; i++) sum += await ctx.effect("echo", i)
  return sum
} })`

const rig = visitsRig()
let worker: WorkerRig
let project: ProjectRig
/** What Restate was told. */
let messages: string[]

/** Visits in this process first. */
const visitorsOf = (visit: Work['visit']): Pick<Dispatcher, 'poke'> =>
  visitsHereFirst(createVisitHere(visit, 'first', rig.hosted.store.now), {
    poke: (executionId, why, delayMs = 0) => {
      messages.push(delayMs > 0 ? `${why}, later` : why)
      return rig.dispatcher.poke(executionId, why, delayMs)
    },
    perform: (key, delayMs) => {
      messages.push(`effect ${key.command}`)
      return rig.dispatcher.perform(key, delayMs)
    },
  })

const startFirst = async (): Promise<void> => {
  rig.effects['echo'] = (input) => input
  worker = await rig.startWorker({ name: 'first', hasVisits: true, isAlone: true })
  project = await rig.newProject({ runsAhead: worker, visitors: visitorsOf(worker.work.visitHere) })
}
beforeAll(startFirst)

/** Its next visit waits until what is given to `beforeVisit` has settled. */
const newLateProject = async () => {
  const visitors = visitorsOf(worker.work.visitHere)
  let before = async (_key: number, _id: string): Promise<unknown> => undefined
  const late = await rig.newProject({
    runsAhead: worker,
    visitors: {
      poke: async (id, ...rest) => {
        const act = before
        before = async () => undefined
        await act((await rig.hosted.store.engine.load(id))!.head.key, id)
        return visitors.poke(id, ...rest)
      },
    },
  })
  return { ...late, beforeVisit: (act: typeof before) => void (before = act) }
}

beforeEach(() => {
  messages = []
})

const run = async (code: string, programId?: string) =>
  project.end((await project.start(code, undefined, programId)).key)

it('runs what is short to its end without a message', async () => {
  await run(TEN_EFFECTS, 'ten effects') // how long they take is not known yet
  messages = []
  expect(await run(TEN_EFFECTS, 'ten effects')).toEqual({ status: 'completed', result: 45 })
  const sleeps = '({ run: async (ctx) => { for (let i = 0; i < 10; i++) await ctx.sleep(1); return "done" } })'
  expect(await run(sleeps)).toEqual({ status: 'completed', result: 'done' })
  const { key } = await project.start(
    '({ run: async (ctx) => [await ctx.waitForEvent("a"), await ctx.waitForEvent("b")] })',
  )
  await project.untilWaiting(key, 'event a')
  await project.send(key, 'b', 2)
  await project.send(key, 'a', 1)
  expect(await project.end(key)).toEqual({ status: 'completed', result: [1, 2] })
  const cancelled = await project.start('({ run: async (ctx) => ctx.waitForEvent("never") })')
  await project.untilWaiting(cancelled.key, 'event never')
  await project.worker.cancel(cancelled.key)
  expect(await project.end(cancelled.key)).toEqual({ status: 'cancelled' })
  expect(messages).toEqual([])
})

it('visits thousands of Executions at once without a message, and leaves to Restate what is more than its handlers', async () => {
  const sent: string[] = []
  const visited = Promise.withResolvers<Visited>()
  const visitors = visitsHereFirst(() => visited.promise, {
    poke: async (id) => void sent.push(id),
    perform: () => expect.fail(),
  })
  const asked = Array.from({ length: 4_001 }, (_, index) => visitors.poke(`exe_${index}`, 'cancel'))
  expect(sent).toEqual(['exe_4000'])
  visited.resolve({ attempts: [] })
  await Promise.all(asked)
  expect(sent).toEqual(['exe_4000'])
})

it('stores each turn once and nothing else, and reads nothing back of what it has just stored', async () => {
  await run(TEN_EFFECTS, 'ten effects')
  const loads = vi.spyOn(rig.hosted.store.engine, 'load')
  const round = async () => {
    loads.mockClear()
    const commits = await rig.hosted.transactionsOf(() => run(TEN_EFFECTS, 'ten effects'))
    return { commits, loads: loads.mock.calls.length }
  }
  // PostgreSQL itself may commit statistics meanwhile, and a visit reads again what took long on a busy machine.
  await expect.poll(round, { interval: 0 }).toEqual({ commits: 11, loads: 0 })
  loads.mockRestore()
})

const TWO_EVENTS = '({ run: async (ctx) => [await ctx.waitForEvent("a"), await ctx.waitForEvent("b")] })'

it('reads with an event what the visit needs that follows it', async () => {
  const loads = vi.spyOn(rig.hosted.store.engine, 'load')
  const round = async () => {
    const { key } = await project.start(TWO_EVENTS, undefined, 'two events')
    await project.untilWaiting(key, 'event a')
    loads.mockClear()
    await project.send(key, 'a', 1)
    await project.untilWaiting(key, 'event b')
    await project.send(key, 'b', 2)
    return { end: await project.end(key), loads: loads.mock.calls.length }
  }
  // On a busy machine, a visit may begin too late for what was kept.
  await expect.poll(round, { interval: 0 }).toEqual({ end: { status: 'completed', result: [1, 2] }, loads: 0 })
  loads.mockRestore()
})

it('sees what came between an event and its visit', async () => {
  const late = await newLateProject()
  const runLate = async (meanwhile: (key: number, id: string) => Promise<unknown>) => {
    const { key } = await late.start(TWO_EVENTS, undefined, 'two events')
    await late.untilWaiting(key, 'event a')
    late.beforeVisit(meanwhile)
    await late.send(key, 'a', 1)
    return late.end(key)
  }
  expect(await runLate((key) => late.send(key, 'b', 2))).toEqual({ status: 'completed', result: [1, 2] })
  expect(await runLate((key) => late.worker.cancel(key))).toEqual({ status: 'cancelled' })
  // Another visit has delivered the event before.
  const another = async (key: number, id: string) => {
    await worker.work.visitHere(id, randomUUID(), 'sweep')
    await late.send(key, 'b', 2)
  }
  expect(await runLate(another)).toEqual({ status: 'completed', result: [1, 2] })
})

it('leaves the indexed columns of the row as they are from turn to turn, so that PostgreSQL updates it in place', async () => {
  const seen = new Set<string>()
  rig.effects['look'] = async (id) => {
    const [row] = await rig.hosted.sql<object>(
      'SELECT status, version, wake_at, finished_at, error_group FROM executions WHERE id = $1',
      [id],
    )
    seen.add(JSON.stringify(row))
  }
  const code = '({ run: async (ctx) => { for (let i = 0; i < 10; i++) await ctx.effect("look", ctx.executionId) } })'
  await run(code, 'look')
  const look = async () => {
    seen.clear()
    await run(code, 'look')
    return [...seen]
  }
  // Where a busy machine takes seconds for it, the row is kept for longer.
  await expect.poll(look, { interval: 0 }).toEqual([expect.stringContaining('wake_at')])
})

it('sees what came from outside between the start and its visit', async () => {
  const code = `({ run: async (ctx) => {
    const first = await ctx.effect("echo", 1)
    try { return [first, await ctx.waitForEvent("a", { timeout: 5_000 })] } catch (error) { return [first, error.name] }
  } })`
  const late = await newLateProject()
  const runLate = async () => late.end((await late.start(code, undefined, 'outside')).key)
  late.beforeVisit((key) => late.send(key, 'a', 'came early'))
  expect(await runLate()).toEqual({ status: 'completed', result: [1, 'came early'] })
  for (const _ of [1, 2]) {
    late.beforeVisit((key) => late.worker.cancel(key))
    expect(await runLate()).toMatchObject({ status: 'cancelled' })
  }
})

it('leaves to Restate what takes longer', async () => {
  rig.effects['slow'] = () => new Promise((resolve) => setTimeout(resolve, 300, 'slow'))
  const code = `({ run: async (ctx) => {
    const first = await ctx.effect("slow", 1)
    await ctx.sleep(300)
    return [first, await ctx.effect("echo", 2)]
  } })`
  expect(await run(code)).toEqual({ status: 'completed', result: ['slow', 2] })
  expect(messages).toEqual(['effect 1'])
  messages = []
  const { key } = await project.start('({ run: async (ctx) => { await ctx.waitForEvent("a"); await ctx.sleep(300) } })')
  await project.untilWaiting(key, 'event a')
  await project.send(key, 'a')
  expect(await project.end(key)).toEqual({ status: 'completed' })
  expect(messages).toEqual(['timer, later'])
})

it('asks Restate once for each effect, however many visits come while it runs', async () => {
  const ends: (() => void)[] = []
  rig.effects['long'] = () => new Promise<void>((resolve) => ends.push(resolve))
  const { key } = await project.start(`({ run: async (ctx) => {
    const all = [ctx.effect("long", 0)]
    for (const name of ["a", "b"]) { await ctx.waitForEvent(name); all.push(ctx.effect("long", name)) }
    for (const name of ["c", "d"]) await ctx.waitForEvent(name)
    await Promise.all(all)
  } })`)
  const wakesIn = async () =>
    (await rig.hosted.sql<{ ms: number }>('SELECT wake_at - wes_now() AS ms FROM executions WHERE key = $1', [key]))[0]!
      .ms
  for (const [index, name] of ['a', 'b'].entries()) {
    await vi.waitUntil(() => ends.length === index + 1)
    await project.send(key, name)
  }
  await vi.waitUntil(() => ends.length === 3)
  // The one that was opened last is looked for soon, in case this process has died before it asked.
  expect(await wakesIn()).toBeLessThan(10_001)
  await project.send(key, 'c')
  await vi.waitUntil(async () => (await wakesIn()) > 30_000)
  expect(messages).toEqual(['effect 1', 'effect 3', 'effect 5'])
  for (const end of ends) end()
  await project.send(key, 'd')
  expect(await project.end(key)).toEqual({ status: 'completed' })
})

it('asks for an effect of which Restate was not told, because the process that had opened it died', async () => {
  rig.effects['untold'] = () => 'told'
  const visitHere = createVisitHere(worker.work.visitHere, 'first', rig.hosted.store.now)
  let visitors: Pick<Dispatcher, 'poke'> = { poke: async (id, why) => void (await visitHere(id, why)) }
  const dying = await rig.newProject({ visitors: { poke: (...poked) => visitors.poke(...poked) } })
  const { key } = await dying.start(`({ run: async (ctx) => {
    await ctx.waitForEvent("a")
    const effect = ctx.effect("untold")
    await ctx.waitForEvent("b")
    return effect
  } })`)
  await dying.untilWaiting(key, 'event a')
  await dying.send(key, 'a')
  await dying.untilWaiting(key, 'effect untold, event b')
  visitors = rig.dispatcher
  await dying.send(key, 'b')
  expect(await dying.end(key)).toEqual({ status: 'completed', result: 'told' })
})

it('asks for an effect of the start until a process has asked that still lives', async () => {
  const quiet = await rig.newProject({ runsAhead: worker, visitors: { poke: async () => {} } })
  const { key, id } = await quiet.start(`({ run: async (ctx) => {
    void ctx.effect("untold")
    for (;;) await ctx.waitForEvent("a")
  } })`)
  const asked: number[] = []
  for (const process of ['dies', 'dies too', 'lives']) {
    const visitHere = createVisitHere(worker.work.visitHere, process, rig.hosted.store.now)
    await quiet.send(key, 'a')
    asked.push((await visitHere(id, 'timer')).attempts.length)
    if (process !== 'lives') continue
    await quiet.send(key, 'a')
    asked.push((await visitHere(id, 'timer')).attempts.length)
  }
  expect(asked).toEqual([1, 1, 1, 0])
})

it('asks for an effect that a visit of Restate had opened, although another visit came before that one is done again', async () => {
  const quiet = await rig.newProject({ visitors: { poke: async () => {} } })
  const { key, id } = await quiet.start(`({ run: async (ctx) => {
    const effect = ctx.effect("untold")
    await ctx.waitForEvent("a")
    return effect
  } })`)
  const { work, visitHere } = worker.work
  const opened = await work.visit(id, 'inv_1', 'event')
  const openedBy = rig.hosted.store.now()
  expect(opened.attempts).toEqual([expect.objectContaining({ command: 1 })])
  // Its worker dies before it asks. Another one finds a timer meanwhile.
  await quiet.send(key, 'b')
  await quiet.send(key, 'a')
  await createVisitHere(visitHere, 'first', () => openedBy)(id, 'timer')
  expect(await work.visit(id, 'inv_1', 'event')).toEqual(opened)
})

it('asks once for an effect that has not begun, however many events come', async () => {
  const visitHere = createVisitHere(worker.work.visitHere, 'first', rig.hosted.store.now)
  const asked: number[] = []
  const silent = await rig.newProject({
    visitors: { poke: async (id, why) => void asked.push((await visitHere(id, why)).attempts.length) },
  })
  const { key } = await silent.start(`({ run: async (ctx) => {
    await ctx.waitForEvent("a")
    void ctx.effect("not begun")
    for (;;) await ctx.waitForEvent("a")
  } })`)
  for (let visits = 1; visits <= 5; visits += 1) {
    await vi.waitUntil(() => asked.length === visits)
    await silent.send(key, 'a')
  }
  await vi.waitUntil(() => asked.length === 6)
  expect(asked).toEqual([0, 1, 0, 0, 0, 0])
})

it('asks Restate where it cannot visit by itself', async () => {
  const failing = visitorsOf(() => Promise.reject(new Error('no')))
  const other = await rig.newProject({ visitors: failing })
  const { key } = await other.start(TEN_EFFECTS)
  expect(await other.end(key)).toEqual({ status: 'completed', result: 45 })
  expect(messages).toEqual(['sweep'])
})

/** Most of them are short enough on a busy machine too, so that the next visit performs the effect by itself. */
const SHORT_ONES = 5

it('is found by the sweeper soon after its process has died', async () => {
  const begun = vi.fn<() => void>()
  rig.effects['hang'] = (_input, { attempt, signal }) => {
    begun()
    if (attempt > 1 || begun.mock.calls.length !== SHORT_ONES + 1) return 'done'
    return new Promise((resolve) => signal.addEventListener('abort', resolve))
  }
  const code = '({ run: async (ctx) => ctx.effect("hang", 1) })'
  for (let runs = 0; runs < SHORT_ONES; runs += 1) await run(code, 'hang')
  messages = []
  const { key } = await project.start(code, undefined, 'hang')
  await vi.waitUntil(() => begun.mock.calls.length > SHORT_ONES)
  const row = async () => {
    const [found] = await rig.hosted.sql<{ wakes_in: number; performer: string }>(
      `SELECT e.wake_at - wes_now() AS wakes_in, p.performer FROM executions e JOIN pending p ON p.execution = e.key
       WHERE e.key = $1`,
      [key],
    )
    return found
  }
  const taken = await vi.waitUntil(async () => ((await row())?.performer === 'first' ? row() : undefined))
  expect(taken.wakes_in).toBeLessThanOrEqual(10_000)
  expect(messages).toEqual([])

  // As if the process were gone: it does not confirm that it performs the attempt, another one serves Restate, and the row
  // is overdue.
  await rig.hosted.sql(`UPDATE pending SET performer = 'gone' WHERE execution = $1`, [key])
  await rig.startWorker({ name: 'second', deadAfterMs: DEAD_AFTER_MS })
  onTestFinished(startFirst)
  await rig.hosted.sql('UPDATE executions SET wake_at = wes_now() - 60000 WHERE key = $1', [key])
  await sweepExecutions(rig.hosted.store.engine, { ...rig.dispatcher, isAway: false })
  expect(await project.end(key)).toEqual({ status: 'completed', result: 'done' })
})
