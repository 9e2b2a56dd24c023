import { describe, expect, test } from 'vitest'
import { notAvailable } from '../shared/missing-globals.ts'
import { checkWatch, createWatches } from './turn-watches.ts'
import { readFromHost } from './host-messages.ts'
import { DEFAULT_POOL_LIMITS, REFERENCE_POLLS_PER_MS } from './pool-limits.ts'
import { commandsOf, createRig, errorOf, resultOf } from './runner-rig.test-support.ts'

describe('budgets inside a host', () => {
  const clocks = () => {
    const state = { wall: 0, cpu: 0 }
    return { state, now: () => state.wall, cpuMs: () => state.cpu }
  }
  const { budgets } = DEFAULT_POOL_LIMITS
  const one = (): number => 1

  test('the shared host abandons a turn after less CPU, since others may come meanwhile', () => {
    const { state, ...clock } = clocks()
    const watch = createWatches('shared', budgets, clock, one).turn(false)
    expect(watch(1)).toBeUndefined()
    state.wall = 60_000
    state.cpu = 140
    expect(watch(2)).toBeUndefined()
    state.cpu = 150
    expect(watch(3)).toBe('abandoned')
  })

  test('a host for one Execution limits a turn to five times the CPU of its fuel, and five times more on replay', () => {
    for (const [isReplay, factor] of [
      [false, 1],
      [true, 5],
    ] as const) {
      const { state, ...clock } = clocks()
      const watch = createWatches('alone', budgets, clock, one).turn(isReplay)
      expect(watch(1)).toBeUndefined()
      state.wall = 600_000
      state.cpu = 5 * (budgets.turnFuel / REFERENCE_POLLS_PER_MS) * factor - 1
      expect(watch(2)).toBeUndefined()
      state.cpu += 1
      expect(watch(3)).toBe('time')
    }
  })

  test('a machine that is ten times slower allows ten times as much CPU', () => {
    const { state, ...clock } = clocks()
    const watch = createWatches('alone', budgets, clock, () => 10).turn(false)
    expect(watch(1)).toBeUndefined()
    state.wall = state.cpu = budgets.turnCpuMs * 10 - 1
    expect(watch(budgets.turnFuel)).toBeUndefined()
    expect(watch(budgets.turnFuel + 1)).toBe('fuel')
    state.wall = state.cpu = budgets.turnCpuMs * 10
    expect(watch(3)).toBe('time')
  })

  test('loading a Program may take more than its check', () => {
    const { state: _, ...clock } = clocks()
    const { loadFuel } = budgets
    expect(checkWatch(budgets, clock, 1)(loadFuel + 1)).toBe('fuel')
    expect(createWatches('alone', budgets, clock, one).load()(loadFuel * 5)).toBeUndefined()
  })

  test('fuel limits a turn in every host, and four times more on replay', () => {
    const { state: _, ...clock } = clocks()
    for (const role of ['shared', 'alone'] as const) {
      const all = createWatches(role, budgets, clock, one)
      expect([all.turn(false)(budgets.turnFuel), all.turn(false)(budgets.turnFuel + 1)]).toEqual([undefined, 'fuel'])
      expect([all.turn(true)(budgets.turnFuel * 5), all.turn(true)(budgets.turnFuel * 5 + 1)]).toEqual([
        undefined,
        'fuel',
      ])
    }
  })
})

describe('fuel', () => {
  const pollsOf = (code: string): { readonly load: number; readonly turn: number } => {
    const used = { load: 0, turn: 0 }
    const rig = createRig(
      {},
      { turn: () => (polls) => void (used.turn = polls), load: () => (polls) => void (used.load = polls) },
    )
    rig.artifact(code).start()
    return used
  }

  test('counts promise jobs, at about the rate at which a loop of equal duration uses it', () => {
    const { turn } = pollsOf(`({ run: async () => { for (let i = 0; i < 150_000; i++) await null } })`)
    expect(turn).toBeGreaterThan(1000)
    expect(turn).toBeLessThan(1200)
  })

  test('counts them while the code of a Program is evaluated', () => {
    const jobs = `let i = 0; const next = () => { if (i++ < 150_000) queueMicrotask(next) }; next()`
    expect(pollsOf(`${jobs}; ({ run: async () => undefined })`).load).toBeGreaterThan(1000)
  })
})

describe('a slot', () => {
  test('is clean for the next Execution after a trap, an interrupt or too much memory', () => {
    const rig = createRig(
      { slots: 1 },
      { turn: () => (polls) => (polls > 300 ? 'fuel' : undefined), load: () => () => undefined },
    )
    const endings = [
      [`for (;;);`, 'program_timeout'],
      [`const kept = []; for (;;) kept.push('x'.repeat(100000) + kept.length)`, 'program_out_of_memory'],
      [`for (let i = 0; i < 20000; i++) ctx.sleep(i)`, 'history_limit_exceeded'],
    ] as const
    for (const [body, code] of endings) {
      const neighbour = rig.program(
        `globalThis.mine = input; const payload = await ctx.waitForEvent('w'); return [mine, payload, typeof kept]`,
      )
      neighbour.start(code)
      expect(errorOf(rig.program(body).start()).code).toBe(code)
      expect(resultOf(neighbour.event(1, 'p'))).toEqual([code, 'p', 'undefined'])
    }
  })

  test('that grew for one Execution shrinks for the next', () => {
    const rig = createRig({ slots: 1 })
    const large = rig.program(`globalThis.kept = Array.from({ length: 60000 }, (_, i) => ({ i, text: 'item ' + i }))
      await ctx.waitForEvent('w'); return kept.length + kept[59999].i`)
    large.start()
    const small = rig.program(`await ctx.waitForEvent('w'); return 'small'`)
    small.start()
    expect(rig.runner.images.bytes).toBeGreaterThan(1_000_000)
    expect(resultOf(small.event(1))).toBe('small')
    const turns = large.turns.length
    expect(resultOf(large.event(1))).toBe(60_000 + 59_999)
    expect(large.turns).toHaveLength(turns + 1)
  })

  test('that grew for one Program gives the next as much memory as a new slot', () => {
    const rig = createRig({ slots: 1 })
    rig.program(`const kept = []; while (kept.length < 12) kept.push(new Uint8Array(1e6))`).start()
    const garbage = `for (let i = 0; i < 80_000; i++) { const cycle = {}; cycle.self = cycle }`
    expect(resultOf(rig.program(`${garbage} return 'x'.repeat(6.2e7).length`).start())).toBe(6.2e7)
  })

  test('refuses memory in the same turn, whatever it held before, and after its Execution was parked', () => {
    const body = `const most = 'x'.repeat(6.3e7); const kept = []
      for (let size = 7; ; size = (size * 31) % 20_011) {
        const list = Array.from({ length: size >> 5 }, (_, i) => ({ i, text: 'item ' + i }))
        kept.push('x'.repeat(1e5) + size, new ArrayBuffer(size), new Map([[{}, list]]), 2n ** BigInt(size))
        kept.push(list.map((item) => () => item), new RegExp('a{' + (size & 63) + '}|' + size))
        kept.push(JSON.parse(JSON.stringify(list)), structuredClone({ list }))
        const cycle = { garbage: 'y'.repeat(size) + size }
        cycle.self = cycle
        await ctx.sleep(1)
      }`
    const turnsOf = (before: string, after: string): unknown => {
      const rig = createRig({ slots: 1 })
      rig.program(before).start()
      const execution = rig.program(body)
      execution.start()
      rig.program(after).start()
      while (execution.last.outcome.kind === 'suspended') execution.timer(execution.turns.length)
      expect(errorOf(execution.last).code).toBe('program_out_of_memory')
      return execution.turns.map(({ output }) => output)
    }
    expect(turnsOf('globalThis.large = new Uint8Array(9e6)', 'await ctx.sleep(1)')).toEqual(turnsOf('', ''))
  })

  test('stores an Execution of any size as an image, so that it continues instead of being replayed for ever', () => {
    const rig = createRig({ slots: 1, imageBytes: 1024 })
    const huge = rig.program(`globalThis.kept = []; for (let i = 0; i < 30; i++) kept.push(String(i).padEnd(1e6, 'x'))
      await ctx.waitForEvent('w'); return kept.length`)
    huge.start()
    rig.program(`await ctx.waitForEvent('w')`).start() // takes the only slot
    expect(rig.runner.images.count).toBe(1)
    expect(resultOf(huge.event(1))).toBe(30)
  })
})

describe('a Program that cannot be loaded', () => {
  test('fails its Executions with the reason and the position', () => {
    expect(errorOf(createRig().artifact(`const x = 1\nthrow new Error('not now')`).start())).toEqual({
      code: 'program_error',
      message: 'The Program cannot be loaded: Error: not now',
      stack: expect.stringContaining('program.js:2'),
    })
  })

  test.each([
    [`import { run } from './run.js'\n({ run })`, true],
    [`const run = () => 1\nexport default { run }`, true],
    [`({ run: `, false],
    [`throw new SyntaxError('mine')`, false],
  ])('because of its syntax is told when it is a module: %j', (code, isModule) => {
    const { message } = errorOf(createRig().artifact(code).start())
    expect(message.includes('The code is a script, not a module')).toBe(isModule)
  })

  test.each([
    [`throw 'text'`, 'Error: text'],
    [`throw Symbol('s')`, 'Error: a symbol'],
    [`new Worker()`, `ReferenceError: ${notAvailable('Worker')}`],
    [`throw { a: 1 }`, 'its code throws a value that is no error'],
    [`throw new Proxy({}, { get() { throw 1 } })`, 'its code throws a value that is no error'],
    [`const kept = []; for (;;) kept.push('x'.repeat(1e6) + kept.length)`, 'it uses more than 64 MiB of memory'],
  ])('says what its code throws: %s', (code, what) => {
    expect(errorOf(createRig().artifact(code).start()).message).toBe(`The Program cannot be loaded: ${what}`)
  })

  test('may run any code while it loads, but its commands and logs are dropped', () => {
    const execution = createRig()
      .artifact(`console.log('loading'); Promise.reject(new Error('lost')); Promise.resolve().then(() => { ready = true })
      let ready = false; ({ run: async (ctx) => { await ctx.sleep(1); return ready } })`)
    const output = execution.start()
    expect(output.operations).toEqual(commandsOf(output))
    expect(resultOf(execution.timer(1))).toBe(true)
  })
})

describe('messages of a host', () => {
  test.each([
    [{ kind: 'ready', slowness: 1.5 }],
    [{ kind: 'results', results: [], running: 0 }],
    [
      {
        kind: 'results',
        results: [
          [1, 'ran', [''], 1.5],
          [2, 'image_missing'],
          [3, 'abandoned'],
        ],
        running: 4,
      },
    ],
    [
      {
        kind: 'results',
        results: [[1, 'diverged', { turn: 0, index: 0, found: '', ended: 'x', stack: '' }]],
        running: 0,
      },
    ],
    [{ kind: 'checked', sequence: 1, message: '' }],
  ])('%j is one', (message) => {
    expect(readFromHost(message)).toBe(message)
  })

  test.each([
    [undefined],
    ['ready'],
    [{ kind: 'other' }],
    [{ kind: 'results', results: [[0, 'ran', []]], running: 0 }],
    [{ kind: 'results', results: [[1, 'ran', [5]]], running: 0 }],
    [{ kind: 'results', results: [[1, 'ran']], running: 0 }],
    [{ kind: 'results', results: [[1, 'made up']], running: 0 }],
    [{ kind: 'results', results: [], running: -1 }],
    [{ kind: 'checked', sequence: 1.5, message: '' }],
  ])('%j is none', (message) => {
    expect(readFromHost(message)).toBeUndefined()
  })
})
