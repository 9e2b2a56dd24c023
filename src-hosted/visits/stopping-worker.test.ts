// A worker that is told to stop hands over what it has begun: nothing waits at its address, where nobody answers any more.

import { expect, it, onTestFinished, vi } from 'vitest'
import { readInTurn } from './read-in-turn.ts'
import { createVisitHere } from './visits-here.ts'
import { visitsRig, type ProjectRig } from './visits-rig.test-support.ts'

const rig = visitsRig()

const LOOP = '({ run: async () => { for (;;); } })'

/** None while Restate, which has just started, answers no queries. */
const queryRestate = async (query: string): Promise<readonly unknown[]> => {
  const answer = await fetch(`${rig.restate.adminUrl}/query`, {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  })
  const { rows } = (await answer.json()) as { readonly rows?: readonly unknown[] }
  return rows ?? []
}

/** What Restate has begun and not ended, by worker. */
const unfinished = async (): Promise<Readonly<Record<string, number>>> => {
  const query = `SELECT d.endpoint AS worker, count(*) AS count FROM sys_invocation i
    JOIN sys_deployment d ON d.id = i.pinned_deployment_id WHERE i.status <> 'completed' GROUP BY d.endpoint`
  const rows = (await queryRestate(query)) as readonly { worker: string; count: number }[]
  return Object.fromEntries(rows.map(({ worker, count }) => [new URL(worker).port, count]))
}

const startLoops = async (project: ProjectRig, count: number) => {
  const loops = await Promise.all(Array.from({ length: count }, () => project.start(LOOP, undefined, 'loop')))
  const statuses = async () =>
    (await Promise.all(loops.map(({ key }) => project.outcome(key)))).map((one) => one.status)
  await vi.waitUntil(async () => (await statuses()).includes('running'), { interval: 10 })
  return loops
}

it('hands over endless loops, those that wait behind them, and effects that take too long', async () => {
  let effects = 0
  rig.effects['wait'] = (_input, { signal }) => {
    if ((effects += 1) > 1) return 'elsewhere'
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))))
  }
  const old = await rig.startWorker()
  const project = await rig.newProject()
  const waiting = await project.start('({ run: async (ctx) => ctx.effect("wait") })')
  await project.untilWaiting(waiting.key, 'effect wait')
  const loops = await startLoops(project, 6)
  await vi.waitUntil(() => effects === 1)
  const oldPort = String(old.endpoint.port)
  await vi.waitUntil(async () => (await unfinished())[oldPort]! >= 2)

  const next = await rig.startWorker()
  await old.endpoint.stop(1_500, () => old.work.drain(200))
  await old.stop()
  await vi.waitUntil(async () => (await unfinished())[oldPort] === undefined)

  expect(await project.end(waiting.key)).toEqual({ status: 'completed', result: 'elsewhere' })
  await vi.waitUntil(async () => (await unfinished())[String(next.endpoint.port)])
  await Promise.all(loops.map(({ key }) => project.worker.cancel(key)))
  // A cancel ends no turn: the loops would compute beside the other tests.
  await next.stop()
})

it('hands over an endless loop when it was replaced, and may have it again', async () => {
  const old = await rig.startWorker()
  const project = await rig.newProject()
  const [loop] = await startLoops(project, 1)
  const { key, id } = loop!
  const oldPort = String(old.endpoint.port)
  await vi.waitUntil(async () => (await unfinished())[oldPort] === 1)

  const { endpoint } = await rig.startWorker()
  old.work.handOver()
  await vi.waitUntil(async () => (await unfinished())[oldPort] === undefined)
  await vi.waitUntil(async () => (await unfinished())[String(endpoint.port)])
  expect(await old.work.work.visit(id, 'another', 'sweep')).toEqual({ attempts: [] })
  expect(await project.end(key)).toMatchObject({ status: 'failed', error: { code: 'program_timeout' } })
})

it('hands over visits that wait for a place when it was replaced', async () => {
  const held = Promise.withResolvers<void>()
  onTestFinished(() => held.resolve())
  let turns = 0
  const old = await rig.startWorker({
    wrapHosts: (hosts) => ({
      ...hosts,
      activate: async (...which) => {
        turns += 1
        await held.promise
        return hosts.activate(...which)
      },
    }),
  })
  const project = await rig.newProject()
  const code = '({ run: async () => "done" })'
  const started = await Promise.all(Array.from({ length: 40 }, () => project.start(code, undefined, 'short')))
  const oldPort = String(old.endpoint.port)
  await vi.waitUntil(async () => turns === 32 && (await unfinished())[oldPort] === 40)

  await rig.startWorker()
  old.work.handOver()
  for (const { key } of started) expect(await project.end(key)).toEqual({ status: 'completed', result: 'done' })
  expect(turns).toBe(32)
})

it('hands over effects that wait for a place when it was replaced', async () => {
  rig.effects['charge'] = () => 'charged'
  rig.places = new Promise(() => {})
  const old = await rig.startWorker({ mostAwaited: 1 })
  const project = await rig.newProject()
  const code = '({ run: async (ctx) => ctx.effect("charge") })'
  const started = await Promise.all([1, 2].map(() => project.start(code, undefined, 'paying')))
  // Restate waits for one, and is to ask for the other again.
  const query = `SELECT id FROM sys_invocation WHERE target_service_name = 'Effect' AND status = 'scheduled'`
  const oldPort = String(old.endpoint.port)
  await vi.waitUntil(async () => (await queryRestate(query)).length === 1 && (await unfinished())[oldPort] === 1)

  rig.places = Promise.resolve()
  await rig.startWorker()
  old.work.handOver()
  for (const { key } of started) expect(await project.end(key)).toEqual({ status: 'completed', result: 'charged' })
})

it('hands over visits that wait to be read when it was replaced', async () => {
  const held = Promise.withResolvers<void>()
  onTestFinished(() => held.resolve())
  let reads = 0
  const old = await rig.startWorker({
    wrapEngine: (engine) => {
      const load: typeof engine.load = async (id) => {
        reads += 1
        await held.promise
        return engine.load(id)
      }
      return readInTurn({ ...engine, load }, 1)
    },
  })
  const project = await rig.newProject()
  const code = '({ run: async () => "done" })'
  const started = await Promise.all([1, 2, 3].map(() => project.start(code, undefined, 'short')))
  await vi.waitUntil(async () => reads === 1 && (await unfinished())[String(old.endpoint.port)] === 3)

  await rig.startWorker()
  old.work.handOver()
  const completed = async () => {
    const outcomes = await Promise.all(started.map(({ key }) => project.outcome(key)))
    return outcomes.filter(({ status }) => status === 'completed').length
  }
  await vi.waitUntil(async () => (await completed()) === 2)
  expect(reads).toBe(1)
  held.resolve()
  for (const { key } of started) expect(await project.end(key)).toEqual({ status: 'completed', result: 'done' })
})

it('has all asked for that a visit opened whose process died, which it hands over before it has read it', async () => {
  const held = Promise.withResolvers<void>()
  let isHeld = false
  const { work } = await rig.startWorker({
    wrapEngine: (engine) => {
      const load: typeof engine.load = async (id) => {
        if (isHeld) await held.promise
        return engine.load(id)
      }
      return readInTurn({ ...engine, load }, 1)
    },
  })
  const project = await rig.newProject({ visitors: { poke: () => Promise.resolve() } })
  const code = '({ run: async (ctx) => { await ctx.waitForEvent("go"); return ctx.effect("charge") } })'
  const start = () => project.start(code, undefined, 'charging')
  const [first, { id, key }] = await Promise.all([start(), start()])
  await work.work.visit(id, 'one', 'start')
  await project.send(key, 'go')
  expect((await work.work.visit(id, 'two', 'event')).attempts).toMatchObject([{ attempt: 1 }])
  isHeld = true
  const reading = work.work.visit(first.id, 'three', 'start')
  const again = work.work.visit(id, 'two', 'event') // the answer before has not reached Restate
  await new Promise(setImmediate)
  work.handOver()
  const { attempts, next } = await again
  expect(attempts).toEqual([])
  held.resolve()
  await reading
  expect((await work.work.visit(id, 'four', next!.why)).attempts).toMatchObject([{ attempt: 1 }])
})

it('does not hand over a visit that Restate does not know of when it was replaced', async () => {
  const { work } = await rig.startWorker()
  const project = await rig.newProject({ visitors: { poke: () => Promise.resolve() } })
  const { id, key } = await project.start('({ run: async () => "done" })', undefined, 'short')
  const visited = createVisitHere(work.visitHere, 'one', rig.hosted.store.now)(id, 'timer')
  await new Promise(setImmediate)
  work.handOver() // before it has read the Execution
  expect(await visited).toEqual({ attempts: [] })
  expect(await project.end(key)).toEqual({ status: 'completed', result: 'done' })
})

it('does not count as slow what it handed over before that moved to a host of its own', async () => {
  const move = Promise.withResolvers<void>()
  let turns = 0
  const { work } = await rig.startWorker({
    wrapHosts: (hosts) => ({
      ...hosts,
      activate: async (activation, onAlone) => {
        turns += 1
        await move.promise
        onAlone?.()
        return hosts.activate(activation)
      },
    }),
  })
  const project = await rig.newProject({ visitors: { poke: () => Promise.resolve() } })
  const code = '({ run: async () => "done" })'
  const start = () => project.start(code, undefined, 'short')
  const last = await start()
  const others = await Promise.all([1, 2, 3, 4].map(start))
  const visits = others.map(({ id }) => work.work.visit(id, 'one', 'start'))
  await vi.waitUntil(() => turns === others.length)
  work.handOver()
  for (const { next } of await Promise.all(visits)) expect(next?.why).toBe('again')
  move.resolve()
  expect(await work.work.visit(last.id, 'one', 'start')).toEqual({ attempts: [] })
  expect(await project.end(last.key)).toEqual({ status: 'completed', result: 'done' })
})

it('hands over the timers of the turn that was its last', async () => {
  let isLast = false
  const old = await rig.startWorker({
    wrapHosts: (hosts) => ({
      ...hosts,
      activate: async (...which) => {
        if (isLast) {
          isLast = false
          await rig.startWorker()
          void old.work.drain(0)
        }
        return hosts.activate(...which)
      },
    }),
  })
  const project = await rig.newProject()
  const before = await project.start('({ run: async () => "its host runs" })')
  await project.end(before.key)
  isLast = true
  const { key } = await project.start('({ run: async (ctx) => { await ctx.sleep(1_000); return "woken" } })')
  expect(await project.end(key)).toEqual({ status: 'completed', result: 'woken' })
})
