import { describe, expect, test } from 'vitest'
import { commandsOf, createRig, errorOf, logsOf, resultOf } from './runner-rig.test-support.ts'

const rig = createRig()
const failure = (body: string, input?: unknown) => errorOf(rig.program(body).start(input))

describe('a value that a Program throws', () => {
  test('becomes name, message and the stack of its own frames', () => {
    const execution = rig.artifact(`const inner = (x) => {
  throw new TypeError('no ' + x)
}
({ run: async (ctx, input) => {
  await ctx.sleep(1)
  inner(input)
} })`)
    execution.start('way')
    expect(errorOf(execution.timer(1))).toEqual({
      code: 'program_error',
      name: 'TypeError',
      message: 'no way',
      stack: 'TypeError: no way\n    at inner (program.js:2:31)\n    at run (program.js:6:9)',
    })
  })

  test('synchronously from run is treated the same', () => {
    expect(errorOf(rig.artifact(`({ run() { throw new RangeError('at once') } })`).start())).toMatchObject({
      name: 'RangeError',
      message: 'at once',
    })
  })

  test.each([
    [`throw 'text'`, 'text'],
    [`throw { code: 5, message: 'no error' }`, '{"code":5,"message":"no error"}'],
    [`throw undefined`, 'undefined'],
    [`throw null`, 'null'],
    [`throw 5n`, '5'],
    [`throw Symbol('s')`, 'Symbol(s)'],
    [`throw () => 1`, '() => 1'],
    [`const a = { b: 1 }; a.a = a; throw a`, '{ b: 1, a: [Circular] }'],
    [`throw Object.create(null)`, '[null prototype] {}'],
    [`throw { code: 7, big: 10n }`, '{ code: 7, big: 10n }'],
    [`throw [5n]`, '[ 5n ]'],
    [`throw { f: Symbol('s') }`, '{ f: Symbol(s) }'],
    [`throw { get a() { throw 1 }, b: 2 }`, '{ a: [Getter], b: 2 }'],
    [`throw new Map([[1, 'a']])`, 'Map(1) { 1 => "a" }'],
    [`throw { big: 10n, inner: new RangeError('x') }`, '{ big: 10n, inner: RangeError: x }'],
    [`throw new Proxy({}, { get() { throw 1 }, getPrototypeOf() { throw 2 }, ownKeys() { throw 3 } })`, '[unreadable]'],
    [
      `throw { toJSON() { throw 1 }, toString() { throw 2 } }`,
      '{ toJSON: [Function: toJSON], toString: [Function: toString] }',
    ],
  ])('%s becomes an Error with its JSON, or as logs show it', (body, message) => {
    expect(failure(body)).toEqual({ code: 'program_error', name: 'Error', message })
  })

  test.each([
    [`['a must be a number', 'b is missing']`, '["a must be a number","b is missing"]'],
    [`{ detail: 'no funds' }`, '{"detail":"no funds"}'],
    [`402`, '402'],
    [`{ cents: 5n }`, '{ cents: 5n }'],
    [`null`, ''],
  ])('the message %s, which is no text, becomes its JSON', (value, message) => {
    expect(failure(`throw Object.assign(new Error(), { message: ${value} })`)).toMatchObject({ name: 'Error', message })
  })

  test.each([
    `const e = new Error('x'); Object.defineProperty(e, 'message', { get() { throw 1 } }); throw e`,
    `const e = new Error('x'); Object.defineProperty(e, 'name', { get() { throw 1 } }); throw e`,
    `const e = new Error('x'); Object.defineProperty(e, 'stack', { get() { throw 1 } }); throw e`,
    `const e = new Error('x'); e.name = {}; e.message = 5; e.stack = []; throw e`,
    `throw new Proxy(new Error('x'), { get() { throw new Error('again') } })`,
    `throw Object.create(Error.prototype, { message: { get() { throw this } } })`,
  ])('a hostile error breaks nothing: %s', (body) => {
    expect(failure(body)).toMatchObject({
      code: 'program_error',
      name: expect.any(String),
      message: expect.any(String),
    })
  })

  test('is cut if it is long', () => {
    const error = failure(`const e = new Error('m'.repeat(100000)); e.stack = 's'.repeat(1e6); throw e`)
    expect(error.message.length).toBe(32 * 1024 + 1)
    expect((error.stack ?? '').length).toBeLessThan(64 * 1024)
  })

  test('is cut between two characters, and not within one', () => {
    const error = failure(
      `const e = new Error('m' + '😀'.repeat(20000), { cause: new Error('c' + '😀'.repeat(3000)) }); throw e`,
    )
    expect(error.message).toBe(`m${'😀'.repeat(16_383)}…`)
    expect(error.cause?.message).toBe(`c${'😀'.repeat(2_047)}`)
    for (const text of [error.stack, error.cause?.stack]) expect(text).not.toContain('\ufffd')
    const { message } = failure(`return ctx.sleep('d' + '😀'.repeat(100))`)
    expect(message).toContain(`"d${'😀'.repeat(39)}…`)
  })

  test('that is an EffectError becomes effect_failed, with the position of the call', () => {
    const execution = rig.artifact(`({ run: async (ctx) => {
  await ctx.effect('charge')
} })`)
    execution.start()
    expect(errorOf(execution.effectFailure(1, { code: 'effect_error', message: 'no money' }))).toEqual({
      code: 'effect_failed',
      name: 'EffectError',
      message: 'no money',
      stack: 'EffectError: no money\n    at run (program.js:2:13)',
    })
  })

  test('that only looks like an EffectError does not become effect_failed', () => {
    expect(failure(`const e = new Error('fake'); e.name = 'EffectError'; e.code = 'x'; throw e`).code).toBe(
      'program_error',
    )
    const execution = rig.program(`try { await ctx.effect('e') } catch (error) { throw Object.create(error) }`)
    execution.start()
    expect(errorOf(execution.effectFailure(1, { code: 'effect_error', message: 'm' })).code).toBe('program_error')
  })

  test('is mapped through the source map', () => {
    // Line 1 of the code is line 41 of src/order.ts.
    const sourceMap = JSON.stringify({ version: 3, sources: ['src/order.ts'], names: [], mappings: 'AAwCA' })
    const execution = rig.artifact(`({ run: () => { throw new Error('mapped') } })`, sourceMap)
    expect(errorOf(execution.start()).stack).toBe('Error: mapped\n    at run (src/order.ts:41:1)')
  })

  test.each(['5', '[[null]]', '[{"length":1}]', '[[[0,7,0,0]]]'])(
    'is kept if the source map is invalid: %s',
    (mappings) => {
      const sourceMap = `{"version":3,"sources":["a.ts"],"names":[],"mappings":${mappings}}`
      const execution = rig.artifact(`/* ${mappings} */ ({ run: () => { throw new Error('x') } })`, sourceMap)
      expect(errorOf(execution.start()).stack).toContain('program.js:1:')
    },
  )

  test('has no frames of the runtime in logs', () => {
    const output = rig.program(`console.error(new Error('logged')); console.log(new Error('s').stack)`).start()
    expect(logsOf(output)).toHaveLength(2)
    for (const { message } of logsOf(output)) {
      expect(message).toContain('program.js')
      expect(message).not.toContain('wes:')
    }
  })
})

describe('a turn that uses up its fuel', () => {
  const watches = {
    turn: () => (polls: number) => (polls > 50 ? ('fuel' as const) : undefined),
    load: () => () => undefined,
  }
  const stackOf = (body: string) => errorOf(createRig({}, watches).program(body).start()).stack

  test('tells where the Program was, as far as the engine knows', () => {
    expect(stackOf('const work = (n) => n + 1\n\nconst f = () => {\n  for (;;) work(1)\n}\nf()')).toMatch(
      /^Error: A turn used up its fuel.*\n(?: {4}at work\n)? {4}at f \(program\.js:4:\d+\)\n {4}at run \(program\.js:6:\d+\)$/,
    )
    expect(stackOf('for (;;);')).toMatch(/^Error: A turn used up its fuel.*\n {4}at run$/)
  })

  test.each([
    ['const f = async () => {\n  for (;;) await null\n}\nawait f()', 'f (program.js:2:'],
    ['const step = async () => {\n  await null\n  return step()\n}\nawait step()', 'step (program.js:3:'],
    ['const f = () => {\n  queueMicrotask(f)\n}\nf()\nawait new Promise(() => {})', 'f (program.js:2:'],
    ['async function* g() {\n  for (;;) yield 1\n}\nfor await (const x of g()) x', 'run (program.js:4:'],
    ['const f = async () => 1\nconst g = async () => {\n  for (;;) await f()\n}\nawait g()', 'g (program.js:3:'],
    ['const list = []\nwhile (true) list.push(await Promise.resolve(1)), list.pop()', 'run (program.js:2:'],
  ])('tells it also where it only awaits: %s', (body, place) => {
    expect(stackOf(body)?.split('\n')[1]).toContain(`    at ${place}`)
  })

  test('does not name the function by which the bundler keeps the names of functions', () => {
    const stack = stackOf('const __name = (target) => { for (;;) String(1) }\nconst f = () => __name(() => 1)\nf()')
    expect(stack?.split('\n').slice(1)).toEqual(['    at f (program.js:2:17)', '    at run (program.js:3:1)'])
  })

  test('ends also where the Program swallows the interrupt', () => {
    expect(stackOf('new Promise(() => { for (;;); }); return 1')).toBeUndefined()
    expect(stackOf('const p = { then: (f) => f(p) }\nawait p')).toBeUndefined()
    expect(
      stackOf("Object.defineProperty(Error.prototype, 'stack', { get() { for (;;); } }); for (;;);"),
    ).toBeUndefined()
  })
})

describe('the stacks that a Program sees', () => {
  test('have its own frames only, as many as ever: those of the runtime differ from release to release', () => {
    const execution = rig.program(`const stacks = []
      const see = (error) => stacks.push(error.stack)
      const within = (depth, act) => depth === 0 ? act() : within(depth - 1, act)
      const attempt = (act) => { try { within(9, act) } catch (error) { see(error) } }
      const ask = (act) => within(9, act).catch(see)
      see(within(9, () => new Error('first')))
      attempt(() => new URL('nonsense'))
      attempt(() => { new URL('http://a').href = 'nonsense' })
      attempt(() => new URLSearchParams([[1]]))
      attempt(() => structuredClone(() => {}))
      see(within(9, () => structuredClone(new DOMException('x'))))
      attempt(() => structuredClone())
      attempt(() => crypto.getRandomValues([]))
      attempt(() => crypto.getRandomValues(new Uint8Array(70_000)))
      attempt(() => AbortSignal.any(1))
      attempt(() => new AbortSignal())
      see(within(9, () => AbortSignal.abort()).reason)
      see(within(9, () => { const one = new AbortController(); one.abort(); return one.signal }).reason)
      await ask(() => ctx.sleep('nonsense'))
      await ask(() => ctx.sleepUntil('nonsense'))
      await ask(() => ctx.waitForEvent(''))
      await ask(() => ctx.effect('e', 'x'.repeat(2e6)))
      await ask(() => ctx.effect('e'))
      await ask(() => ctx.waitForEvent('w', { timeout: 1 }))
      await ask(() => ctx.effect('e'))
      return stacks`)
    execution.start()
    execution.effectFailure(1, { code: 'c', message: 'm' })
    execution.timeout(2)
    const stacks = resultOf(execution.cancel()) as readonly string[]
    expect(stacks).toHaveLength(20)
    for (const stack of stacks) expect(stack).toMatch(/^( {4}at \S+ \(program\.js:\d+:\d+\)\n){10}$/)
  })
})

describe('unhandled rejections', () => {
  test('are logged as errors, and do not end the Execution', () => {
    const execution = rig.program(`Promise.reject(new Error('lost')); (async () => { throw 'also' })()
      const handled = Promise.reject(new Error('handled')); await null; handled.catch(() => {})
      await ctx.sleep(1); return 'alive'`)
    expect(logsOf(execution.start())).toEqual([
      { level: 'error', message: expect.stringContaining('Unhandled rejection: Error: lost') },
      { level: 'error', message: 'Unhandled rejection: also' },
    ])
    expect(resultOf(execution.timer(1))).toBe('alive')
  })

  test('that a trap makes while another is logged are logged neither now nor in the next turn', () => {
    const execution = rig.program(`Promise.reject(new Proxy({}, { ownKeys() { Promise.reject('again'); return [] } }))
      await ctx.sleep(1); await ctx.sleep(1)`)
    expect(logsOf(execution.start())).toEqual([{ level: 'error', message: 'Unhandled rejection: {}' }])
    expect(logsOf(execution.timer(1))).toEqual([])
  })
})

describe('a global that Programs do not have', () => {
  const text = 'fetch is not available in a Program: Programs cannot use the network: call an effect'

  test('fails what gets to it, and says what to use instead', () => {
    expect(failure(`const load = () => fetch('x'); load()`)).toMatchObject({
      name: 'ReferenceError',
      message: expect.stringContaining(text),
      stack: expect.stringMatching(/^ReferenceError: fetch is not available .*\n {4}at load \(program\.js:/),
    })
    expect(failure('missing()').message).toBe('missing is not defined')
  })

  test('is told where a package passes the error on by another name, with its message above the frames', () => {
    const passedOn = failure(`try { fetch('x') } catch ({ name, message, stack }) {
        const passed = Object.assign(new Error(message), { name: '(Failure) ' + name })
        passed.stack = passed.name + ': ' + message + '\\n' + stack
        throw passed
      }`)
    expect(passedOn).toMatchObject({ name: '(Failure) ReferenceError', message: expect.stringContaining(text) })
  })

  test('is told as a cause and in logs', () => {
    const output = rig
      .program(`const load = async () => fetch('x'); load(); await null; await null; await null
        try { await load() } catch (cause) { throw new Error('no rate', { cause }) }`)
      .start()
    expect(errorOf(output)).toMatchObject({ message: 'no rate', cause: { message: expect.stringContaining(text) } })
    const [log] = logsOf(rig.program(`void (async () => fetch('x'))(); await ctx.sleep(1)`).start())
    expect(log?.message).toMatch(
      /^Unhandled rejection: ReferenceError: fetch is not available in a Program: .*\n {4}at /,
    )
  })

  test('is another matter in an effect, and in the texts of other errors', () => {
    const stack = 'ReferenceError: document is not defined\n    at page (programs/page.effects.ts:1:2)'
    const thrown = { name: 'ReferenceError', message: 'document is not defined', stack }
    const execution = rig.program(
      `try { await ctx.effect('page') } catch (error) { console.log(error.cause.stack); throw error }`,
    )
    execution.start()
    const output = execution.effectFailure(1, { code: 'effect_error', ...thrown })
    expect(errorOf(output)).toMatchObject({ message: thrown.message, cause: thrown })
    expect(logsOf(output)[0]?.message).toBe(stack)
    const text = 'told: ReferenceError: fetch is not defined'
    expect(failure(`throw new Error('${text}')`).message).toBe(text)
  })
})

describe('a Program that runs out of memory', () => {
  const MOST = `const most = 'x'.repeat(5.8e7); const kept = [most];`
  test.each([
    [`return 'é'.repeat(1e7).normalize('NFD')`],
    [`return new URL('https://a.example/' + 'é'.repeat(9e6)).href.length`],
    [`${MOST} for (;;) kept.push(new Error('x' + kept.length))`],
    [`${MOST} for (;;) kept.push({ a: 1 })`],
  ])('fails with program_out_of_memory: %s', (body) => {
    expect(failure(body)).toMatchObject({
      code: 'program_out_of_memory',
      message: 'The Program used more than 64 MiB of memory',
    })
  })

  test.each([
    ['that it caught', `try { new ArrayBuffer(1e9) } catch {} return 1`],
    ['that it caught when a list grew', `${MOST} const list = []; try { for (;;) list.push(1) } catch {} return 1`],
    [
      'that it caught when texts were too many',
      `${MOST} try { for (;;) kept.push('x'.repeat(1e5) + kept.length) } catch {}`,
    ],
    ['that it catches again and again', `for (;;) try { new ArrayBuffer(1e9) } catch {}`],
    ['after which it threw something else', `try { new ArrayBuffer(1e9) } catch { throw new Error('other') }`],
    ['that a generator left', `for (const _ of (function* () { try { new ArrayBuffer(1e9) } finally { return } })());`],
    ['in a promise that nobody awaits', `void (async () => new ArrayBuffer(1e9))(); await ctx.sleep(1)`],
    ['in a callback', `queueMicrotask(() => new ArrayBuffer(1e9)); await ctx.sleep(1)`],
    ['in a getter of its result', `return { get a() { try { new ArrayBuffer(1e9) } catch {} return 1 } }`],
  ])('fails for a refusal %s', (_, body) => {
    expect(failure(body).code).toBe('program_out_of_memory')
  })

  test('says where it was, if it did not catch what the engine threw', () => {
    expect(failure(`for (;;) new ArrayBuffer(1e9)`).stack).toContain('at run (program.js')
  })

  test('and went on in an older runtime, replays as it did', () => {
    const other = rig.program(`await ctx.sleep(1)`)
    other.start()
    const turns = other.turns.map(({ delivery, output }) => ({ delivery, expected: commandsOf(output) }))
    const execution = rig.program(`try { new ArrayBuffer(1e9) } catch { await ctx.sleep(1) }`)
    expect(execution.activate(0, turns)[1]).toBe('ran')
  })

  test('is told apart from one that throws null', () => {
    expect(failure('throw null').code).toBe('program_error')
  })
})

describe('results', () => {
  test.each([
    [`return undefined`, '{}'],
    [`return null`, '{"result":null}'],
    [`return [undefined, NaN, new Date(0)]`, '{"result":[null,null,"1970-01-01T00:00:00.000Z"]}'],
    [
      `return { a: {}, m: new Map(), p: new Proxy({}, { getPrototypeOf() { throw 1 } }) }`,
      '{"result":{"a":{},"m":{},"p":{}}}',
    ],
    [`return '\\ud800\\n'`, '{"result":"\\\\ud800\\\\n"}'],
  ])('%s', (body, data) => {
    expect(rig.program(body).start().outcome).toEqual({ kind: 'completed', data: data.replaceAll('\\\\', '\\') })
  })

  test.each([
    [`return 5n`, /not JSON: .*\. It is a BigInt: make it a text with String\(…\)/],
    [`return { list: [{ cents: 5n }] }`, /not JSON: .*\. Its member "cents" is a BigInt: make it a text/],
    [`return () => 1`, /it is a function/],
    [`return Symbol('x')`, /it is a symbol/],
    [`const a = []; a.push(a); return a`, /not JSON: .*\. Its member "0" is an object that contains it: leave it out$/],
    [
      `const a = {}; const order = { items: [a, { a }] }; order.items[1].order = order; return { a: [a, a], order }`,
      /not JSON: .*\. Its member "order" is an object that contains it/,
    ],
    [`return { toJSON() { throw 'a text' } }`, /not JSON: a text$/],
    [`return { toJSON() {} }`, /^The result is not JSON: its toJSON\(\) returns no JSON$/],
    [`let a = 1; for (let i = 0; i < 257; i++) a = [a]; return a`, /nested deeper than 256/],
    [
      `return { a: [{}], paid: ctx.sleep(1) }`,
      /^The result is not JSON: its member "paid" is a promise, which has to be aw/,
    ],
    [`return [1, ctx.waitForEvent('x')]`, /its member "1" is a promise/],
  ])('%s is an invalid result', (body, message) => {
    expect(failure(body)).toEqual({ code: 'invalid_result', message: expect.stringMatching(message) })
  })

  test.each([
    [`return { toJSON() { throw new Error('will not') } }`, 'will not', 'at toJSON (program.js'],
    [`return { get a() { return input.b.c } }`, "cannot read property 'b' of undefined", 'at get a (program.js'],
  ])('%s is one with the place', (body, message, place) => {
    expect(failure(body)).toEqual({
      code: 'invalid_result',
      message: `The result is not JSON: ${message}`,
      stack: expect.stringContaining(place),
    })
  })

  test('of 256 levels and of 1 MiB are fine', () => {
    expect(rig.program(`let a = 1; for (let i = 0; i < 256; i++) a = { a }; return a`).start().outcome.kind).toBe(
      'completed',
    )
    expect(rig.program(`return 'x'.repeat(1024 * 1024 - 2)`).start().outcome.kind).toBe('completed')
  })

  test('over 1 MiB of UTF-8 are too large', () => {
    expect(failure(`return 'x'.repeat(1024 * 1024 - 1)`).code).toBe('result_too_large')
    expect(failure(`return 'ä'.repeat(524288)`)).toMatchObject({
      code: 'result_too_large',
      message: 'The result is larger than 1 MiB as JSON',
    })
  })
})

describe('limits of a turn', () => {
  test('an effect input over 1 MiB rejects that call only', () => {
    const output = rig
      .program(`const tried = (size, unit) => ctx.effect('big', unit.repeat(size)).catch((error) => [error.name, error.code])
        ctx.effect('fits', 'x'.repeat(1024 * 1024 - 2))
        return [await tried(1024 * 1024 - 1, 'x'), await tried(524288, 'ä')]`)
      .start()
    expect(commandsOf(output).map((command) => 'name' in command && command.name)).toEqual(['fits'])
    expect(resultOf(output)).toEqual([
      ['EffectError', 'result_too_large'],
      ['EffectError', 'result_too_large'],
    ])
  })

  test('more than 10,000 commands end the Execution, even in a loop that catches everything', () => {
    const error = failure(`for (;;) { try { ctx.effect('flood') } catch {} finally { ctx.sleep(1) } }`)
    expect(error.code).toBe('history_limit_exceeded')
  })

  test('10,000 commands are allowed, over all turns', () => {
    const execution = rig.program(
      `for (let i = 0; i < 9999; i++) ctx.sleep(i); await ctx.waitForEvent('w'); await ctx.sleep(1)`,
    )
    expect(commandsOf(execution.start())).toHaveLength(10_000)
    expect(errorOf(execution.event(10_000)).code).toBe('history_limit_exceeded')
  })

  test('16 MiB of output end the Execution', () => {
    expect(failure(`const big = 'x'.repeat(1e6); for (let i = 0; i < 20; i++) ctx.effect('e', big)`).code).toBe(
      'history_limit_exceeded',
    )
  })

  test('1,000 log entries per turn, then one with the count of the rest', () => {
    const execution = rig.program(
      `for (let i = 0; i < 1500; i++) console.log(i); await ctx.sleep(1); console.log('next turn')`,
    )
    const logs = logsOf(execution.start())
    expect(logs).toHaveLength(1001)
    expect(logs.at(-1)).toEqual({ level: 'warn', message: '500 more log entries of this turn were dropped' })
    expect(logsOf(execution.timer(1))).toEqual([{ level: 'info', message: 'next turn' }])
  })

  test('256 kB of logs per turn', () => {
    const logs = logsOf(rig.program(`for (let i = 0; i < 100; i++) console.log('x'.repeat(10000))`).start())
    expect(logs.length).toBeLessThan(30)
    expect(logs.at(-1)?.message).toMatch(/more log entries/)
  })
})

describe('the cause of an error', () => {
  const depthOf = (error: unknown): number => {
    const { cause } = error as { cause?: unknown }
    return cause === undefined ? 0 : 1 + depthOf(cause)
  }

  test('is kept with name, message and the stack of its own frames', () => {
    const execution = rig.artifact(`const inner = () => {
  throw new RangeError('limit is 5')
}
({ run: async () => {
  try {
    inner()
  } catch (cause) {
    throw new Error('no money', { cause })
  }
} })`)
    expect(errorOf(execution.start()).cause).toEqual({
      name: 'RangeError',
      message: 'limit is 5',
      stack: 'RangeError: limit is 5\n    at inner (program.js:2:13)\n    at run (program.js:6:5)',
    })
  })

  test('is kept up to 8 levels and 64 KiB, without cycles', () => {
    const deep = failure(
      `let e = new Error('x'); for (let n = 0; n < 20; n++) e = new Error('y', { cause: e }); throw e`,
    )
    expect(depthOf(deep)).toBe(8)
    const round = failure(`const a = new Error('a'); a.cause = new Error('b', { cause: a }); throw a`)
    expect([round.cause?.message, depthOf(round)]).toEqual(['b', 1])
    const large = failure(
      `let e = new Error('x'); for (let n = 0; n < 9; n++) { e = new Error('\u20ac'.repeat(1e5), { cause: e }) } throw e`,
    )
    expect(Buffer.byteLength(JSON.stringify(large.cause))).toBeLessThan(64 * 1024)
    expect(depthOf(large)).toBeGreaterThan(1)
  })

  test.each([
    [`throw new Error('a', { cause: 'text' })`, { message: 'text' }],
    [`throw new Error('a', { cause: { code: 5 } })`, { message: '{"code":5}' }],
    [`throw new Error('a', { cause: null })`, undefined],
    [`throw Object.defineProperty(new Error('a'), 'cause', { get() { throw 1 } })`, undefined],
    [
      `throw new Error('a', { cause: new Proxy({}, { get() { throw 1 }, getPrototypeOf() { throw 2 } }) })`,
      { message: '[unreadable]' },
    ],
  ])('may be anything: %s', (body, cause) => {
    expect(failure(body).cause).toEqual(cause)
  })

  test('is the first inner error if there is none, and a message that is missing is that of the inner errors', () => {
    const any = failure(`await Promise.any([Promise.reject(new RangeError('a')), Promise.reject('b')])`)
    expect(any).toMatchObject({ name: 'AggregateError', message: 'a; b', cause: { name: 'RangeError', message: 'a' } })
    expect(failure(`await Promise.any([])`).message).toBe('All promises were rejected')
    const undefinedFirst = failure(`await Promise.any([Promise.reject(), Promise.reject(new Error('b'))])`)
    expect(undefinedFirst).toMatchObject({ name: 'AggregateError', message: 'undefined; b' })
    expect(undefinedFirst).not.toHaveProperty('cause')
    const disposed = failure(`using one = { [Symbol.dispose]() { throw new RangeError('a') } }; throw new Error('b')`)
    expect(disposed).toMatchObject({ name: 'SuppressedError', message: 'a; b', cause: { name: 'RangeError' } })
    const byCompiler = `throw new SuppressedError(new Error('a'), 'b', 'An error was suppressed during disposal.')`
    expect(failure(byCompiler).message).toBe('a; b')
    const given = failure(`throw new AggregateError([new Error('a')], 'none', { cause: new Error('c') })`)
    expect(given).toMatchObject({ message: 'none', cause: { message: 'c' } })
    const round = failure(`const e = new AggregateError([]); e.errors = [e, new Error('once')]; throw e`)
    expect(round).toMatchObject({ message: 'once' })
    expect(round.cause).toBeUndefined()
    const hostile = `Object.assign(new Error(''), { errors: new Proxy([], { get() { throw 1 } }) })`
    expect(failure(`throw ${hostile}`)).toMatchObject({ name: 'Error', message: '' })
    expect(failure(`throw Object.assign(new Error(''), { errors: [${hostile}, 'x'] })`)).toMatchObject({ message: 'x' })
  })

  test('of a failed effect is the error that the effect threw, with its cause', () => {
    const execution = rig.program(`await ctx.effect('charge')`)
    execution.start()
    const stack = 'Declined: no money\n    at charge (pay.effects.ts:3:9)'
    const error = { code: 'card', message: 'no money', name: 'Declined', stack, cause: { message: 'limit' } }
    expect(errorOf(execution.effectFailure(1, error)).cause).toEqual({
      name: 'Declined',
      message: 'no money',
      stack,
      cause: { message: 'limit' },
    })
  })
})
