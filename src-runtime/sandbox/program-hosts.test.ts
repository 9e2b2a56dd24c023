import { fork, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { pino } from 'pino'
import { type Fork, nodeFork } from '../shared/fork.ts'
import { isAlive } from '../shared/is-alive.ts'
import { createPoolRig, QUICK_LIMITS, type PoolRig } from './pool-rig.test-support.ts'
import { DEFAULT_POOL_LIMITS } from './pool-limits.ts'
import { commandsOf, createRig, errorOf, logsOf, resultOf } from './runner-rig.test-support.ts'
import { readUsage } from './read-usage.ts'
import { spawnAhead } from './spawn-ahead.ts'
import { type HostProcess, spawnHost, spawnHostWith } from './spawn-host.ts'

const MIB = 1024 * 1024

const WAITING = `({ run: async (ctx, input) => { const seen = [input]; for (;;) { const payload = await ctx.waitForEvent('w')
  seen.push(payload); if (payload === 'end') return seen } } })`
const ECHO = `({ run: async (ctx, input) => input })`
/** One native call that takes minutes and never polls. */
const SEARCH = `'a'.repeat(1e7).indexOf('a'.repeat(5e6) + 'b')`
const NATIVE_HANG = `({ run: async () => ${SEARCH} })`
const burn = (ms: number): string => `({ run: async (ctx, input) => { await ctx.waitForEvent('w'); let x = 0
  for (let i = 0; i < ${ms} * 10000; i++) x = (Math.imul(x, 31) + i) | 0; await ctx.waitForEvent('again'); return x } })`

const createTestRig = (...options: Parameters<typeof createPoolRig>): PoolRig => {
  const rig = createPoolRig(...options)
  onTestFinished(rig.hosts.stop)
  return rig
}

describe('program hosts', () => {
  /** For tests that need nothing special of it: each start of a host takes longer than such a test. */
  const shared = createPoolRig()
  afterAll(() => shared.hosts.stop())

  test('start when they are first needed, or when they are warmed up', async () => {
    const rig = createTestRig()
    expect(rig.processes).toHaveLength(0)
    rig.hosts.warm()
    expect(rig.processes).toHaveLength(1)
    expect(resultOf(await rig.execution(ECHO).start('hello'))).toBe('hello')
    expect(rig.processes).toHaveLength(1)
  })

  test('run from the sources as from a build', async () => {
    const files: string[] = []
    const start: Fork['start'] = (file, ...others) => {
      files.push(file)
      return fork(file, ...others)
    }
    const rig = createTestRig({ spawnHost: spawnHostWith({ ...nodeFork, start }) })
    expect(resultOf(await rig.execution(ECHO).start('hello'))).toBe('hello')
    expect(files).toEqual([expect.stringMatching(/host-main\.ts$/)])
  })

  test('refuse values that are nested too deeply to be written as JSON', async () => {
    const output = await shared
      .execution(
        `({ run: async (ctx) => {
          let deep = 1
          for (let i = 0; i < 100_000; i++) deep = [deep]
          const { message } = await ctx.effect('x', deep).catch((error) => error)
          if (message !== 'The input of effect "x" is nested deeper than 256 levels') throw message
          return deep
        } })`,
      )
      .start()
    expect(errorOf(output)).toEqual({
      code: 'invalid_result',
      message: 'The result is nested deeper than 256 levels',
    })
  })

  test('end when they are idle, and start again for the next turn', async () => {
    const rig = createTestRig({ limits: { ...QUICK_LIMITS, sharedIdle: { leastMs: 300, perTurnMs: 0, mostMs: 300 } } })
    const execution = rig.execution(WAITING)
    await execution.start('a')
    const [first] = rig.processes
    await vi.waitUntil(() => !isAlive(first?.host.pid ?? 0))
    expect(rig.hosts.status()).toEqual([])
    expect(resultOf(await execution.event(1, 'end'))).toEqual(['a', 'end'])
    expect(execution.replays).toBe(1)
    expect(rig.processes).toHaveLength(2)
  })

  test.skipIf(process.platform === 'win32')('ignore the signals that a terminal sends to every process', async () => {
    const rig = createTestRig()
    const execution = rig.execution(WAITING)
    await execution.start('a')
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(rig.processes[0]!.host.pid, signal)
    await execution.event(1, 'b')
    expect(resultOf(await execution.event(2, 'end'))).toEqual(['a', 'b', 'end'])
    expect({ replays: execution.replays, processes: rig.processes.length }).toEqual({ replays: 0, processes: 1 })
  })

  test('answer a turn of proven code with one message', async () => {
    let messages = 0
    let heardAt = 0
    const counted: typeof spawnHost = (role, budgets) => {
      const host = spawnHost(role, budgets)
      return {
        ...host,
        onMessage: (listener) =>
          host.onMessage((message) => {
            messages += 1
            heardAt = performance.now()
            listener(message)
          }),
      }
    }
    const execution = createTestRig({ spawnHost: counted }).execution(WAITING)
    await execution.start('a')
    for (const command of [1, 2]) await execution.event(command, 'b')
    const perTurn: number[] = []
    for (let command = 3; command < 13; command++) {
      await vi.waitUntil(() => performance.now() - heardAt > 5) // longer than a host gathers results
      const before = messages
      await execution.event(command, 'b')
      perTurn.push(messages - before)
    }
    // A host that the system keeps waiting just then sends another one.
    expect(Math.min(...perTurn)).toBe(1)
  })

  test('stay idle for longer the more turns they have run, because all would be replayed', async () => {
    const [shorter, longer] = [0, 60_000].map((perTurnMs) => {
      const rig = createTestRig({
        limits: { ...QUICK_LIMITS, sharedIdle: { leastMs: 200, perTurnMs, mostMs: 60_000 } },
      })
      return { rig, execution: rig.execution(WAITING) }
    })
    await longer?.execution.start('a')
    await shorter?.execution.start('a')
    await vi.waitUntil(() => shorter?.rig.hosts.status().length === 0)
    expect(longer?.rig.hosts.status()).toHaveLength(1)
    expect(commandsOf((await longer?.execution.event(1, 'b'))!)).toHaveLength(1)
    expect(longer?.execution.replays).toBe(0)
  })

  test.runIf(process.platform === 'linux')(
    'give back the memory of what is parked when they are idle, and keep its images',
    async () => {
      const rig = createTestRig({ limits: { ...QUICK_LIMITS, sharedIdle: DEFAULT_POOL_LIMITS.sharedIdle } })
      const executions = Array.from({ length: 200 }, () => rig.execution(WAITING))
      await Promise.all(executions.map((execution) => execution.start('a')))
      const rssBytes = (): number => readUsage(rig.processes[0]?.host.pid ?? 0)?.rssBytes ?? Number.NaN
      const busy = rssBytes()
      await expect.poll(rssBytes).toBeLessThan(busy - 20 * MIB)
      await Promise.all(executions.map((execution) => execution.event(1, 'end')))
      expect(executions.reduce((sum, { replays }) => sum + replays, 0)).toBe(0)
    },
  )

  test('may be started before they are needed', async () => {
    const ahead = spawnAhead(spawnHost)
    const rig = createTestRig({ spawnHost: ahead.spawnHost })
    rig.hosts.warm()
    ahead.giveUp()
    expect(resultOf(await rig.execution(ECHO).start('hello'))).toBe('hello')
    expect(rig.processes).toHaveLength(1)
  })

  test('run turn after turn from the image', async () => {
    const execution = shared.execution(WAITING)
    expect(commandsOf(await execution.start('a'))).toMatchObject([{ kind: 'wait', command: 1, name: 'w' }])
    await execution.event(1, 'b')
    expect(resultOf(await execution.event(2, 'end'))).toEqual(['a', 'b', 'end'])
    expect(execution.replays).toBe(0)
  })

  test('answer image_missing for images that they do not have', async () => {
    const execution = shared.execution(WAITING)
    const delivery = { kind: 'cancel', at: 5 } as const
    expect(await execution.activate(3, [{ delivery }])).toEqual({ kind: 'image_missing' })
    await execution.start('a')
    shared.hosts.forget(execution.id)
    await vi.waitFor(async () => {
      expect(await execution.activate(1, [{ delivery }])).toEqual({ kind: 'image_missing' })
    })
  })

  test('load each program once', async () => {
    const before = shared.loads.length
    await Promise.all(
      Array.from({ length: 100 }, (_, index) => shared.execution(`({ run: () => ${index % 2} })`).start()),
    )
    const loads = shared.loads.slice(before)
    expect({ loads: loads.length, programs: new Set(loads).size }).toEqual({ loads: 2, programs: 2 })
  })

  test('fail only the Execution whose Program throws while it loads', async () => {
    const rig = createTestRig({
      loadProgram: (versionId) => {
        if (versionId === 'ver_1') throw new Error('the store is closed')
        return { code: ECHO }
      },
    })
    const [broken, fine] = [rig.execution(WAITING).start(), rig.execution(ECHO).start(5)]
    await expect(broken).rejects.toThrow('the store is closed')
    expect(resultOf(await fine)).toBe(5)
  })

  test('describe how a replay differs', async () => {
    const execution = shared.execution(`({ run: async (ctx) => { await ctx.effect('b', 2) } })`)
    const expected = [{ kind: 'effect', command: 1, name: 'a', options: {}, data: '{"input":1}' }] as const
    const start = { kind: 'start', at: 5, data: '{}' } as const
    expect(await execution.activate(0, [{ delivery: start, expected }])).toEqual({
      kind: 'diverged',
      turn: 0,
      expected: expected[0],
      found: { kind: 'effect', command: 1, name: 'b', options: {}, data: '{"input":2}' },
      stack: expect.stringMatching(/^ {4}at run \(program\.js:1:\d+\)$/),
    })
    const ended = shared.execution(ECHO)
    expect(await ended.activate(0, [{ delivery: start, expected }])).toEqual({
      kind: 'diverged',
      turn: 0,
      expected: expected[0],
      found: { kind: 'ended', message: 'the Program returned' },
    })
  })

  test('replay thousands of turns without delaying others', async () => {
    const execution = shared.execution(`({ run: async (ctx) => { let sum = 0
      for (let i = 0; i < 5000; i++) sum += await ctx.effect('step', { i, pad: 'x'.repeat(300) }); return sum } })`)
    const start = { kind: 'start', at: 0, data: '{}' } as const
    const pad = 'x'.repeat(300)
    const commandAt = (index: number) =>
      [
        {
          kind: 'effect',
          command: index + 1,
          name: 'step',
          options: {},
          data: `{"input":{"i":${index},"pad":"${pad}"}}`,
        },
      ] as const
    const turns = Array.from({ length: 5000 }, (_, index) => ({
      delivery:
        index === 0
          ? start
          : ({
              kind: 'effect_result',
              at: index,
              command: index,
              name: 'step',
              attempt: 1,
              data: '{"result":1}',
            } as const),
      expected: commandAt(index),
    }))
    const last = {
      kind: 'effect_result',
      at: 5000,
      command: 5000,
      name: 'step',
      attempt: 1,
      data: '{"result":1}',
    } as const
    let isOver = false
    const replay = execution.activate(0, [...turns, { delivery: last }]).finally(() => (isOver = true))
    for (let i = 0; i < 3; i++) await shared.execution(ECHO).start(i)
    expect(isOver).toBe(false)
    expect(await replay).toEqual({
      kind: 'ran',
      turns: [{ operations: [], outcome: { kind: 'completed', data: '{"result":5000}' } }],
      computeMs: expect.any(Number),
    })
  })

  test('process payloads of 1 MiB of many Executions at once', async () => {
    const large = 'x'.repeat(1024 * 1024 - 2)
    const lengths = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const output = await shared.execution(`({ run: async (ctx, input) => input.length + ${index} })`).start(large)
        return resultOf(output)
      }),
    )
    expect(lengths).toEqual(Array.from({ length: 40 }, (_, index) => large.length + index))
  })

  test('have no rights: no network, no files but their own, no environment variables', async () => {
    await shared.execution(ECHO).start()
    const [first] = shared.hosts.status()
    if (process.platform !== 'linux' || first === undefined) return
    const environment = readFileSync(`/proc/${first.pid}/environ`, 'latin1').split('\0').filter(Boolean)
    expect(environment.map((entry) => entry.split('=')[0]).filter((name) => !name?.startsWith('NODE_CHANNEL'))).toEqual(
      ['TZ'],
    )
    const args = readFileSync(`/proc/${first.pid}/cmdline`, 'latin1').split('\0')
    expect(args).toEqual(
      expect.arrayContaining(['--permission', '--disallow-code-generation-from-strings', '--no-addons']),
    )
    expect(args.join(' ')).not.toMatch(/allow-(fs-write|child|worker|wasi)/)
  })
})

describe('a host that dies', () => {
  test('fails no Execution: all continue from their journals', async () => {
    const rig = createTestRig()
    const executions = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const execution = rig.execution(WAITING)
        await execution.start(index)
        return execution
      }),
    )
    rig.processes[0]?.host.kill()
    const results = await Promise.all(executions.map((execution) => execution.event(1, 'end')))
    expect(results.map(resultOf)).toEqual(executions.map((_, index) => [index, 'end']))
  })

  test('during a turn is replaced, and another host does the work', async () => {
    const rig = createTestRig({ limits: DEFAULT_POOL_LIMITS })
    const execution = rig.execution(burn(300))
    await execution.start()
    const turn = execution.event(1)
    await new Promise((resolve) => setImmediate(resolve))
    rig.processes[0]?.host.kill()
    expect(commandsOf(await turn)).toMatchObject([{ kind: 'wait', name: 'again' }])
  })

  test('before it is ready is replaced, and no Execution is blamed', async () => {
    let failures = 0
    const rig = createTestRig({
      spawnHost: (role, budgets) => {
        const host = spawnHost(role, budgets)
        if (failures < 2) {
          failures++
          host.kill()
        }
        return host
      },
    })
    expect(resultOf(await rig.execution(ECHO).start('through'))).toBe('through')
    expect(rig.processes).toHaveLength(3)
  })

  test('that the system refuses to start is started again', async () => {
    let refusals = 0
    const rig = createTestRig({
      spawnHost: spawnHostWith({
        ...nodeFork,
        start: (...of) => {
          if (refusals++ < 1) throw Object.assign(new Error('spawn ENOMEM'), { code: 'ENOMEM' })
          return nodeFork.start(...of)
        },
      }),
    })
    expect(resultOf(await rig.execution(ECHO).start('through'))).toBe('through')
    expect(rig.processes).toHaveLength(2)
  })

  test('after it sent an invalid message is replaced', async () => {
    let spawned = 0
    const rig = createTestRig({
      spawnHost: (role, budgets) => {
        const host = spawnHost(role, budgets)
        spawned++
        if (spawned > 1) return host
        return {
          ...host,
          onMessage: (listener) =>
            host.onMessage((message) => {
              const isResult = (message as { kind?: string }).kind === 'results'
              listener(isResult ? { kind: 'results', running: 0, results: [[1, 'ran', ['nonsense']]] } : message)
            }),
        }
      },
    })
    expect(resultOf(await rig.execution(ECHO).start('still'))).toBe('still')
    expect(spawned).toBeGreaterThan(1)
  })

  test('does not outlive a killed runtime', async () => {
    const module = new URL('./create-program-hosts.ts', import.meta.url).href
    const script = `import { createProgramHosts } from '${module}'
      import { spawnHost } from '${new URL('./spawn-host.ts', import.meta.url).href}'
      const log = { warn() {}, error() {} }
      const hosts = createProgramHosts({ log, loadProgram: () => ({ code: '({ run() {} })' }),
        spawnHost: (role, budgets) => { const host = spawnHost(role, budgets); console.log(host.pid); return host } })
      await hosts.check({ code: '({ run() {} })' })
      hosts.warm()
      console.log('up')`
    const runtime = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    let said = ''
    runtime.stdout.on('data', (bytes: Buffer) => (said += bytes.toString()))
    await vi.waitFor(() => expect(said).toMatch(/^\d+\n\d+\nup/))
    const pids = said.split('\n').slice(0, 2).map(Number)
    expect(pids.map(isAlive)).toEqual([true, true])
    runtime.kill('SIGKILL')
    await vi.waitFor(() => expect(pids.map(isAlive)).toEqual([false, false]))
  })

  test('leaves no process behind', async () => {
    const rig = createTestRig()
    await rig.execution(ECHO).start()
    await rig.hosts.check({ code: ECHO })
    await rig.hosts.stop()
    await vi.waitFor(() => expect(rig.processes.filter(({ host }) => isAlive(host.pid))).toEqual([]))
  })
})

describe('slow Programs', { timeout: 180_000 }, () => {
  /** A version whose host does not answer in time counts as slow at once, also where only the machine is slow. */
  const MAY_BE_SILENT = { spareAfterMs: 60_000, sharedSilenceMs: 60_000, sharedSilenceAloneMs: 60_000 }

  test('may use a second or two of CPU in a turn', async () => {
    const rig = createTestRig({ limits: DEFAULT_POOL_LIMITS })
    const execution = rig.execution(burn(1200))
    await execution.start()
    expect(commandsOf(await execution.event(1))).toMatchObject([{ kind: 'wait', command: 2, name: 'again' }])
    expect(resultOf(await execution.event(2))).toEqual(expect.any(Number))
  })

  test.skipIf(process.platform === 'win32')(
    'complete on a machine that runs their hosts a quarter of the time',
    async () => {
      const rig = createTestRig({ limits: DEFAULT_POOL_LIMITS })
      const send = (signal: NodeJS.Signals): void => {
        for (const { host } of rig.processes) if (isAlive(host.pid)) process.kill(host.pid, signal)
      }
      const duty = setInterval(() => {
        send('SIGSTOP')
        setTimeout(() => send('SIGCONT'), 75)
      }, 100)
      try {
        const execution = rig.execution(burn(600))
        await execution.start()
        expect(commandsOf(await execution.event(1))).toMatchObject([{ kind: 'wait', command: 2, name: 'again' }])
        expect(resultOf(await execution.event(2))).toEqual(expect.any(Number))
      } finally {
        clearInterval(duty)
      }
    },
  )

  test('move to a host of their own, and stay there with their image', async () => {
    const budgets = { ...DEFAULT_POOL_LIMITS.budgets, sharedTurnMs: 20 }
    const rig = createTestRig({ limits: { ...DEFAULT_POOL_LIMITS, budgets } })
    const execution = rig.execution(burn(200))
    await execution.start()
    await execution.event(1)
    await execution.event(2)
    // Its replay and its live turn go separately to a host of its own.
    expect(rig.rolesOf(execution)).toEqual(['shared', 'shared', 'alone', 'alone', 'alone'])
    expect(execution.replays).toBe(1)
  })

  test('that loop for ever fail, and do not delay others', async () => {
    const rig = createTestRig()
    await rig.execution(ECHO).start()
    const loops = Array.from({ length: 3 }, () => rig.execution(`({ run: async () => { for (;;); } })`).start())
    await Promise.all(Array.from({ length: 50 }, (_, index) => rig.execution(ECHO).start(index)))
    expect((await Promise.all(loops)).map((output) => errorOf(output).code)).toEqual(Array(3).fill('program_timeout'))
  })

  test('that cannot be interrupted are killed; the others continue at once in another host', async () => {
    const rig = createTestRig()
    await rig.execution(ECHO).start()
    const hang = rig.execution(NATIVE_HANG).start()
    const others = Array.from({ length: 50 }, (_, index) => rig.execution(ECHO).start(index))
    expect((await Promise.all(others)).map(resultOf)).toEqual(others.map((_, index) => index))
    expect(errorOf(await hang).code).toBe('program_timeout')
  })

  test('of a version that was slow before start in a host of their own', async () => {
    const budgets = { ...QUICK_LIMITS.budgets, sharedTurnMs: 20 }
    const rig = createTestRig({ limits: { ...QUICK_LIMITS, ...MAY_BE_SILENT, budgets } })
    const loop = () => rig.execution(`({ run: async () => { for (;;); } })`)
    const [first, second, third] = [loop(), loop(), loop()]
    for (const execution of [first, second, third]) await execution.start()
    expect([first, second, third].map(rig.rolesOf)).toEqual([['shared', 'alone'], ['shared', 'alone'], ['alone']])
  })

  /** A rig that counts the turns that are abandoned in the first host, in which nearly all run, and in the others. */
  const createCountingRig = (sharedTurnMs: number) => {
    const limits = { ...DEFAULT_POOL_LIMITS, ...MAY_BE_SILENT }
    const abandoned = { first: 0, others: 0 }
    let hosts = 0
    const rig = createTestRig({
      limits: { ...limits, budgets: { ...limits.budgets, sharedTurnMs } },
      spawnHost: (role, budgets) => {
        const host = spawnHost(role, budgets)
        const which = (hosts += 1) === 1 ? 'first' : 'others'
        const onMessage: HostProcess['onMessage'] = (listener) =>
          host.onMessage((message) => {
            const { results = [] } = message as { readonly results?: readonly (readonly [number, string])[] }
            abandoned[which] += results.filter(([, kind]) => kind === 'abandoned').length
            listener(message)
          })
        return { ...host, onMessage }
      },
    })
    return { rig, abandoned }
  }
  const startLoop = (rig: PoolRig): void => {
    const loop = rig.execution(`({ run: async () => { for (;;); } })`, 'loop')
    loop.start().catch(() => {})
  }

  test('of which many start one after the other delay others by two turns at most', async () => {
    const { rig, abandoned } = createCountingRig(20)
    await rig.execution(ECHO).start()
    for (let number = 0; number < 40; number += 1) {
      startLoop(rig)
      await new Promise((resolve) => setImmediate(resolve))
    }
    await vi.waitFor(() =>
      expect(rig.hosts.status()).toContainEqual(expect.objectContaining({ role: 'shared', underWay: 0 })),
    )
    expect(abandoned.first).toBeGreaterThan(0)
    expect(abandoned.first).toBeLessThanOrEqual(2)
  })

  /** Runs short Executions of another Program, one after the other, until it is over. */
  const besideOthers = async (rig: PoolRig, act: () => Promise<void>): Promise<void> => {
    let isOver = false
    const acted = act().finally(() => (isOver = true))
    while (!isOver) await rig.execution(ECHO).start()
    await acted
  }

  test('of many versions, each of which was quick before, delay others by a few turns at most', async () => {
    // Three of them make the Program busy, before it is known as one whose new versions are slow.
    const { rig, abandoned } = createCountingRig(250)
    const code = (number: number) => `({ run: async (ctx, input) => { while (input === 'loop'); } }) // ${number}`
    await besideOthers(rig, async () => {
      for (let number = 0; abandoned.others === 0; number += 1) {
        for (let quick = 0; quick < 3; quick += 1) await rig.execution(code(number), 'loop').start()
        const before = abandoned.first + abandoned.others
        const looping = rig.execution(code(number), 'loop').start('loop')
        looping.catch(() => {})
        await vi.waitUntil(() => abandoned.first + abandoned.others > before)
      }
    })
    expect(abandoned.first).toBeLessThanOrEqual(6)
  })

  test.each([
    ['little', 1],
    ['much', 20_000],
  ])(
    'whose turns are just short enough for the shared host, and say %s, move to another one when others wait for them',
    async (_, size) => {
      const { rig } = createCountingRig(60_000)
      const turn = `await ctx.waitForEvent('w'); for (let i = 0; i < 2_000_000; i++); ctx.log.info('x'.repeat(${size}))`
      const code = `({ run: async (ctx) => { for (;;) { ${turn} } } })`
      const noisy = rig.execution(code, 'noisy')
      await noisy.start()
      await besideOthers(rig, async () => {
        for (let event = 1; event < 300 && !rig.hostsOf(noisy).includes(1); event += 1) await noisy.event(event)
      })
      const [next, other] = [rig.execution(code, 'noisy'), rig.execution(ECHO)]
      await Promise.all([next.start(), other.start()])
      expect([next, other].map(rig.hostsOf)).toEqual([[1], [0]])
    },
  )

  test('that use too much memory natively run out of memory', async () => {
    const rig = createTestRig({ limits: { ...QUICK_LIMITS, sharedRssBytes: 1e6, aloneRssBytes: 1e6 } })
    const output = await rig.execution(`({ run: async () => { for (;;); } })`).start()
    expect(errorOf(output).code).toBe('program_out_of_memory')
  })
})

describe('checking code', () => {
  const rig = createPoolRig({ limits: { ...DEFAULT_POOL_LIMITS, checkSilenceCpuMs: 1_500 } })
  afterAll(() => rig.hosts.stop())

  test.each([
    ['a script whose value is a Program', ECHO],
    ['statements, the last of which is a Program', `const x = 5\nconst program = { run() { return x } }\nprogram`],
    ['a class instance', `class P { run() {} }\nnew P()`],
  ])('accepts %s', async (_, code) => {
    expect(await rig.hosts.check({ code })).toEqual({ ok: true })
  })

  test.each([
    ['({ run: async (ctx) => {\n  let a = ;\n} })', /SyntaxError: unexpected token.*\n {4}at program\.js:2:11/],
    ['', /undefined, not an object with run/],
    ['5', /number, not an object/],
    ['({})', /without a function run/],
    ['({ run: async function* () {} })', /is a generator, whose body would never run: write it without \*/],
    ['({ *run() {} })', /is a generator/],
    ['({ get run() { throw new Error("no") } })', /Error: no/],
    ['throw new TypeError("at once")', /TypeError: at once/],
    ['undefinedName', /ReferenceError/],
    ['import x from "y"\n({ run() {} })', /SyntaxError/],
    ['await 5\n({ run() {} })', /SyntaxError/],
    ['for (;;);', /took too long/],
    ['Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)', /took too long/],
    ['const kept = []; for (;;) kept.push("x".repeat(1e6) + kept.length)', /memory/],
    ['(function deeper() { deeper() })()', /stack|deeply/i],
  ])('refuses %j', async (code, message) => {
    const check = await rig.hosts.check({ code })
    expect(check).toEqual({ ok: false, message: expect.stringMatching(message) })
  })

  test('uses the source map', async () => {
    const sourceMap = JSON.stringify({ version: 3, sources: ['src/order.ts'], names: [], mappings: 'AAwCA' })
    expect(await rig.hosts.check({ code: 'throw new Error("x")', sourceMap })).toEqual({
      ok: false,
      message: expect.stringContaining('src/order.ts:41'),
    })
  })

  test.each([
    ['lines', { mappings: `AAAA${';'.repeat(8_000_000)}` }],
    ['values', { mappings: 'AAAA', other: Array(4_000_000).fill({}) }],
    ['long names', { mappings: 'AAAA', sourceRoot: 'r'.repeat(4_000_000), sources: Array(5_000).fill('s') }],
  ])('does without a source map of millions of %s, which its host has no memory for', async (_what, parts) => {
    const sourceMap = JSON.stringify({ version: 3, sources: ['a.ts'], names: [], ...parts })
    expect(await rig.hosts.check({ code: 'throw new Error("x")', sourceMap })).toEqual({
      ok: false,
      message: expect.stringMatching(/Error: x\n {4}at <eval> \(program\.js:1:\d+\)$/),
    })
  })

  test('is repeated once when its host crashes or is killed, and then says so', async () => {
    const crashing = createTestRig()
    const crash = async (times: number, signal: 'SIGUSR2' | 'SIGKILL' = 'SIGUSR2'): Promise<void> => {
      const pid = await vi.waitFor(() => {
        const host = crashing.hosts.status().find(({ role, isReady }) => role === 'alone' && isReady)
        if (host === undefined) throw new Error('no host checks anything')
        return host.pid
      })
      process.kill(pid, signal)
      await vi.waitFor(() => expect(crashing.hosts.status().some((host) => host.pid === pid)).toBe(false))
      if (times > 1) await crash(times - 1, signal)
    }
    const [once] = await Promise.all([crashing.hosts.check({ code: SEARCH }), crash(1)])
    expect(once).toEqual({ ok: false, message: 'The Program took too long to load' })
    const [twice] = await Promise.all([crashing.hosts.check({ code: SEARCH }), crash(2)])
    expect(twice).toEqual({ ok: false, message: 'The Program ended the process that loaded it, twice' })
    const [killed] = await Promise.allSettled([crashing.hosts.check({ code: SEARCH }), crash(2, 'SIGKILL')])
    expect(killed).toMatchObject({ status: 'rejected', reason: { name: 'HostsUnavailableError' } })
  })

  test('continues after a check that was killed', async () => {
    const [killed, next] = await Promise.all([SEARCH, ECHO].map((code) => rig.hosts.check({ code })))
    expect(killed).toEqual({ ok: false, message: expect.stringMatching(/took too long/) })
    expect(next).toEqual({ ok: true })
  })
})

describe('stopping', () => {
  test('ends running work, may be called twice, and refuses new work', async () => {
    const rig = createTestRig()
    const running = rig.execution(`({ run: async () => { for (;;); } })`).start()
    const outcome = running.then(
      () => 'done',
      (error: unknown) => (error as Error).message,
    )
    await vi.waitFor(() => expect(rig.processes).toHaveLength(1))
    await Promise.all([rig.hosts.stop(), rig.hosts.stop()])
    expect(await outcome).toBe('The program hosts are stopped')
    await expect(rig.execution(ECHO).start()).rejects.toThrow('stopped')
    await expect(rig.hosts.check({ code: ECHO })).rejects.toThrow('stopped')
    await rig.hosts.stop()
  })

  test('before a host was started does nothing', async () => {
    const rig = createTestRig()
    await rig.hosts.stop()
    expect(rig.processes).toEqual([])
  })
})

describe('the same turns', () => {
  const BODY = `const random = [Math.random(), crypto.randomUUID(), Date.now()]
    const sorted = Array.from({ length: 2000 }, (_, i) => (i * 7919) % 2003).sort((a, b) => a - b).length
    console.log(random, new Error('here').stack); const kept = new Map(); for (let i = 0; i < 3000; i++) kept.set('k' + i, { i })
    await ctx.effect('e', { random, sorted, size: kept.size })`

  test('give the same output in every process', async () => {
    const code = `({ run: async (ctx, input) => { ${BODY} } })`
    const outputs = await Promise.all(
      [createTestRig(), createTestRig()].map((rig) => rig.execution(code).start({ n: 1 })),
    )
    const here = createRig().artifact(code, '', 'exe_1').start({ n: 1 })
    expect(outputs).toEqual([here, here])
    expect(logsOf(here)).toHaveLength(1)
  })

  test('use the same fuel in every process', async () => {
    let used = 0
    const counting = createRig({}, { turn: () => (polls) => void (used = polls), load: () => () => undefined })
    const code = `({ run: async (ctx) => { for (let i = 0; i < 3e6; i++); ${BODY}; await ctx.sleep(1) } })`
    counting.artifact(code, '', 'exe_1').start()
    expect(used).toBeGreaterThan(100)
    const withFuel = async (turnFuel: number): Promise<string> => {
      const budgets = { ...DEFAULT_POOL_LIMITS.budgets, turnFuel, sharedTurnMs: 10_000 }
      const rig = createTestRig({ limits: { ...DEFAULT_POOL_LIMITS, budgets }, log: pino({ level: 'silent' }) })
      const { outcome } = await rig.execution(code).start()
      return outcome.kind === 'failed' ? outcome.error.code : outcome.kind
    }
    expect(await Promise.all([withFuel(used - 1), withFuel(used)])).toEqual(['program_timeout', 'suspended'])
  })
})
