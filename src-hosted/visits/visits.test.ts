import pino from 'pino'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import type { ProgramHosts } from '../../src-runtime/sandbox/program-hosts.ts'
import type { EngineStore } from '../store/store.ts'
import { sweepExecutions } from '../upkeep/sweep.ts'
import { endLongPauses } from './end-long-pauses.ts'
import { SHORT_TURN_MS } from './first-turns.ts'
import { visitsRig, type ProjectRig, type WorkerRig } from './visits-rig.test-support.ts'

const rig = visitsRig()
let worker: WorkerRig
let project: ProjectRig

beforeAll(async () => {
  rig.effects['echo'] = (input) => input
  worker = await rig.startWorker()
  project = await rig.newProject()
})

const run = async (code: string, input?: unknown) => project.end((await project.start(code, input)).key)

const types = async (key: number): Promise<readonly string[]> => (await project.history(key)).map(({ type }) => type)

describe('an Execution', () => {
  it('completes, fails with what the Program threw, and logs', async () => {
    expect(await run('({ run: async (ctx, input) => input })', { n: 1 })).toEqual({
      status: 'completed',
      result: { n: 1 },
    })
    expect(await run('({ run: async () => { throw new TypeError("no") } })')).toMatchObject({
      status: 'failed',
      error: { code: 'program_error', name: 'TypeError', message: 'no' },
    })
    const { key } = await project.start('({ run: async (ctx) => { ctx.log.info("here"); await ctx.sleep(1) } })')
    await project.end(key)
    expect(await types(key)).toEqual([
      'execution_started',
      'log',
      'timer_scheduled',
      'timer_fired',
      'execution_completed',
    ])
  })

  it('sleeps, and wakes up at that time', async () => {
    const code = '({ run: async (ctx) => { const from = Date.now(); await ctx.sleep(300); return Date.now() - from } })'
    const ended = await run(code)
    expect(ended.status).toBe('completed')
    expect(ended.result).toBeGreaterThanOrEqual(300)
    expect(ended.result).toBeLessThan(3_000)
  })

  it('takes events in the order in which they were accepted, buffered or not', async () => {
    const code = `({ run: async (ctx) => {
      const first = await ctx.waitForEvent("a")
      await ctx.sleep(50)
      return [first, await ctx.waitForEvent("a"), await ctx.waitForEvent("a")]
    } })`
    const { key } = await project.start(code)
    for (const n of [1, 2, 3]) await project.send(key, 'a', n)
    expect(await project.end(key)).toEqual({ status: 'completed', result: [1, 2, 3] })
  })

  it('times out of a wait, and lets an event win that came before', async () => {
    const code = `({ run: async (ctx) => {
      try { return await ctx.waitForEvent("a", { timeout: 200 }) } catch (error) { return error.name }
    } })`
    const late = await project.start(code)
    const inTime = await project.start(code)
    await project.send(inTime.key, 'a', 'in time')
    expect(await project.end(late.key)).toEqual({ status: 'completed', result: 'TimeoutError' })
    expect(await project.end(inTime.key)).toEqual({ status: 'completed', result: 'in time' })
  })

  it('runs to its end through hundreds of turns', async () => {
    const code = '({ run: async (ctx) => { for (let i = 0; i < 300; i++) await ctx.sleep(0); return "done" } })'
    expect(await run(code)).toEqual({ status: 'completed', result: 'done' })
  })

  it('shows that it runs when a turn takes long, and moves away from others', async () => {
    const code = '({ run: async () => { let n = 0; while (n < 3e7) n++; return n } })'
    const { key } = await project.start(code)
    await vi.waitUntil(async () => (await project.outcome(key)).status === 'running', { interval: 5 })
    expect(await run('({ run: async () => 1 })')).toEqual({ status: 'completed', result: 1 })
    expect(await project.end(key)).toEqual({ status: 'completed', result: 3e7 })
  })
})

describe('a cancel', () => {
  it('ends a queued Execution, and lets one that runs clean up', async () => {
    const code = `({ run: async (ctx) => {
      try { await ctx.sleep("1h") } catch (error) { return void (await ctx.effect("echo", 1)) }
    } })`
    const { key } = await project.start(code)
    await project.untilWaiting(key, 'timer')
    expect(await project.worker.cancel(key)).toEqual({ kind: 'accepted', status: 'cancelling' })
    expect(await project.end(key)).toEqual({ status: 'cancelled' })
    expect(await types(key)).toEqual([
      'execution_started',
      'timer_scheduled',
      'cancel_requested',
      'effect_scheduled',
      'effect_completed',
      'execution_cancelled',
    ])
    expect(await project.worker.cancel(key)).toEqual({ kind: 'accepted', status: 'cancelled' })
  })

  it('aborts an effect that runs, and ignores what comes of it', async () => {
    const aborted = vi.fn<() => void>()
    const begun = vi.fn<() => void>()
    rig.effects['hang'] = (_input, { signal }) =>
      new Promise((resolve) => {
        begun()
        signal.addEventListener('abort', () => {
          aborted()
          resolve('late')
        })
      })
    const { key } = await project.start('({ run: async (ctx) => ctx.effect("hang", null) })')
    await vi.waitUntil(() => begun.mock.calls.length > 0)
    await project.worker.cancel(key)
    expect(await project.end(key)).toEqual({ status: 'cancelled' })
    await vi.waitUntil(() => aborted.mock.calls.length === 1)
  })

  it('ends an Execution whose clean-up takes too long', async () => {
    const patient = await rig.startWorker({ cancelGraceMs: 300 })
    const code = `({ run: async (ctx) => {
      try { await ctx.sleep("1h") } catch { await ctx.waitForEvent("never") }
    } })`
    const { key } = await project.start(code)
    await project.untilWaiting(key, 'timer')
    await project.worker.cancel(key)
    await project.untilWaiting(key, 'event never')
    expect(await project.end(key)).toEqual({ status: 'cancelled' })
    await patient.stop()
    worker = await rig.startWorker()
  })
})

describe('an effect', () => {
  it('is tried again by its policy, with the same key, and fails for good at the end', async () => {
    const calls: [number, string][] = []
    rig.effects['refuse'] = (_input, { attempt, idempotencyKey }) => {
      calls.push([attempt, idempotencyKey])
      throw new Error(`no ${attempt}`)
    }
    const code = `({ run: async (ctx) => {
      try { await ctx.effect("refuse", 1, { retry: { maxAttempts: 3, initialInterval: 5 } }) } catch (error) { return [error.name, error.message] }
    } })`
    const { key, id } = await project.start(code)
    expect(await project.end(key)).toEqual({ status: 'completed', result: ['EffectError', 'no 3'] })
    expect(calls).toEqual([1, 2, 3].map((attempt) => [attempt, `${id}/1`]))
    expect(await types(key)).toEqual([
      'execution_started',
      'effect_scheduled',
      'effect_attempt_failed',
      'effect_attempt_failed',
      'effect_failed',
      'execution_completed',
    ])
  })

  it('is tried again at once when a user asks for it', async () => {
    rig.effects['once'] = (_input, { attempt }) => {
      if (attempt === 1) throw new Error('no')
      return attempt
    }
    const retry = '{ retry: { initialInterval: "1h", maxInterval: "1h" } }'
    const { key } = await project.start(`({ run: async (ctx) => ctx.effect("once", 1, ${retry}) })`)
    await vi.waitUntil(async () => (await types(key)).includes('effect_attempt_failed'))
    expect(await project.worker.actEarly(key, 'retry', 1)).toEqual({ kind: 'accepted' })
    expect(await project.end(key)).toEqual({ status: 'completed', result: 2 })
    expect((await project.history(key)).find(({ type }) => type === 'effect_completed')?.data).toContain('"early":true')
  })

  it('is tried again once its pause is longer than its policy allows, because the clock was set back', async () => {
    rig.effects['backs off'] = (_input, { attempt }) => {
      if (attempt === 1) throw new Error('no')
      return attempt
    }
    const { store, sql } = rig.hosted
    const retry = '{ retry: { initialInterval: "1h", maxInterval: "1h" } }'
    const start = async () => {
      const { key } = await project.start(`({ run: async (ctx) => ctx.effect("backs off", 1, ${retry}) })`)
      await vi.waitUntil(async () => (await types(key)).includes('effect_attempt_failed'))
      return key
    }
    const [onTime, late] = [await start(), await start()]
    await sql('UPDATE pending SET due_at = due_at + 60000 WHERE execution = $1', [late])
    await endLongPauses(store.engine, rig.dispatcher, () => false)
    expect(await project.end(late)).toEqual({ status: 'completed', result: 2 })
    expect(await types(onTime)).toEqual(['execution_started', 'effect_scheduled', 'effect_attempt_failed'])
  })

  it('has all of its log in the history before its outcome', async () => {
    rig.effects['talk'] = async (_input, { onLog }) => {
      for (let line = 0; line < 40; line += 1) {
        onLog({ level: 'info', message: `${line}` })
        await new Promise((resolve) => setImmediate(resolve))
      }
    }
    const { key } = await project.start('({ run: (ctx) => ctx.effect("talk", 1) })')
    await project.end(key)
    const entries = await project.history(key)
    expect(entries.map(({ type }) => type)).toEqual([
      'execution_started',
      'effect_scheduled',
      ...Array.from({ length: 40 }, () => 'log'),
      'effect_completed',
      'execution_completed',
    ])
    expect(JSON.parse(entries[41]?.data ?? '{}')).toEqual({ level: 'info', message: '39' })
  })

  it('runs beside many others, and all are awaited', async () => {
    const code = `({ run: async (ctx) => {
      const all = await Promise.all(Array.from({ length: 60 }, (_, n) => ctx.effect("echo", n)))
      return all.reduce((sum, n) => sum + n, 0)
    } })`
    expect(await run(code)).toEqual({ status: 'completed', result: 1_770 })
  })
})

describe('a start whose first turn runs ahead', () => {
  let ahead: ProjectRig
  beforeAll(async () => {
    ahead = await rig.newProject({ runsAhead: worker })
  })

  it('has ended when it is acknowledged, where nothing is awaited', async () => {
    const start = async () => {
      const { key } = await ahead.start('({ run: async (ctx, input) => input })', 'quick')
      return ahead.outcome(key)
    }
    // On a busy machine, a first turn is not short each time.
    await expect.poll(start, { interval: 0 }).toMatchObject({ status: 'completed', result: '{"result":"quick"}' })
  })

  it('goes on with effects, timers and events', async () => {
    const code = `({ run: async (ctx) => {
      const a = await ctx.effect("echo", 1)
      await ctx.sleep(30)
      return [a, await ctx.waitForEvent("go"), await ctx.effect("echo", 2)]
    } })`
    const { key } = await ahead.start(code)
    await ahead.untilWaiting(key, 'event go')
    await ahead.send(key, 'go', 'gone')
    expect(await ahead.end(key)).toEqual({ status: 'completed', result: [1, 'gone', 2] })
    const { key: sleeping } = await ahead.start('({ run: async (ctx) => { await ctx.sleep(50); return 1 } })')
    expect(await ahead.end(sleeping)).toEqual({ status: 'completed', result: 1 })
  })

  it('is left to the visits of its process until those have shown that it is short', async () => {
    const home = await rig.startWorker({ name: 'home', hasVisits: true })
    const both = await rig.newProject({ runsAhead: home })
    // The first turn of all waits for the Program host to start.
    await both.end((await both.start('({ run: async () => 0 })')).key)
    const start = async () => {
      const { key, status } = await both.start('({ run: async () => 1 })', undefined, 'same')
      await both.end(key)
      return status
    }
    expect(await start()).toBe('queued')
    // On a busy machine, a first turn is not short each time.
    await vi.waitUntil(async () => (await start()) === 'completed', { interval: 0 })
  })

  it('is left to the workers where it takes too long', async () => {
    const code = '({ run: async () => { let n = 0; while (n < 1e7) n++; return n } })'
    const { key } = await ahead.start(code)
    expect((await ahead.outcome(key)).status).toBe('queued')
    expect(await ahead.end(key)).toEqual({ status: 'completed', result: 1e7 })
    const history = await ahead.history(key)
    expect(history.map(({ type }) => type)).toEqual(['execution_started', 'execution_completed'])
  })
})

describe('a first turn that is not in time for its start', () => {
  /** Its hosts run nothing until it is free. `calls`: what they were told. */
  const startBusy = async (options: { readonly name: string; readonly hasVisits: boolean }, computeMs = 1) => {
    const calls: string[] = []
    let free = Promise.withResolvers<void>()
    free.resolve()
    const wrapHosts = (hosts: ProgramHosts): ProgramHosts => ({
      ...hosts,
      activate: async (...turns) => {
        calls.push(`activate ${turns[0].executionId}`)
        await free.promise
        return { ...(await hosts.activate(...turns)), computeMs }
      },
      forget: (executionId) => {
        calls.push(`forget ${executionId}`)
        hosts.forget(executionId)
      },
    })
    const worker = await rig.startWorker({ ...options, wrapHosts })
    const occupy = (): void => void (free = Promise.withResolvers())
    return { worker, calls, occupy, free: () => free.resolve() }
  }
  const code = '({ run: async () => 1 })'

  it('runs once', async () => {
    const { worker: busy, calls, occupy, free } = await startBusy({ name: 'busy', hasVisits: true })
    const late = await rig.newProject({ runsAhead: busy })
    await vi.waitUntil(async () => (await late.start(code, undefined, 'late')).status === 'completed', { interval: 10 })
    occupy()
    const { key, id, status } = await late.start(code, undefined, 'late')
    expect(status).toBe('queued')
    await vi.waitUntil(async () => (await late.outcome(key)).status === 'running', { interval: 10 })
    free()
    expect(await late.end(key)).toEqual({ status: 'completed', result: 1 })
    expect(calls.filter((call) => call === `activate ${id}`)).toHaveLength(1)
  })

  it('is forgotten at its end in a process without visits', async () => {
    const { worker: api, calls, occupy, free } = await startBusy({ name: 'api', hasVisits: false })
    const late = await rig.newProject({ runsAhead: api, visitors: { poke: async () => {} } })
    occupy()
    const { id } = await late.start(code, undefined, 'late')
    expect(calls).toEqual([`activate ${id}`])
    free()
    await expect.poll(() => calls, { timeout: 5_000 }).toEqual([`activate ${id}`, `forget ${id}`])
    // It computed for a moment only, so that of the next start runs ahead, too.
    const next = await late.start(code, undefined, 'late')
    expect(calls).toContain(`activate ${next.id}`)
  })

  it('is not begun behind as many others as would keep it from ending in time', async () => {
    const { worker: api, calls, occupy, free } = await startBusy({ name: 'burst', hasVisits: false }, 20)
    const burst = await rig.newProject({ runsAhead: api, visitors: { poke: async () => {} } })
    const start = () => burst.start(code, undefined, 'burst')
    await vi.waitUntil(async () => (await start()).status === 'completed', { interval: 10 })
    calls.length = 0
    occupy()
    await Promise.all(Array.from({ length: 8 }, start))
    expect(calls).toHaveLength(2)
    free()
  })
})

it('runs a first turn in time for its start where the process was too busy to read what the host answered', async () => {
  const turns = [{ operations: [], outcome: { kind: 'completed' as const, data: '{"result":1}' } }]
  const answerBehindWork: ProgramHosts['activate'] = () =>
    new Promise((resolve) => {
      setImmediate(() => {
        setImmediate(resolve, { kind: 'ran', turns, computeMs: 1 })
        for (const begun = performance.now(); performance.now() - begun < 2 * SHORT_TURN_MS;);
      })
    })
  const wrapHosts = (hosts: ProgramHosts): ProgramHosts => ({ ...hosts, activate: answerBehindWork })
  const api = await rig.startWorker({ name: 'behind', hasVisits: false, wrapHosts })
  const behind = await rig.newProject({ runsAhead: api, visitors: { poke: async () => {} } })
  expect((await behind.start('({ run: async () => 1 })')).status).toBe('completed')
})

it('charges turns for what they computed, and not for what they waited for', async () => {
  const wrapHosts = (hosts: ProgramHosts): ProgramHosts => ({
    ...hosts,
    activate: async (...turns) => ({ ...(await hosts.activate(...turns)), computeMs: 1_000.2 }),
  })
  const counting = await rig.startWorker({ name: 'counting', wrapHosts })
  const counted = await rig.newProject({ runsAhead: counting })
  const { key } = await counted.start('({ run: (ctx) => ctx.sleep(1) })')
  await counted.end(key)
  const used =
    'SELECT sum(u.compute_ms)::int AS ms FROM usage_deltas u JOIN executions e ON e.program = u.program WHERE e.key = $1'
  expect(await rig.hosted.sql(used, [key])).toEqual([{ ms: 2_002 }])
})

describe('the sweeper', () => {
  it('finds an Execution of which no worker was told', async () => {
    const { accept, deploy, newExecution, store } = await rig.hosted.newWorkspace()
    const version = await deploy('lost', {
      code: '({ run: async (ctx) => { await ctx.effect("echo", 1); return 2 } })',
    })
    const started = await accept.start(newExecution(version))
    const key = started.kind === 'started' ? started.head.key : 0
    const hasEnded = async () => {
      await sweepExecutions(rig.hosted.store.engine, { ...rig.dispatcher, isAway: false })
      return (await store.executions.outcome(key))?.status === 'completed'
    }
    await vi.waitUntil(hasEnded, { interval: 50 })
    expect(await store.executions.outcome(key)).toMatchObject({ result: '{"result":2}' })
  })
})

describe('two visits to one Execution', () => {
  it('are one where Restate has dropped the request for the second before the first has ended', async () => {
    const untold = await rig.newProject({ visitors: { poke: () => Promise.resolve() } })
    const { id } = await untold.start('({ run: async (ctx) => ctx.waitForEvent("go") })')
    const dropped = new AbortController()
    const first = worker.work.work.visit(id, 'inv_a', 'start')
    const second = worker.work.work.visit(id, 'inv_a', 'start', undefined, dropped.signal)
    dropped.abort(new Error('the connection is closed'))
    await expect(second).rejects.toThrow('the connection is closed')
    expect(await first).toEqual({ attempts: [] })
  })

  it('leave one history, whoever is first', async () => {
    const code = `({ run: async (ctx, input) => {
      let sum = 0
      for (let i = 0; i < 8; i++) sum += await ctx.effect("echo", i)
      return sum
    } })`
    const other = await rig.startWorker({ name: 'other' })
    const started = await Promise.all(Array.from({ length: 8 }, () => project.start(code)))
    const visits = started.flatMap(({ id }) => [
      worker.work.work.visit(id, 'inv_a', 'sweep'),
      other.work.work.visit(id, 'inv_b', 'sweep'),
    ])
    await Promise.allSettled(visits)
    // Nobody asked Restate for what these visits left; the sweeper does, sooner or later.
    await Promise.all(started.map(({ id }) => rig.dispatcher.poke(id, 'sweep')))
    for (const { key } of started) {
      expect(await project.end(key)).toEqual({ status: 'completed', result: 28 })
      const commands = (await project.history(key)).filter(({ type }) => type === 'effect_completed')
      expect(commands.map(({ command }) => command)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    }
  })
})

it('says nothing of damage where its workspace is removed while an Execution is read', async () => {
  const lines: string[] = []
  const log = pino({}, { write: (line) => void lines.push(line) })
  const removed = Promise.withResolvers<void>()
  const wrapEngine = (engine: EngineStore): EngineStore => ({
    ...engine,
    load: async (...asked) => {
      const loaded = await engine.load(...asked)
      if (loaded === undefined) removed.resolve()
      return loaded
    },
    recorded: async (...asked) => {
      const [row] = await rig.hosted.sql<{ id: string }>(
        'SELECT w.id FROM executions e JOIN workspaces w ON w.key = e.workspace WHERE e.key = $1',
        [asked[0]],
      )
      if (row !== undefined) while ((await rig.hosted.store.workspaceRemoval.endExecutions(row.id)) > 0);
      return engine.recorded(...asked)
    },
  })
  const own = await rig.newProject()
  const { key } = await own.start(
    '({ run: async (ctx) => [await ctx.waitForEvent("a"), await ctx.waitForEvent("b")] })',
  )
  await own.untilWaiting(key, 'event a')
  await own.send(key, 'a')
  await own.untilWaiting(key, 'event b')
  await rig.startWorker({ name: 'reading', wrapEngine, log })
  await own.send(key, 'b')
  await removed.promise
  expect(lines).toEqual([])
})
