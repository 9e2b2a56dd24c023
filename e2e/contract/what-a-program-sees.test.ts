// Contract sections 3 and 4 from outside: what authors write, and what comes of it in a real process.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startRuntimeProcess, type RuntimeProcess } from '../runtime-process.test-support.ts'
import { talkTo, until, type Talk } from './talk.test-support.ts'

let runtime: RuntimeProcess
let talk: Talk
beforeAll(async () => {
  runtime = await startRuntimeProcess()
  talk = talkTo(runtime)
})
afterAll(() => runtime.dispose())

describe('a world of its own', () => {
  it('has what the contract names, and nothing of the machine', async () => {
    const present =
      `Object Promise Map Symbol BigInt JSON Math Date RegExp Proxy Reflect console crypto structuredClone TextEncoder
      TextDecoder URL URLSearchParams atob btoa queueMicrotask AbortController`.split(/\s+/)
    const absent =
      `Intl WeakRef FinalizationRegistry SharedArrayBuffer Atomics setTimeout setInterval setImmediate fetch process
      require module Buffer WebAssembly performance navigator Worker`.split(/\s+/)
    const { result } = await talk.run(
      'return { missing: input.present.filter((name) => !(name in globalThis)), there: input.absent.filter((name) => name in globalThis) }',
      { present, absent },
    )
    expect(result).toEqual({ missing: [], there: [] })
  })

  it('is never shared, not even by Executions of one Program', async () => {
    const code = `let count = 0; globalThis.seen = 0
      ;({ run: async () => { Object.prototype.x ??= 0; Object.prototype.x++; return [++count, ++seen, ({}).x] } })`
    await talk.deploy('own-world', code)
    const starts = await Promise.all(
      [1, 2, 3].map(() => talk.call('POST', '/v1/executions', { body: { programId: 'own-world' } })),
    )
    for (const { json } of starts) expect(await talk.result(json.id)).toMatchObject({ result: [1, 1, 1] })
  })

  it('may be spoiled by its own Program without harm to what it awaits', async () => {
    const { status } = await talk.run(
      'Array.prototype[Symbol.iterator] = null; Promise.prototype.then = null; JSON.stringify = null; await ctx.sleep(1)',
    )
    expect(status).toBe('completed')
  })
})

describe('a duration', () => {
  it.each([
    ['90', 90],
    ['1.2', 2],
    ['"250ms"', 250],
    ['"90s"', 90_000],
    ['"5 minutes"', 300_000],
    ['"2h"', 7_200_000],
    ['"1.5h"', 5_400_000],
    ['"1h 30m"', 5_400_000],
    ['"7 days"', 604_800_000],
    ['"1 week"', 604_800_000],
  ])('%s is %d ms', async (written, ms) => {
    const id = await talk.begin(`await ctx.sleep(${written})`)
    const entry = await until(async () => (await talk.history(id)).find(({ type }) => type === 'timer_scheduled'))
    expect(Date.parse(entry.data?.wakeAt ?? '') - Date.parse(entry.at)).toBe(ms)
    await talk.cancel(id)
  })

  it.each(['-1', 'NaN', 'Infinity', '"x"', '"-5s"', '""', '"5 years"', 'null', 'undefined', '{}', '10n'])(
    '%s is none, which the author is told',
    async (written) => {
      const { result } = await talk.run(`try { await ctx.sleep(${written}) } catch (error) { return error.name }`)
      expect(result).toBe('TypeError')
    },
  )
})

describe('a result', () => {
  it.each([
    ['undefined', undefined],
    ['NaN', null],
    ['new Date(0)', '1970-01-01T00:00:00.000Z'],
    ['new Map([[1, 2]])', {}],
    ['[, 1]', [null, 1]],
    ['"\\ud800"', '\ud800'],
    ['({ then(resolve) { resolve(7) } })', 7],
  ])('of %s is what JSON makes of it', async (value, expected) => {
    const view = await talk.run(`return ${value}`)
    expect(view.status).toBe('completed')
    expect(view.result).toEqual(expected)
    expect('result' in view).toBe(expected !== undefined)
  })

  it('may be 1 MiB of UTF-8, and not a byte more', async () => {
    expect(await talk.run('return "é".repeat(524287)')).toMatchObject({ status: 'completed' })
    expect(await talk.run('return "é".repeat(524287) + "a"')).toMatchObject({ error: { code: 'result_too_large' } })
  })

  it('may nest 256 levels, and not 257', async () => {
    const nest = (levels: number) => `let value = 1; for (let i = 0; i < ${levels}; i++) value = [value]; return value`
    expect(await talk.run(nest(256))).toMatchObject({ status: 'completed' })
    expect(await talk.run(nest(257))).toMatchObject({ error: { code: 'invalid_result' } })
  })
})

describe('a failure', () => {
  it.each([
    ['program_error', 'throw new RangeError("boom")'],
    ['effect_failed', 'await ctx.effect("charge", {})'],
    ['program_timeout', 'for (;;) { try { for (;;); } finally { continue } }'],
    ['program_out_of_memory', 'const all = []; for (;;) all.push(new Array(100000).fill(1.5))'],
    ['history_limit_exceeded', 'for (;;) ctx.sleep(0)'],
    ['result_too_large', 'return "a".repeat(2e6)'],
    ['invalid_result', 'return 10n'],
    ['invalid_result', 'const loop = {}; loop.loop = loop; return loop'],
  ])('has the code %s for %s', { timeout: 20_000 }, async (code, body) => {
    const { id, ...view } = await talk.run(body)
    expect(view).toMatchObject({ status: 'failed', error: { code } })
    expect(await talk.execution(id)).toMatchObject({ status: 'failed', error: view.error, waitingFor: [] })
    expect((await talk.history(id)).at(-1)).toMatchObject({ type: 'execution_failed', data: { error: view.error } })
  })

  it.each([
    ['"text"', 'text'],
    ['42', '42'],
    ['({ a: 1 })', '{"a":1}'],
    ['null', 'null'],
    ['undefined', 'undefined'],
    ['10n', '10'],
    ['Symbol("s")', 'Symbol(s)'],
  ])('by throwing %s is an Error with its text', async (thrown, message) => {
    const { error } = await talk.run(`throw ${thrown}`)
    expect(error).toEqual({ code: 'program_error', name: 'Error', message })
  })

  it('points into the source where there is a map', async () => {
    const sourceMap = JSON.stringify({ version: 3, sources: ['programs/order.ts'], names: [], mappings: 'AAGC' })
    const code = '({ run: async () => { throw new Error("mapped") } })'
    await talk.deploy('with-map', code, { program: { code, sourceMap } })
    const { json } = await talk.call('POST', '/v1/executions', { body: { programId: 'with-map' } })
    expect((await talk.result(json.id)).error).toMatchObject({
      stack: expect.stringContaining('programs/order.ts:4') as string,
    })
  })

  it('of an effect says where effects run', async () => {
    const { result } = await talk.run(
      'try { await ctx.effect("charge", 1) } catch (error) { return [error.name, error.message] }',
    )
    expect(result).toEqual(['EffectError', expect.stringMatching(/effects run .*project/i)])
  })
})

describe('what is only logged', () => {
  it('is a rejection that nobody handles', async () => {
    const { id, ...view } = await talk.run('Promise.reject(new Error("lost")); await ctx.sleep(1); return 1')
    expect(view).toEqual({ status: 'completed', result: 1 })
    const logs = (await talk.history(id)).filter(({ type }) => type === 'log')
    expect(logs).toMatchObject([{ data: { level: 'error', message: expect.stringContaining('lost') as string } }])
  })

  it('is a flood, up to a limit and a count of the rest, in each turn anew', async () => {
    const { id } = await talk.run(
      'for (let i = 0; i < 1500; i++) console.log(i); await ctx.sleep(1); ctx.log.warn("after")',
    )
    const logs = (await talk.history(id)).filter(({ type }) => type === 'log').map(({ data }) => data)
    expect(logs).toHaveLength(1_002)
    expect(logs[1_000]?.message).toContain('500')
    expect(logs[1_001]).toEqual({ level: 'warn', message: 'after' })
  })

  it('does not count as a command', async () => {
    const body = 'for (let i = 0; i < 12000; i++) { console.log(i); if (i % 500 === 0) await ctx.sleep(0) } return 1'
    expect(await talk.run(body)).toMatchObject({ result: 1 })
  })
})

describe('an artifact with effects', () => {
  it('is stored, shown and never run, its effects least of all', async () => {
    const effects = { code: 'throw new Error("must not run")' }
    const { status, json } = await talk.deploy('with-effects', '({ run: async () => 1 })', { effects })
    expect({ status, json }).toMatchObject({
      status: 201,
      json: { runnable: false, latestVersion: { number: 1, hasEffects: true, runnable: false } },
    })
    for (const version of [undefined, 1]) {
      const refused = await talk.call('POST', '/v1/executions', { body: { programId: 'with-effects', version } })
      expect(refused).toMatchObject({ status: 422, json: { error: { code: 'program_not_runnable' } } })
    }
  })
})
