import { describe, expect, it } from 'vitest'
import { createEffectRig, deployed, until } from './effect-project.test-support.ts'

describe('an effect', () => {
  it('gets its input and context, and returns its result as JSON', async () => {
    const rig = deployed(
      `export const echo = async (input, { executionId, attempt, idempotencyKey, signal, log }) =>
         ({ input, executionId, attempt, idempotencyKey, aborted: signal.aborted, levels: Object.keys(log) })`,
    )
    const data = '{"input":{"list":[1,null,"ü\\u2028"],"__proto__":{"a":1},"constructor":1},"timeoutMs":5}'
    const given = { attempt: 3, executionId: 'exe_a', idempotencyKey: 'exe_a/7', data }
    const outcome = await rig.perform('echo', undefined, given)
    expect(outcome).toEqual({
      kind: 'completed',
      data:
        '{"result":{"input":{"list":[1,null,"ü\u2028"],"__proto__":{"a":1},"constructor":1},"executionId":"exe_a",' +
        '"attempt":3,"idempotencyKey":"exe_a/7","aborted":false,"levels":["debug","info","warn","error"]}}',
    })
  })

  it('may be a plain function or one with options, with or without input and result', async () => {
    const rig = deployed(
      `export const nothing = (input) => { if (input !== undefined) throw new Error('input') }
       export const marked = Object.assign((input) => input + 1, { [Symbol.for('wes.effect')]: { timeoutMs: 5 } })
       export const thenable = () => ({ then: (resolve) => resolve('from a thenable') })`,
    )
    expect(await rig.perform('nothing')).toEqual({ kind: 'completed', data: '{}' })
    expect(await rig.result('marked', 1)).toBe(2)
    expect(await rig.result('thenable')).toBe('from a thenable')
  })

  it('has the options of the manifest', () => {
    const rig = createEffectRig()
    const options = { retry: { maxAttempts: 3 }, timeoutMs: 10 }
    rig.deploy('ver_1', '', { effects: [{ name: 'a', options }] })
    expect(rig.hosts.defaultsOf('ver_1', 'a')).toEqual(options)
    expect(rig.hosts.defaultsOf('ver_1', 'toString')).toEqual({})
    expect(rig.hosts.defaultsOf('ver_none', 'a')).toEqual({})
  })

  it('that the version does not have fails without a retry, and names the effects of the version', async () => {
    const rig = deployed('export const charge = 1')
    const unknown = await rig.failure('refund')
    expect(unknown).toMatchObject({ retryable: false, error: { code: 'effect_not_found' } })
    expect(unknown.error.message).toMatch(/"refund".*charge/)
    // In the manifest, but not a function; and names that every object has.
    expect(await rig.failure('charge')).toMatchObject({ retryable: false, error: { code: 'effect_not_found' } })
    expect(await rig.failure('toString')).toMatchObject({ retryable: false, error: { code: 'effect_not_found' } })
  })

  it('of a version without effects fails without a retry, and says where effects run', async () => {
    const rig = deployed('')
    const outcome = await rig.failure('charge', {}, { versionId: 'ver_uploaded' })
    expect(outcome.retryable).toBe(false)
    expect(outcome.error.message).toContain('wes dev')
  })

  it('is retried when its code cannot be read', async () => {
    const rig = createEffectRig({
      loadEffects: () => {
        throw new Error('disk I/O error')
      },
    })
    const outcome = await rig.failure('charge')
    expect(outcome).toMatchObject({ retryable: true, error: { code: 'effect_load_failed' } })
    expect(outcome.error.message).toContain('disk I/O error')
  })
})

describe('the result of an effect', () => {
  it.each([
    ['a BigInt', '{ a: [1n] }', /BigInt/],
    ['a circle', '(() => { const a = {}; a.a = a; return a })()', /circular/],
    ['a function', '() => 1', /a function/],
    ['a symbol', 'Symbol()', /a symbol/],
    ['what throws', '({ toJSON() { throw new Error("not me") } })', /not me/],
    [
      'what throws a RangeError',
      '({ toJSON: () => new Date(NaN).toISOString() })',
      /cannot be turned into JSON: Invalid time/,
    ],
    ['without JSON', '({ toJSON() {} })', /cannot be turned into JSON: its toJSON\(\) returns no JSON$/],
    ['257 levels', 'JSON.parse("[".repeat(257) + "]".repeat(257))', /256 levels/],
    ['a million levels', '(() => { let a = []; for (let i = 0; i < 1e6; i++) a = [a]; return a })()', /256 levels/],
  ])('is refused if it is %s', async (_what, expression, message) => {
    const rig = deployed(`export const odd = () => (${expression})`)
    const outcome = await rig.failure('odd')
    expect(outcome).toMatchObject({ retryable: false, error: { code: 'invalid_result', name: 'EffectError' } })
    expect(outcome.error.message).toMatch(message)
  })

  it('may be as large and deep as the limits', async () => {
    const rig = deployed(
      `export const large = (size) => 'ü'.repeat(size)
       export const deep = () => JSON.parse('[{"a":'.repeat(128) + '"[[[["' + '}]'.repeat(128))`,
    )
    expect(await rig.result('large', 512 * 1_024 - 1)).toHaveLength(512 * 1_024 - 1)
    const outcome = await rig.failure('large', 512 * 1_024)
    expect(outcome).toMatchObject({ retryable: false, error: { code: 'result_too_large' } })
    expect(JSON.stringify(await rig.result('deep'))).toHaveLength(128 * 8 + 6)
  })
})

describe('an error thrown by an effect', () => {
  it('keeps name, message, code and causes, with a stack of the author’s frames', async () => {
    const rig = deployed(
      `class Declined extends Error { name = 'Declined'; code = 'card_declined' }
       const inner = () => { throw new RangeError('limit is 5') }
       export async function charge() {
         try { inner() } catch (cause) { throw new Declined('no money', { cause }) }
       }`,
    )
    const { error, retryable } = await rig.failure('charge')
    expect(retryable).toBe(true)
    expect(error).toMatchObject({ name: 'Declined', message: 'no money', code: 'card_declined' })
    expect(error.stack!.split('\n')).toEqual([
      expect.stringMatching(/^(Declined|Error): no money$/),
      expect.stringMatching(/^ {4}at charge \(effects-\w+\.mjs:4:48\)$/),
    ])
    expect(error.cause).toMatchObject({ name: 'RangeError', message: 'limit is 5' })
    expect(error.cause!.stack!.split('\n')).toEqual([
      'RangeError: limit is 5',
      expect.stringMatching(/^ {4}at inner \(effects-\w+\.mjs:2:36\)$/),
      expect.stringMatching(/^ {4}at charge \(effects-\w+\.mjs:4:16\)$/),
    ])
  })

  it('keeps causes up to 8 levels and 64 KiB, also cycles and other values', async () => {
    const rig = deployed(
      `export const deep = () => {
         let error = new Error('bottom')
         for (let n = 0; n < 20; n++) error = new Error('level ' + n, { cause: error })
         throw error
       }
       export const round = () => {
         const error = new Error('a')
         error.cause = new Error('b', { cause: error })
         throw error
       }
       export const text = () => { throw new Error('a', { cause: { status: 402 } }) }
       export const large = () => {
         let error = new Error('x'.repeat(100_000))
         for (let n = 0; n < 20; n++) error = new Error('y'.repeat(100_000), { cause: error })
         throw error
       }`,
    )
    const depthOf = (error: unknown): number => {
      const { cause } = error as { cause?: unknown }
      return cause === undefined ? 0 : 1 + depthOf(cause)
    }
    expect(depthOf((await rig.failure('deep')).error)).toBe(8)
    expect((await rig.failure('round')).error).toMatchObject({ message: 'a', cause: { message: 'b' } })
    expect(depthOf((await rig.failure('round')).error)).toBe(1)
    expect((await rig.failure('text')).error.cause).toEqual({ message: '{"status":402}' })
    const { cause } = (await rig.failure('large')).error
    expect(JSON.stringify(cause).length).toBeLessThan(64 * 1_024)
  })

  it.each([
    ['"boom"', 'boom'],
    ['{ status: 402 }', '{"status":402}'],
    ['undefined', 'undefined'],
    ['null', 'null'],
    ['Symbol("s")', 'Symbol(s)'],
    ['Object.create(null, { toJSON: { get() { throw 1 } } })', '[Object: null prototype] {}'],
    ['{ big: 1n, inner: new RangeError("x") }', '{ big: 1n,\n  inner: RangeError: x }'],
  ])('may be any value: %s', async (expression, message) => {
    const rig = deployed(`export const odd = () => { throw ${expression} }`)
    expect(await rig.failure('odd')).toEqual({
      kind: 'failed',
      retryable: true,
      error: { code: 'effect_failed', name: 'Error', message },
    })
  })

  it('may be a hostile object', async () => {
    const rig = deployed(
      `export const trap = () => {
         const error = new Error('x')
         for (const key of ['name', 'message', 'stack', 'code', 'cause']) Object.defineProperty(error, key, { get() { throw error } })
         throw error
       }
       const traps = new Proxy({}, { get: () => () => { throw traps } })
       export const proxy = () => { throw new Proxy(new Error('x'), traps) }
       export const inner = () => { throw Object.assign(new Error('', { cause: new Proxy({}, traps) }), { errors: new Proxy([], traps) }) }
       export const later = () => new Promise(() => { Promise.reject(new Proxy({}, traps)) })
       export const inJson = () => ({ toJSON() { throw new Proxy({}, traps) } })
       export const circle = () => { const error = new Error('round'); error.cause = error; throw error }
       export const long = () => { throw new Error('x'.repeat(5_000_000)) }`,
    )
    expect((await rig.failure('trap')).error).toMatchObject({ code: 'effect_failed', name: 'Error' })
    const hidden = '{}'
    expect((await rig.failure('proxy')).error.message).toBe('Error: x')
    expect((await rig.failure('inner')).error).toMatchObject({ message: '', cause: { message: hidden } })
    expect((await rig.failure('later')).error.message).toBe(`unhandled rejection in effect "later": ${hidden}`)
    expect((await rig.failure('inJson')).error.message).toContain(`cannot be turned into JSON: ${hidden}`)
    expect((await rig.failure('circle')).error.message).toBe('round')
    expect((await rig.failure('long')).error.message.length).toBeLessThan(20_000)
  })

  it('has the message of its inner errors if it has none', async () => {
    const rig = deployed(`export const reach = () => fetch('http://127.0.0.1:1/')
      export const any = () => Promise.any([Promise.reject(new Error('one')), Promise.reject(new Error('two'))]).catch((e) => { e.message = ''; throw e })`)
    const { error } = await rig.failure('reach')
    expect(error.message).toBe('fetch failed')
    expect(error.cause?.message).toMatch(/ECONNREFUSED|bad port/)
    expect((await rig.failure('any')).error.message).toBe('one; two')
  })

  it('prevents retries if it is marked so, by any copy of the class', async () => {
    const rig = deployed(
      `const mark = Symbol.for('wes.NonRetryableError')
       class Never extends Error { get [mark]() { return true } }
       export const byPrototype = () => { throw new Never('never') }
       export const byItself = async () => { throw Object.assign(new Error('never'), { [mark]: true }) }`,
    )
    expect(await rig.failure('byPrototype')).toMatchObject({ retryable: false, error: { message: 'never' } })
    expect(await rig.failure('byItself')).toMatchObject({ retryable: false, error: { message: 'never' } })
  })
})

describe('the timeout of an attempt', () => {
  it('aborts the signal and fails the attempt, even if the effect ignores the signal', async () => {
    const rig = deployed(
      `export const listens = (_, { signal, log }) => new Promise((_, reject) =>
         signal.addEventListener('abort', () => { log.warn(signal.reason.name); reject(signal.reason) }))
       export const deaf = () => new Promise(() => {})
       export const cleansUp = async (_, { signal }) => {
         await new Promise((resolve) => signal.addEventListener('abort', resolve))
         throw new Error('clean-up failed')
       }`,
    )
    const listens = rig.call('listens', 1, { timeoutMs: 50 })
    const expected = {
      kind: 'failed',
      retryable: true,
      error: { code: 'effect_timeout', name: 'TimeoutError', message: 'effect "listens" timed out after 0.05 s' },
    }
    expect(await listens.outcome).toEqual(expected)
    expect(listens.logs).toEqual([{ level: 'warn', message: 'TimeoutError' }])
    const begun = performance.now()
    expect(await rig.failure('deaf', 1, { timeoutMs: 50 })).toMatchObject({ error: { code: 'effect_timeout' } })
    expect(performance.now() - begun).toBeGreaterThan(540)
    const cleaned = await rig.failure('cleansUp', 1, { timeoutMs: 50 })
    expect(cleaned.error).toMatchObject({ code: 'effect_timeout', name: 'TimeoutError' })
    expect(cleaned.error.stack).toMatch(/^caused by: Error: clean-up failed\n/)
  })

  it('is not waited for after a cancel, even if the effect ignores the signal: its place is free soon', async () => {
    const rig = deployed(
      `export const deaf = (_, { log }) => { log.info('begins'); return new Promise(() => {}) }
       export const quick = () => 'done'`,
      { concurrency: 2, cancelGraceMs: 50 },
    )
    const deaf = rig.call('deaf', 1, { timeoutMs: 600_000 })
    await expect.poll(() => deaf.logs).toHaveLength(1)
    deaf.cancel()
    expect(await deaf.outcome).toMatchObject({ error: { code: 'cancelled' } })
    expect(await Promise.all([rig.result('quick'), rig.result('quick')])).toEqual(['done', 'done'])
  })

  it('accepts a result shortly after it', async () => {
    const rig = deployed(
      `export const late = (_, { signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve('late')))`,
    )
    expect(await rig.result('late', 1, { timeoutMs: 50 })).toBe('late')
  })

  it('does not include waiting for a process and loading', async () => {
    const rig = deployed(
      `await new Promise((resolve) => setTimeout(resolve, 300))
       export const nap = () => new Promise((resolve) => setTimeout(resolve, 80, 'slept'))`,
      { concurrency: 1 },
    )
    const naps = Array.from({ length: 5 }, () => rig.result('nap', 1, { timeoutMs: 200 }))
    expect(await Promise.all(naps)).toEqual(Array(5).fill('slept'))
  })

  it('may be longer than the limit of a timer', async () => {
    const rig = deployed(`export const quick = () => new Promise((resolve) => setTimeout(resolve, 20, 'done'))`)
    expect(await rig.result('quick', 1, { timeoutMs: 40 * 86_400_000 })).toBe('done')
  })
})

describe('a cancelled attempt', () => {
  it('has its signal aborted, and is not waited for', async () => {
    const rig = deployed(
      `export const state = { aborted: 0 }
       export const waits = (_, { signal }) => new Promise((resolve) => signal.addEventListener('abort', () => { state.aborted++; resolve() }))
       export const count = () => state.aborted`,
    )
    await rig.result('count')
    const call = rig.call('waits')
    await until(() => rig.hosts.status()[0]!.underWay === 1)
    call.cancel()
    expect(await call.outcome).toMatchObject({ kind: 'failed', retryable: false, error: { code: 'cancelled' } })
    await until(() => rig.hosts.status()[0]!.underWay === 0)
    expect(await rig.result('count')).toBe(1)
  })

  it('does not start if it was still queued', async () => {
    const rig = deployed(
      `let begun = 0
       export const hold = (ms) => { begun++; return new Promise((resolve) => setTimeout(resolve, ms)) }
       export const count = () => begun`,
      { concurrency: 1 },
    )
    const first = rig.call('hold', 100)
    const second = rig.call('hold', 1)
    second.cancel()
    const third = rig.call('hold', 1)
    expect(await second.outcome).toMatchObject({ kind: 'failed' })
    await Promise.all([first.outcome, third.outcome])
    expect(await rig.result('count')).toBe(2)
    const controller = new AbortController()
    controller.abort()
    expect(await rig.failure('hold', 1, { signal: controller.signal })).toMatchObject({ error: { code: 'cancelled' } })
    expect(await rig.result('count')).toBe(2)
  })
})

describe('many attempts', () => {
  it('run concurrently up to the limit, and alternate between Executions', async () => {
    const rig = deployed(
      `let now = 0, most = 0
       const order = []
       export const work = async (name) => {
         order.push(name); now++; most = Math.max(most, now)
         await new Promise((resolve) => setTimeout(resolve, 10)); now--
       }
       export const seen = () => ({ most, order })`,
      { concurrency: 12 },
    )
    const of = (executionId: string, count: number) =>
      Array.from({ length: count }, (_, at) => rig.perform('work', `${executionId}${at}`, { executionId }))
    await Promise.all([...of('a', 12), ...of('b', 2)])
    const { most, order } = (await rig.result('seen')) as { most: number; order: string[] }
    expect(most).toBe(6)
    expect(order).toHaveLength(14)
    expect(order.indexOf('b1')).toBeLessThan(8)
  })

  it('that take long leave places for other Programs and other Executions', async () => {
    const rig = deployed('export const hang = () => new Promise(() => {}); export const quick = () => 1', {
      concurrency: 12,
    })
    const signal = AbortSignal.timeout(30_000)
    const hang = (executionId: string, programId: string) =>
      Array.from({ length: 20 }, () => void rig.perform('hang', 1, { executionId, programId, signal }))
    hang('exe_1', 'greedy')
    expect(await rig.result('quick', 1, { executionId: 'exe_2', programId: 'greedy' })).toBe(1)
    for (let at = 3; at < 20; at++) hang(`exe_${at}`, 'greedy')
    expect(await rig.result('quick', 1, { executionId: 'exe_20', programId: 'quick' })).toBe(1)
  })

  it('that continue long after their timeout get a new process for later attempts', async () => {
    const rig = deployed('export const deaf = () => new Promise(() => {}); export const pid = () => process.pid', {
      graceMs: 50,
      concurrency: 60,
    })
    const pid = await rig.result('pid')
    await Promise.all(Array.from({ length: 60 }, () => rig.failure('deaf', 1, { timeoutMs: 50 })))
    expect(await rig.result('pid')).not.toBe(pid)
  })

  it('share one process, which stops when it is idle', async () => {
    const rig = deployed('export const pid = () => process.pid', { idleMs: 100 })
    const pids = await Promise.all(Array.from({ length: 20 }, () => rig.result('pid')))
    expect(new Set(pids).size).toBe(1)
    expect(rig.hosts.status()).toMatchObject([{ name: rig.folder, pid: pids[0], state: 'ready', solo: false }])
    await until(() => rig.hosts.status().length === 0)
    expect(await rig.result('pid')).not.toBe(pids[0])
  })
})
