import { describe, expect, expectTypeOf, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { processorMs } from '../../src-runtime/shared/processor-time.test-support.ts'
import { defineEffect, type EffectContext } from '../define-effect.ts'
import { defineEvent } from '../define-event.ts'
import { defineProgram, type ProgramContext } from '../define-program.ts'
import { CancelledError, EffectError, NonRetryableError, TimeoutError } from '../errors-for-authors.ts'
import { asEffects } from './as-effects.ts'
import { createTestExecution } from './create-test-execution.ts'
import { fake, type FakesOf } from './fakes.ts'

const approved = defineEvent('approved', z.object({ by: z.string() }))

const real = {
  chargeCard: async (input: { cents: number }): Promise<{ receipt: string }> => ({ receipt: `real ${input.cents}` }),
  notify: defineEffect({ retry: { maxAttempts: 2, initialInterval: '1m' }, timeout: '10s' }, async (to: string) => {
    expectTypeOf(to).toEqualTypeOf<string>()
  }),
}
const effects = asEffects(real)

const order = defineProgram(
  { id: 'order', input: z.object({ cents: z.number() }), events: [approved] },
  async (ctx, { cents }) => {
    const { by } = await ctx.waitForEvent(approved, { timeout: '3 days' })
    const { receipt } = await effects.chargeCard({ cents })
    return { by, receipt }
  },
)

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.fail('it did not reject'),
    (error: unknown) => (error as { code: string }).code,
  )

describe('an Execution under test', () => {
  it('runs a Program with fake effects and an event, and returns its result', async () => {
    const chargeCard = vi.fn(async (_: { cents: number }) => ({ receipt: 'r-1' }))
    const run = createTestExecution(order, { cents: 500 }, { effects: { chargeCard } })
    expect(await run.waitingFor()).toEqual([
      { kind: 'event', name: 'approved', since: '2026-01-01T00:00:00.000Z', timeoutAt: '2026-01-04T00:00:00.000Z' },
    ])
    await run.send(approved, { by: 'Grace' })
    expect(await run.result()).toEqual({ by: 'Grace', receipt: 'r-1' })
    expect(chargeCard).toHaveBeenCalledExactlyOnceWith(
      { cents: 500 },
      expect.objectContaining({ attempt: 1, executionId: 'exe_test' }),
    )
  })

  it('has the same history as in the service', async () => {
    const run = createTestExecution(order, { cents: 5 }, { effects: { chargeCard: () => ({ receipt: 'r' }) } })
    await run.advance('1h')
    await run.send('approved', { by: 'Ada' })
    await run.result()
    expect(await run.history()).toEqual([
      { position: 1, at: '2026-01-01T00:00:00.000Z', type: 'execution_started', data: { input: { cents: 5 } } },
      {
        position: 2,
        at: '2026-01-01T00:00:00.000Z',
        type: 'wait_scheduled',
        command: 1,
        name: 'approved',
        data: { timeoutAt: '2026-01-04T00:00:00.000Z' },
      },
      {
        position: 3,
        at: '2026-01-01T01:00:00.000Z',
        type: 'event_received',
        name: 'approved',
        data: { id: 'evt_1', payload: { by: 'Ada' } },
      },
      {
        position: 4,
        at: '2026-01-01T01:00:00.000Z',
        type: 'event_delivered',
        command: 1,
        name: 'approved',
        data: { id: 'evt_1' },
      },
      {
        position: 5,
        at: '2026-01-01T01:00:00.000Z',
        type: 'effect_scheduled',
        command: 2,
        name: 'chargeCard',
        data: { input: { cents: 5 } },
      },
      {
        position: 6,
        at: '2026-01-01T01:00:00.000Z',
        type: 'effect_completed',
        command: 2,
        name: 'chargeCard',
        attempt: 1,
        data: { result: { receipt: 'r' } },
      },
      {
        position: 7,
        at: '2026-01-01T01:00:00.000Z',
        type: 'execution_completed',
        data: { result: { by: 'Ada', receipt: 'r' } },
      },
    ])
  })

  it('has types from the definition, the event and the effect', async () => {
    const run = createTestExecution(
      order,
      { cents: 1 },
      {
        effects: [
          fake(effects.chargeCard, (input, attempt) => {
            expectTypeOf(input).toEqualTypeOf<{ cents: number }>()
            expectTypeOf(attempt).toEqualTypeOf<EffectContext>()
            return { receipt: `${input.cents}:${attempt.attempt}` }
          }),
        ],
      },
    )
    expectTypeOf(run.result).returns.resolves.toEqualTypeOf<{ by: string; receipt: string }>()
    const neverRun = (_: () => void) => undefined
    neverRun(() => {
      // @ts-expect-error an input is needed
      createTestExecution(order)
      // @ts-expect-error cents is a number
      createTestExecution(order, { cents: 'x' })
      // @ts-expect-error a payload is needed
      void run.send(approved)
      // @ts-expect-error by is a string
      void run.send(approved, { by: 1 })
      // @ts-expect-error a test sends each event once
      void run.send(approved, { by: 'Ada' }, { idempotencyKey: 'k' })
      // @ts-expect-error not what the effect answers
      fake(effects.chargeCard, () => ({ other: 1 }))
      // @ts-expect-error no effect of that name
      void ({ chargeCart: async () => ({ receipt: '' }) } satisfies FakesOf<typeof real>)
      void ({
        chargeCard: ({ cents }) => {
          expectTypeOf(cents).toEqualTypeOf<number>()
          return { receipt: '' }
        },
        notify: (to) => {
          expectTypeOf(to).toEqualTypeOf<string>()
        },
      } satisfies FakesOf<typeof real>)
    })
    await run.send(approved, { by: 'Ada' })
    expect(await run.result()).toEqual({ by: 'Ada', receipt: '1:1' })
  })

  it('gets values as converted by JSON', async () => {
    const program = defineProgram({ id: 'p' }, async (ctx, input: { at: unknown; none?: string | undefined }) => {
      const answered = await ctx.effect('echo', { at: input.at })
      return { input: typeof input.at, keys: Object.keys(input), answered, gone: undefined }
    })
    const run = createTestExecution(
      program,
      { at: new Date(0), none: undefined },
      { effects: { echo: (input: { at: string }) => ({ same: input.at, when: new Date(1) }) } },
    )
    expect(await run.result()).toEqual({
      input: 'string',
      keys: ['at'],
      answered: { same: '1970-01-01T00:00:00.000Z', when: '1970-01-01T00:00:00.001Z' },
    })
  })

  it('refuses the same values as the service', async () => {
    const wrong = createTestExecution(order, { cents: 'many' } as unknown as { cents: number })
    expect(await codeOf(wrong.result())).toBe('invalid_input')
    await expect(wrong.waitingFor()).rejects.toThrow('The input does not match its schema at /cents')

    const run = createTestExecution(order, { cents: 1 }, { effects: { chargeCard: () => ({ receipt: '' }) } })
    expect(await codeOf(run.send('approved', { by: 1 }))).toBe('invalid_input')
    await run.send(approved, { by: 'Ada' })
    await run.result()
    expect(await codeOf(run.send(approved, { by: 'Ada' }))).toBe('execution_finished')
    expect(await codeOf(run.cancel())).toBe('execution_finished')
  })

  const nested = (levels: number): unknown => {
    let value: unknown = 1
    for (let level = 0; level < levels; level++) value = [value]
    return value
  }

  it.each<[string, string, unknown, object]>([
    ['a NUL in its name', 'a\0b', 1, { status: 400, message: 'body/name must not have U+0000 in it' }],
    ['half a surrogate pair in its name', '\ud800', 1, { message: 'body/name must be well-formed Unicode' }],
    ['no name', '', 1, { message: 'body/name must not be empty' }],
    ['a long name', 'x'.repeat(201), 1, { message: 'body/name must not have more than 200 characters' }],
    ['a deep payload', 'e', nested(256), { message: 'body is nested deeper than 256 levels' }],
    ['a large payload', 'e', 'x'.repeat(2 ** 20 - 2), { status: 413, code: 'payload_too_large' }],
  ])('refuses an event with %s as the service does', async (_, name, payload, error) => {
    const run = createTestExecution(defineProgram({ id: 'p' }, (ctx) => ctx.waitForEvent('e')))
    await expect(run.send(name, payload)).rejects.toMatchObject({ status: 400, code: 'invalid_request', ...error })
    await run.send('e', nested(255))
    expect(await run.result()).toEqual(nested(255))
  })

  it('refuses a deep input as the service does', async () => {
    const program = defineProgram({ id: 'p' }, async (_, input: unknown) => input)
    expect(await createTestExecution(program, nested(255)).result()).toEqual(nested(255))
    await expect(createTestExecution(program, nested(256)).result()).rejects.toMatchObject({
      status: 400,
      code: 'invalid_request',
      message: 'body is nested deeper than 256 levels',
    })
  })

  it('fails for values that are nested too deeply, with the messages of the service', async () => {
    const program = defineProgram({ id: 'p' }, async (ctx) => {
      const messages = []
      for (const input of [nested(257), 1]) {
        messages.push(await ctx.effect('deep', input).catch((error: unknown) => (error as Error).message))
      }
      return nested(messages.push('') === 3 ? 257 : 1)
    })
    const run = createTestExecution(program, undefined, { effects: { deep: () => nested(257) } })
    expect(await run.outcome()).toEqual({
      status: 'failed',
      error: { code: 'invalid_result', message: 'The result is nested deeper than 256 levels' },
    })
    expect((await run.history()).find(({ type }) => type === 'effect_failed')?.data).toMatchObject({
      error: { message: 'the result of effect "deep" is nested over 256 levels' },
    })
  })

  it.each([
    ['a value of 100,000 levels', () => nested(1e5), 'is nested deeper than 256 levels'],
    ['a value without JSON', () => ({ toJSON() {} }), 'is not JSON: its toJSON() returns no JSON'],
  ])('fails for %s, with the message of the service', async (_, make, what) => {
    const run = createTestExecution(defineProgram({ id: 'p' }, async () => make()))
    expect(await run.outcome()).toMatchObject({ error: { code: 'invalid_result', message: `The result ${what}` } })
  })

  it('returns the error of a Program that throws, and the outcome without rejecting', async () => {
    const program = defineProgram({ id: 'p' }, async () => {
      throw new RangeError('too far')
    })
    const run = createTestExecution(program)
    await expect(run.result()).rejects.toMatchObject({
      code: 'execution_failed',
      message: 'Execution exe_test failed: too far',
      cause: { code: 'program_error', name: 'RangeError', message: 'too far' },
    })
    expect(await run.outcome()).toMatchObject({ status: 'failed', error: { name: 'RangeError' } })
    expect(await run.status()).toBe('failed')
  })

  describe.each<[string, (error: Error) => unknown, object]>([
    [
      'a message that cannot be read',
      (error) =>
        Object.defineProperty(error, 'message', {
          get: () => {
            throw new Error('unreadable')
          },
        }),
      { name: 'RangeError', message: '' },
    ],
    [
      'a message that is an object',
      (error) => Object.assign(error, { message: { a: 1 } }),
      { name: 'RangeError', message: '{"a":1}' },
    ],
    ['a name that is a number', (error) => Object.assign(error, { name: 5 }), { name: 'Error', message: 'x' }],
    [
      'inner errors and no message',
      (error) => Object.assign(error, { message: '', errors: [new Error('a'), 'b'] }),
      { name: 'RangeError', message: 'a; b', cause: { name: 'Error', message: 'a' } },
    ],
  ])('an error with %s', (_, change, expected) => {
    const thrower = () => {
      throw change(new RangeError('x'))
    }
    const program = defineProgram({ id: 'p' }, async (ctx, { where }: { where: string }) => {
      if (where === 'program') thrower()
      if (where === 'cause') throw new Error('outer', { cause: change(new RangeError('x')) })
      await ctx.effect('odd', null, { retry: { maxAttempts: 1 } })
    })
    const errorOf = async (where: string) => {
      const run = createTestExecution(program, { where }, { effects: { odd: thrower } })
      return ((await run.outcome()) as { readonly error: { readonly message: string; readonly cause?: object } }).error
    }

    it('has texts as name and message when a Program throws it', async () => {
      expect(await errorOf('program')).toMatchObject({ code: 'program_error', ...expected })
    })

    it('has texts as name and message when it is the cause of another', async () => {
      expect((await errorOf('cause')).cause).toMatchObject(expected)
    })

    it('has texts as name and message when an effect throws it', async () => {
      const error = await errorOf('effect')
      expect(error.cause).toMatchObject(expected)
    })
  })

  it('has the messages of all promises that Promise.any was given, and well-formed text', async () => {
    const program = defineProgram({ id: 'p' }, () =>
      Promise.any([
        Promise.reject(new Error('a\ud800')),
        Promise.any([Promise.reject(new Error('b')), Promise.reject(new Error('c'))]),
      ]),
    )
    expect(await createTestExecution(program).outcome()).toMatchObject({
      error: { name: 'AggregateError', message: 'a\ufffd; b; c', cause: { message: 'a\ufffd' } },
    })
  })

  it('has well-formed text in the errors of effects, as in the service', async () => {
    const cut = () => {
      throw Object.assign(new RangeError('a\ud800'), { code: 'b\ud800' })
    }
    const program = defineProgram({ id: 'p' }, (ctx) => ctx.effect('cut', null, { retry: { maxAttempts: 1 } }))
    const run = createTestExecution(program, undefined, { effects: { cut } })
    await run.outcome()
    expect((await run.history()).find(({ type }) => type === 'effect_failed')?.data).toMatchObject({
      error: {
        code: 'b\ufffd',
        name: 'RangeError',
        message: 'a\ufffd',
        stack: expect.stringMatching(/^RangeError: a\ufffd\n/),
      },
    })
  })

  it('has the messages of what was thrown when `using` disposed of something, and before', async () => {
    const program = defineProgram({ id: 'p' }, async () => {
      using _ = {
        [Symbol.dispose]: () => {
          throw new RangeError('a')
        },
      }
      throw new Error('b')
    })
    expect(await createTestExecution(program).outcome()).toMatchObject({
      error: { name: 'SuppressedError', message: 'a; b', cause: { name: 'RangeError', message: 'a' } },
    })
  })

  it('tells an effect that failed from an EffectError that the Program made', async () => {
    const outcomeOf = (run: (ctx: ProgramContext) => Promise<unknown>) =>
      createTestExecution(defineProgram({ id: 'p' }, run), undefined, {
        effects: { pay: () => Promise.reject(new NonRetryableError('refused')) },
      }).outcome()
    const thrown = await outcomeOf(async () => {
      throw new EffectError('refused')
    })
    const failed = await outcomeOf((ctx) => ctx.effect('pay'))
    expect(thrown).toMatchObject({ error: { code: 'program_error', name: 'EffectError', message: 'refused' } })
    expect(failed).toMatchObject({ error: { code: 'effect_failed', name: 'EffectError', message: 'refused' } })
  })

  it('has the causes of an error, also those of an effect', async () => {
    const program = defineProgram({ id: 'p' }, async (ctx) => {
      await ctx.effect('pay').catch((error: unknown) => {
        throw new Error('not paid', { cause: error })
      })
    })
    const pay = () => {
      throw new NonRetryableError('refused', { cause: new RangeError('too far', { cause: 'the moon' }) })
    }
    const run = createTestExecution(program, undefined, { effects: { pay } })
    const outcome = await run.outcome()
    const refused = {
      message: 'refused',
      cause: { name: 'RangeError', message: 'too far', cause: { message: 'the moon' } },
    }
    expect(outcome).toMatchObject({
      error: {
        message: 'not paid',
        cause: { name: 'EffectError', message: 'refused', cause: { name: 'NonRetryableError', ...refused } },
      },
    })
    const failed = (await run.history()).find(({ type }) => type === 'effect_failed')
    expect(failed?.data).toMatchObject({ error: refused })
  })

  it('fails for results that are not JSON', async () => {
    const run = createTestExecution(defineProgram({ id: 'p' }, async () => ({ cents: 1n })))
    const message = expect.stringMatching(
      /not JSON: .*\. Its member "cents" is a BigInt: make it a text with String\(…\)/,
    )
    expect(await run.outcome()).toMatchObject({ status: 'failed', error: { code: 'invalid_result', message } })
    const circular = createTestExecution(
      defineProgram({ id: 'p' }, async () => {
        const order: { items: object[] } = { items: [] }
        order.items.push({ order })
        return order
      }),
    )
    expect(await circular.outcome()).toMatchObject({
      error: { message: expect.stringMatching(/\. Its member "order" is an object that contains it: leave it out$/) },
    })
  })

  it('fails for a promise in the result, and warns of one in the input of an effect', async () => {
    const program = defineProgram({ id: 'p' }, async (ctx) => {
      await ctx.effect('e', { card: ctx.sleep(1) })
      return { a: {}, paid: ctx.sleep(1) }
    })
    const run = createTestExecution(program, undefined, { effects: { e: () => 1 } })
    const message = 'The result is not JSON: its member "paid" is a promise, which has to be awaited first'
    expect(await run.outcome()).toMatchObject({ status: 'failed', error: { code: 'invalid_result', message } })
    const warned =
      'The member "card" of the input of effect "e" is a promise, so the effect gets {} for it: await the promise first'
    expect((await run.history()).filter(({ type }) => type === 'log')).toMatchObject([
      { data: { level: 'warn', message: warned } },
    ])
  })

  it.each<[string, string, (ctx: ProgramContext) => Promise<void>]>([
    [
      'commands',
      'The Program asked for more than 10,000 effects, timers and waits. Let one effect do several steps, or divide the work among several Executions',
      async (ctx) => {
        for (;;) void ctx.sleep('1h').catch(() => {})
      },
    ],
    [
      'output of a turn',
      'The Program asked for more than 16 MiB in one turn. Give effects less input, for instance the id of stored data, or await some before the next ones',
      async (ctx) => {
        const big = 'x'.repeat(1e6)
        for (;;) void ctx.effect('e', big).catch(() => {})
      },
    ],
  ])('ends a Program that exceeds the limit of %s, without that turn', async (_, message, ask) => {
    const program = defineProgram({ id: 'p' }, async (ctx) => {
      ctx.log.info('first turn')
      await ctx.sleep('1h')
      ctx.log.info('is dropped')
      await ask(ctx)
    })
    const run = createTestExecution(program)
    const error = { code: 'history_limit_exceeded', message }
    expect(await run.outcome()).toEqual({ status: 'failed', error })
    expect((await run.history()).map(({ type }) => type)).toEqual([
      'execution_started',
      'log',
      'timer_scheduled',
      'timer_fired',
      'execution_failed',
    ])
  })
})

describe('the clock', () => {
  const report = defineProgram({ id: 'report' }, async (ctx) => {
    const first = new Date().toISOString()
    await ctx.sleep('1 day')
    await ctx.sleepUntil('2026-03-01')
    return [first, new Date().toISOString(), Date.now() === new Date().getTime(), new Date() instanceof Date]
  })

  it('stands still unless the test moves it', async () => {
    const run = createTestExecution(report)
    expect(await run.waitingFor()).toEqual([{ kind: 'timer', wakeAt: '2026-01-02T00:00:00.000Z' }])
    await run.advance('23h 59m')
    expect(await run.waitingFor()).toEqual([{ kind: 'timer', wakeAt: '2026-01-02T00:00:00.000Z' }])
    await run.advance('1m')
    expect(await run.waitingFor()).toEqual([{ kind: 'timer', wakeAt: '2026-03-01T00:00:00.000Z' }])
    await run.advance(new Date('2026-04-01'))
    expect(run.now().toISOString()).toBe('2026-04-01T00:00:00.000Z')
    expect(await run.result()).toEqual(['2026-01-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z', true, true])
  })

  it('is the real one in the test itself', async () => {
    const before = Date.now()
    await createTestExecution(report, undefined, { startAt: 0 }).result()
    expect(Date.now()).toBeGreaterThanOrEqual(before)
    expect(Date.now() - before).toBeLessThan(60_000)
  })

  it('is the machine’s if the environment may not be read, as in Deno', async () => {
    const { env } = process
    onTestFinished(() => void (process.env = env))
    process.env = new Proxy(env, {
      get: (target, name) => {
        if (name === 'TZ') throw new Error('NotCapable: Requires env access')
        return target[name as string]
      },
    })
    const program = defineProgram({ id: 'p' }, async () => Date.now())
    expect(await createTestExecution(program, 1, { startAt: '2026-01-01' }).result()).toBe(Date.parse('2026-01-01'))
  })

  it('is in UTC for Programs, and in the machine’s zone outside', async () => {
    vi.stubEnv('TZ', 'America/New_York')
    onTestFinished(() => void vi.unstubAllEnvs())
    const program = defineProgram({ id: 'p' }, async (ctx) => {
      await ctx.effect('look')
      const noon = new Date('2026-01-01T12:00:00Z')
      expect(noon.constructor).toBe(Date)
      return [noon.getHours(), new Date(2026, 0, 1, 12).toISOString(), noon.toString().slice(16, 33)]
    })
    const look = () => new Date('2026-01-01T12:00:00Z').getHours()
    const run = createTestExecution(program, undefined, { effects: { look } })
    expect(await run.result()).toEqual([12, '2026-01-01T12:00:00.000Z', '12:00:00 GMT+0000'])
    expect((await run.history()).find(({ type }) => type === 'effect_completed')?.data).toEqual({ result: 7 })
    expect(new Date('2026-01-01T12:00:00Z').getHours()).toBe(7)
    expect(new Date().constructor).toBe(Date)
    expect(process.env['TZ']).toBe('America/New_York')
  })

  it('moves only to valid times', async () => {
    const run = createTestExecution(report)
    await expect(run.advance(new Date('soon'))).rejects.toThrow('got an invalid Date')
    await expect(run.advance(NaN)).rejects.toThrow(TypeError)
    await expect(run.advance('soon' as never)).rejects.toThrow(TypeError)
    expect(run.now().toISOString()).toBe('2026-01-01T00:00:00.000Z')
    await run.advance('1 day')
    expect(await run.waitingFor()).toEqual([{ kind: 'timer', wakeAt: '2026-03-01T00:00:00.000Z' }])
  })

  it('is separate for each Execution', async () => {
    const runs = [1, 2, 3].map((year) => createTestExecution(report, undefined, { startAt: `200${year}-01-01` }))
    const results = await Promise.all(runs.map((run) => run.result()))
    expect(results.map(([first]) => first)).toEqual([
      '2001-01-01T00:00:00.000Z',
      '2002-01-01T00:00:00.000Z',
      '2003-01-01T00:00:00.000Z',
    ])
  })

  it('and random numbers are the same in every run', async () => {
    const program = defineProgram({ id: 'p' }, async (ctx) => {
      const first = Math.random()
      await ctx.sleep('1s')
      return [first, Math.random(), crypto.randomUUID(), crypto.getRandomValues(new Uint8Array(4)).join()]
    })
    const results = await Promise.all(
      ['a', 'a', 'b'].map((executionId) => createTestExecution(program, undefined, { executionId }).result()),
    )
    expect(results[0]).toEqual(results[1])
    expect(results[0]).not.toEqual(results[2])
    expect(results[0]?.[0]).not.toBe(results[0]?.[1])
    const refused = defineProgram({ id: 'p' }, () => void crypto.getRandomValues(new Uint8Array(65_537)))
    await expect(createTestExecution(refused).result()).rejects.toMatchObject({ cause: { name: 'QuotaExceededError' } })
    expect(Math.random()).not.toBe(results[0]?.[0])
  })

  it('advances over years of sleep and hundreds of effects in milliseconds', async () => {
    const program = defineProgram({ id: 'p' }, async (ctx) => {
      let done = 0
      for (let night = 0; night < 365; night++) await ctx.sleep('1 day')
      await Promise.all(Array.from({ length: 200 }, async (_, at) => ctx.effect('one', at).then(() => done++)))
      return done
    })
    const before = processorMs()
    expect(await createTestExecution(program, undefined, { effects: { one: () => null } }).result()).toBe(200)
    expect(processorMs() - before).toBeLessThan(1_000)
  })
})

describe('events and timeouts', () => {
  const waits = defineProgram({ id: 'waits' }, async (ctx) => {
    try {
      return await ctx.waitForEvent<string>('go', { timeout: '1h' })
    } catch (error) {
      return error instanceof TimeoutError ? error.message : 'something else'
    }
  })

  it('rejects the wait at its timeout', async () => {
    const run = createTestExecution(waits)
    await run.advance('1h')
    expect(await run.status()).toBe('completed')
    expect(await run.result()).toBe('No event "go" came in time')
  })

  it('delivers an event that arrives a millisecond before the timeout', async () => {
    const run = createTestExecution(waits)
    await run.advance(3_599_999)
    await run.send('go', 'just in time')
    await run.advance('1h')
    expect(await run.result()).toBe('just in time')
  })

  it('times out a wait if the test reads the result before it sends the event', async () => {
    expect(await createTestExecution(waits).result()).toBe('No event "go" came in time')
  })

  it.each(['é', '😀'])('takes event names of 200 times %s, not of 201', async (one) => {
    const program = defineProgram({ id: 'p' }, (ctx, { length }: { length: number }) =>
      ctx.waitForEvent(one.repeat(length)),
    )
    const run = createTestExecution(program, { length: 200 })
    expect(await codeOf(run.send(one.repeat(201)))).toBe('invalid_request')
    await run.send(one.repeat(200), 'taken')
    expect(await run.result()).toBe('taken')
    await expect(createTestExecution(program, { length: 201 }).result()).rejects.toThrow('1 to 200 characters')
  })

  it('does not let the Program wait for a name that nobody can send', async () => {
    const program = defineProgram({ id: 'p' }, (ctx) => ctx.waitForEvent('a\0b'))
    await expect(createTestExecution(program).result()).rejects.toThrow('needs a name without U+0000')
  })

  it('refuses a value that JSON lacks, and an event without a name, as a client does', async () => {
    const run = createTestExecution(defineProgram({ id: 'p' }, (ctx) => ctx.waitForEvent('a')))
    for (const payload of [1n, () => 1, Symbol('s')]) {
      await expect(run.send('a', payload)).rejects.toMatchObject({ status: 0, code: 'invalid_request' })
    }
    await expect(run.send(undefined as never)).rejects.toThrow('send takes an event that defineEvent made, or its name')
  })

  it('keeps 64 MiB of events, in UTF-8', async () => {
    const run = createTestExecution(defineProgram({ id: 'p' }, (ctx) => ctx.waitForEvent('a')))
    for (let sent = 0; sent < 64; sent++) await run.send('b', 'é'.repeat(524_000))
    expect(await codeOf(run.send('b', 'é'.repeat(100_000)))).toBe('rate_limited')
    await run.send('a', 'taken')
    expect(await run.result()).toBe('taken')
  })

  it('keeps events until the Program waits for them, in order', async () => {
    const program = defineProgram({ id: 'p' }, async (ctx) => {
      await ctx.sleep('1m')
      return [await ctx.waitForEvent('a'), await ctx.waitForEvent('a'), await ctx.waitForEvent('b')]
    })
    const run = createTestExecution(program)
    await run.send('b', 1)
    await run.send('a', 2)
    await run.send('a', 3)
    expect(await run.result()).toEqual([2, 3, 1])
  })

  it('reports an event that was never sent', async () => {
    const program = defineProgram({ id: 'p' }, (ctx) => ctx.waitForEvent('approved'))
    const run = createTestExecution(program)
    await expect(run.result()).rejects.toThrow('it waits for event "approved", without a timeout')
    await run.send('approved', 1)
    expect(await run.result()).toBe(1)
  })

  it('gives a wait that lost a race the next event of its name', async () => {
    const program = defineProgram({ id: 'p' }, async (ctx) => {
      const first = await Promise.race([ctx.waitForEvent<string>('a'), ctx.sleep('1m').then(() => 'timer')])
      return [first, await ctx.waitForEvent<string>('a')]
    })
    const run = createTestExecution(program)
    await run.advance('1m')
    await run.send('a', 'for the loser')
    await run.send('a', 'for the second')
    expect(await run.result()).toEqual(['timer', 'for the second'])
  })

  it('delivers everything due at the same time in call order, one turn each', async () => {
    const turns: string[] = []
    const program = defineProgram({ id: 'p' }, async (ctx) => {
      const step = async (name: string) => {
        await ctx.sleep('1m')
        turns.push(name)
        await Promise.resolve()
        turns.push(`${name}, later`)
      }
      await Promise.all([step('first'), step('second')])
    })
    await createTestExecution(program).result()
    expect(turns).toEqual(['first', 'first, later', 'second', 'second, later'])
  })
})

describe('effects', () => {
  const pay = defineProgram({ id: 'pay' }, () => effects.chargeCard({ cents: 1 }))

  it('are retried by policy, on the test’s clock', async () => {
    const keys = new Set<string>()
    const run = createTestExecution(pay, undefined, {
      effects: {
        chargeCard: async (_: unknown, { attempt, idempotencyKey }) => {
          keys.add(idempotencyKey)
          if (attempt < 3) throw new Error(`busy ${attempt}`)
          return { receipt: `attempt ${attempt}` }
        },
      },
    })
    expect(await run.waitingFor()).toEqual([
      { kind: 'effect', name: 'chargeCard', attempt: 2, nextAttemptAt: '2026-01-01T00:00:00.500Z' },
    ])
    expect(await run.result()).toEqual({ receipt: 'attempt 3' })
    expect(run.now().toISOString()).toBe('2026-01-01T00:00:01.500Z')
    expect(keys.size).toBe(1)
    const failed = (await run.history()).filter(({ type }) => type === 'effect_attempt_failed')
    expect(failed.map(({ attempt, data }) => [attempt, data])).toEqual([
      [1, expect.objectContaining({ nextAttemptAt: '2026-01-01T00:00:00.500Z' })],
      [2, expect.objectContaining({ nextAttemptAt: '2026-01-01T00:00:01.500Z' })],
    ])
  })

  it('fail after their attempts, with the policy of defineEffect', async () => {
    const program = defineProgram({ id: 'p' }, async () => {
      const error = await effects.notify('ada').catch((caught: unknown) => caught)
      return error instanceof EffectError ? [error.message, error.code, error.cause] : 'something else'
    })
    const notify = vi.fn(async () => {
      throw new TypeError('no such address')
    })
    const run = createTestExecution(program, undefined, { effects: { notify } })
    const cause = { name: 'TypeError', message: 'no such address', code: 'effect_failed' }
    expect(await run.result()).toEqual(['no such address', 'effect_failed', cause])
    expect(notify).toHaveBeenCalledTimes(2)
    expect(run.now().toISOString()).toBe('2026-01-01T00:01:00.000Z')
  })

  it.each([
    ['in an object', (notify: () => never) => ({ notify })],
    ['made with fake()', (notify: () => never) => [fake(effects.notify, notify)]],
  ])('keep the policy of defineEffect when they are called by name, with fakes %s', async (_, fakes) => {
    const program = defineProgram({ id: 'p' }, (ctx) => ctx.effect('notify', 'ada'))
    let attempts = 0
    const notify = () => {
      attempts += 1
      throw new Error('no such address')
    }
    const run = createTestExecution(program, undefined, { effects: fakes(notify) })
    expect(await run.outcome()).toMatchObject({ error: { message: 'no such address' } })
    expect(attempts).toBe(2)
  })

  it('called by name have the policy of the effect that fake() was given', async () => {
    const failAlways = defineEffect({ retry: { maxAttempts: 2 } }, async () => null)
    const attempts: number[] = []
    const program = defineProgram({ id: 'p' }, (ctx) => ctx.effect('failAlways'))
    const prepared = asEffects({ failAlways })
    asEffects({ failAlways: async () => null }) // of another module that was loaded later
    const run = createTestExecution(program, undefined, {
      effects: [
        fake(prepared.failAlways, (__, { attempt }) => {
          attempts.push(attempt)
          throw new Error('always')
        }),
      ],
    })
    expect(await run.outcome()).toMatchObject({ status: 'failed' })
    expect(attempts).toEqual([1, 2])
  })

  it('are not retried after a NonRetryableError, and fail an Execution that does not catch it', async () => {
    const chargeCard = vi.fn(() => {
      throw new NonRetryableError('stolen card')
    })
    const run = createTestExecution(pay, undefined, { effects: { chargeCard } })
    expect(await run.outcome()).toMatchObject({
      status: 'failed',
      error: { code: 'effect_failed', message: 'stolen card' },
    })
    expect(chargeCard).toHaveBeenCalledOnce()
  })

  it('are retried at once, any number of times, if the first interval is 0', async () => {
    const retry = { initialInterval: 0, backoffCoefficient: 100, maxAttempts: 200 } as const
    const program = defineProgram({ id: 'p' }, (ctx) => ctx.effect<number>('flaky', null, { retry }))
    const flaky = (_: unknown, { attempt }: EffectContext) => {
      if (attempt < 200) throw new Error('not yet')
      return attempt
    }
    const run = createTestExecution(program, undefined, { effects: { flaky } })
    expect(await run.result()).toBe(200)
    expect(run.now().toISOString()).toBe('2026-01-01T00:00:00.000Z')
  })

  it('time out, with their signal aborted', async () => {
    const signals: AbortSignal[] = []
    const program = defineProgram({ id: 'p' }, (ctx) =>
      ctx.effect(effects.notify, 'ada', { retry: { maxAttempts: 1 } }),
    )
    const run = createTestExecution(program, undefined, {
      effects: {
        notify: (_: string, { signal }) => {
          signals.push(signal)
          return new Promise(() => {})
        },
      },
    })
    await run.advance('9s')
    expect(signals[0]?.aborted).toBe(false)
    await run.advance('1s')
    expect(signals[0]?.reason).toBeInstanceOf(DOMException)
    expect(signals[0]?.reason).toMatchObject({ name: 'TimeoutError', message: 'effect "notify" timed out after 10 s' })
    expect(await run.outcome()).toMatchObject({
      status: 'failed',
      error: { message: 'effect "notify" timed out after 10 s' },
    })
  })

  it('that time out have a TimeoutError as the cause of their EffectError, as in the service', async () => {
    const program = defineProgram({ id: 'p' }, (ctx) =>
      ctx.effect('slow', null, { retry: { maxAttempts: 1 }, timeout: '1s' }).catch((error: unknown) => ({
        ...(error as EffectError),
        json: JSON.stringify(error),
        cause: (error as EffectError).cause,
      })),
    )
    const run = createTestExecution(program, undefined, { effects: { slow: () => new Promise(() => {}) } })
    const failure = { name: 'TimeoutError', code: 'effect_timeout', message: 'effect "slow" timed out after 1 s' }
    await run.advance('1s')
    expect(await run.result()).toEqual({ json: '{}', cause: failure })
    const failed = (await run.history()).find(({ type }) => type === 'effect_failed')
    expect(failed?.data).toEqual({ error: failure })
  })

  it('may be completed by the test at any time', async () => {
    const answer = Promise.withResolvers<{ receipt: string }>()
    const run = createTestExecution(pay, undefined, { effects: [fake(effects.chargeCard, () => answer.promise)] })
    expect(await run.waitingFor()).toEqual([{ kind: 'effect', name: 'chargeCard', attempt: 1 }])
    await run.advance('1m')
    answer.resolve({ receipt: 'late' })
    expect(await run.result()).toEqual({ receipt: 'late' })
    expect(run.now().toISOString()).toBe('2026-01-01T00:01:00.000Z')
  })

  it('may do real work while the clock stands still', async () => {
    const run = createTestExecution(pay, undefined, {
      effects: {
        chargeCard: async () => {
          await new Promise((resolve) => setTimeout(resolve, 20))
          return { receipt: 'real' }
        },
      },
    })
    expect(await run.result()).toEqual({ receipt: 'real' })
    expect(run.now().toISOString()).toBe('2026-01-01T00:00:00.000Z')
  })

  it('may do real work before advance() moves the clock past their timeout', async () => {
    const attempts: number[] = []
    const program = defineProgram({ id: 'p' }, async (ctx) => {
      const first = await effects.chargeCard({ cents: 1 })
      await ctx.sleep('1h')
      return [first, await effects.chargeCard({ cents: 2 })]
    })
    const run = createTestExecution(program, undefined, {
      effects: {
        chargeCard: async ({ cents }: { cents: number }, { attempt }: EffectContext) => {
          attempts.push(attempt)
          await new Promise((resolve) => setTimeout(resolve, 5))
          return { receipt: `real ${cents}` }
        },
      },
    })
    await run.advance('1 day')
    expect(await run.status()).toBe('completed')
    expect(await run.result()).toEqual([{ receipt: 'real 1' }, { receipt: 'real 2' }])
    expect(attempts).toEqual([1, 1])
  })

  it('leave the classes of their module as they are', async () => {
    class OutOfStock extends NonRetryableError {}
    const exports = asEffects({ OutOfStock, reserve: () => Promise.reject(new OutOfStock('none left')) })
    expect(new exports.OutOfStock('none')).toBeInstanceOf(NonRetryableError)
    expect(exports.OutOfStock).toBe(OutOfStock)
  })

  it('without a fake fail the test, not the Program', async () => {
    const program = defineProgram({ id: 'p' }, () => effects.chargeCard({ cents: 1 }).catch(() => 'caught'))
    const fakes: FakesOf<typeof real> = { notify: () => {}, chargeCard: undefined }
    const run = createTestExecution(program, undefined, { effects: fakes })
    await expect(run.result()).rejects.toThrow('no fake for it: give createTestExecution { effects: { chargeCard')
    await expect(run.waitingFor()).rejects.toThrow('it has notify')
  })

  it('without a name fail the test, not the Program, unless they have a fake of their own', async () => {
    const pay = defineEffect({}, async () => 'paid')
    const program = defineProgram({ id: 'p' }, (ctx) => ctx.effect(pay).catch(() => 'caught'))
    const run = createTestExecution(program, undefined, { effects: { pay: () => 'faked' } })
    await expect(run.result()).rejects.toThrow('knows neither its name nor a fake for it: add the plugin wes()')
    const own = createTestExecution(program, undefined, { effects: [fake(pay, () => 'faked')] })
    expect(await own.result()).toBe('faked')
  })

  it('run directly when a test calls them', async () => {
    expect(await effects.chargeCard({ cents: 7 })).toEqual({ receipt: 'real 7' })
    expect(effects.chargeCard.name).toBe('chargeCard')
    expect(await createTestExecution(pay, undefined, { effects: { chargeCard: effects.chargeCard } }).result()).toEqual(
      {
        receipt: 'real 1',
      },
    )
  })

  it.each([
    ['not JSON', () => () => 1, 'invalid_result'],
    ['too large', () => 'x'.repeat(1_048_577), 'result_too_large'],
  ])('are not tried again when their result is %s, as in the service', async (_, result, code) => {
    let attempts = 0
    const program = defineProgram({ id: 'p' }, (ctx) =>
      ctx.effect('odd').catch((error: unknown) => [(error as EffectError).code, (error as EffectError).message]),
    )
    const odd = () => {
      attempts += 1
      return result()
    }
    const run = createTestExecution(program, undefined, { effects: { odd } })
    expect(await run.result()).toEqual([code, expect.stringContaining('the result of effect "odd" is')])
    expect(attempts).toBe(1)
  })

  it('fail with the code and message that they have in the service', async () => {
    const program = defineProgram({ id: 'p' }, (ctx) =>
      ctx.effect('call').catch((error: unknown) => {
        const { code, message, cause } = error as EffectError
        return [code, message, cause]
      }),
    )
    const failing = (thrown: Error) =>
      createTestExecution(program, undefined, { effects: { call: () => Promise.reject(thrown) } }).result()
    expect(await failing(new DOMException('It took too long', 'TimeoutError'))).toMatchObject([
      'effect_failed',
      'It took too long',
      { name: 'TimeoutError' },
    ])
    const refused = Object.assign(new Error('connect ECONNREFUSED ::1:1'), { code: 'ECONNREFUSED' })
    // As `fetch` throws when no address answers.
    const aggregate = Object.assign(new AggregateError([refused, 'and more'], 'none'), { message: '' })
    expect(await failing(aggregate)).toMatchObject([
      'effect_failed',
      'connect ECONNREFUSED ::1:1; and more',
      { name: 'AggregateError' },
    ])
    const containsItself = Object.assign(new AggregateError([], 'none'), { message: '' })
    containsItself.errors.push(containsItself, refused)
    expect(await failing(containsItself)).toMatchObject([
      'effect_failed',
      'connect ECONNREFUSED ::1:1',
      { name: 'AggregateError' },
    ])
  })
})

describe('cancelling', () => {
  it('rejects all pending commands, in call order, in one turn', async () => {
    const rejected: string[] = []
    const program = defineProgram({ id: 'p' }, async (ctx) => {
      const tell = (name: string) => (error: unknown) => {
        rejected.push(`${name} ${error instanceof CancelledError}`)
      }
      await Promise.all([
        ctx.sleep('1h').catch(tell('timer')),
        ctx.waitForEvent('a').catch(tell('event')),
        ctx.effect('slow').catch(tell('effect')),
        ctx.sleep('1s').catch(tell('shorter timer')),
      ])
      return 'is not kept'
    })
    let signal: AbortSignal | undefined
    const slow = (_: unknown, attempt: EffectContext) => {
      signal = attempt.signal
      return new Promise(() => {})
    }
    const run = createTestExecution(program, undefined, { effects: { slow } })
    await run.cancel()
    expect(rejected).toEqual(['timer true', 'event true', 'effect true', 'shorter timer true'])
    expect(signal?.aborted).toBe(true)
    expect(await run.outcome()).toEqual({ status: 'cancelled' })
    expect(await codeOf(run.result())).toBe('execution_cancelled')
    expect((await run.history()).at(-1)).toMatchObject({ type: 'execution_cancelled' })
    await run.cancel()
  })

  it('lets the Program clean up for 30 s', async () => {
    const undone: string[] = []
    const program = defineProgram({ id: 'p' }, async (ctx) => {
      try {
        await ctx.waitForEvent('never')
      } finally {
        await ctx.effect('undo', 'first')
        await ctx.sleep('29s')
        await ctx.effect('undo', 'second')
        await ctx.sleep('2s')
        await ctx.effect('undo', 'too late')
      }
    })
    const undo = (what: string) => {
      undone.push(what)
      return null
    }
    const run = createTestExecution(program, undefined, { effects: { undo } })
    await run.cancel()
    expect(await run.status()).toBe('cancelling')
    await run.send('an event', 'is taken still')
    expect(await run.outcome()).toEqual({ status: 'cancelled' })
    expect(undone).toEqual(['first', 'second'])
    expect(run.now().toISOString()).toBe('2026-01-01T00:00:30.000Z')
  })
})

describe('a rejection that the Program does not handle in the turn', () => {
  it('is logged, and fails neither the Execution nor the test', async () => {
    const program = defineProgram({ id: 'p' }, async (ctx) => {
      const shipping = (async () => {
        await ctx.waitForEvent('shipped', { timeout: '1h' })
      })()
      await ctx.sleep('2h')
      return shipping.catch((error: unknown) => (error as Error).name)
    })
    const run = createTestExecution(program)
    expect(await run.result()).toBe('TimeoutError')
    const logs = (await run.history()).filter(({ type }) => type === 'log')
    expect(logs).toMatchObject([
      {
        data: {
          level: 'error',
          message: expect.stringMatching(/^Unhandled rejection: TimeoutError: No event "shipped"/),
        },
      },
    ])
  })

  it('is logged when nobody awaits a promise of ctx, or one with an error that the Program made', async () => {
    const program = defineProgram({ id: 'p' }, async (ctx) => {
      void ctx.effect('pay')
      void ctx.sleep('soon' as never)
      void Promise.reject(new CancelledError('of the Program'))
      await ctx.sleep('1h')
      return 'done'
    })
    const pay = () => {
      throw new NonRetryableError('refused')
    }
    const run = createTestExecution(program, undefined, { effects: { pay } })
    expect(await run.result()).toBe('done')
    const logs = (await run.history()).filter(({ type }) => type === 'log')
    expect(logs).toMatchObject([
      { data: { level: 'error', message: expect.stringMatching(/^Unhandled rejection: TypeError: The time that/) } },
      {
        data: {
          level: 'error',
          message: expect.stringMatching(/^Unhandled rejection: CancelledError: of the Program/),
        },
      },
      { data: { level: 'error', message: expect.stringMatching(/^Unhandled rejection: EffectError: refused/) } },
    ])
  })

  it('is logged like what callbacks throw, to which nobody listens either', async () => {
    const program = defineProgram({ id: 'p' }, async (ctx) => {
      const controller = new AbortController()
      controller.signal.addEventListener('abort', () => {
        throw new Error('of a listener')
      })
      controller.abort()
      queueMicrotask(() => {
        throw new Error('of a microtask')
      })
      await ctx.sleep('1h')
      return 'done'
    })
    const run = createTestExecution(program)
    expect(await run.result()).toBe('done')
    const logs = (await run.history()).filter(({ type }) => type === 'log')
    const messages = logs.map(({ data }) => (data as { message: string }).message.split('\n')[0])
    expect(messages.toSorted()).toEqual([
      'Unhandled rejection: Error: of a listener',
      'Unhandled rejection: Error: of a microtask',
    ])
  })

  it('is not logged if it is that of a cancel', async () => {
    const program = defineProgram({ id: 'p' }, async (ctx) => {
      const shipping = (async () => {
        await ctx.sleep('1h')
      })()
      await ctx.waitForEvent('go')
      return shipping
    })
    const run = createTestExecution(program)
    await run.cancel()
    expect(await run.outcome()).toEqual({ status: 'cancelled' })
    expect((await run.history()).filter(({ type }) => type === 'log')).toEqual([])
  })

  it('outside of the Program stays with the test runner', async () => {
    const listeners = () => [process.rawListeners('unhandledRejection'), process.rawListeners('uncaughtException')]
    const before = listeners()
    await createTestExecution(defineProgram({ id: 'p' }, async () => 1)).result()
    expect(listeners()).toEqual(before)
  })
})

it('an error that ends a call of ctx has the stack of the call', async () => {
  const stacks: (string | undefined)[] = []
  const program = defineProgram({ id: 'p' }, async function decide(ctx) {
    const see = (error: Error) => void stacks.push(error.stack)
    await ctx.effect('pay').catch(see)
    await ctx.waitForEvent('go', { timeout: '1h' }).catch(see)
    await ctx.sleep('1h').catch(see)
  })
  const pay = () => {
    throw new NonRetryableError('refused')
  }
  const run = createTestExecution(program, undefined, { effects: { pay } })
  await run.advance('1h')
  await run.cancel()
  const stackOf = (header: string) =>
    expect.stringMatching(new RegExp(`^${header}\\n +at .*decide .*\\(.*create-test-execution\\.test\\.ts:`))
  expect(stacks).toEqual([
    stackOf('EffectError: refused'),
    stackOf('TimeoutError: No event "go" came in time'),
    stackOf('CancelledError: The Execution was cancelled'),
  ])
})

it('errors of the test name its lines, and the line of the Program that calls an effect without a fake', async () => {
  const program = defineProgram({ id: 'p' }, async function decide(ctx) {
    await ctx.waitForEvent('go')
    await ctx.effect('pay')
  })
  const namesTest = (functionName: string) =>
    expect.objectContaining({
      stack: expect.stringMatching(new RegExp(`\\n +at .*${functionName} .*\\(.*create-test-execution\\.test\\.ts:`)),
    })
  const run = createTestExecution(program)
  await expect(
    (async function readResult() {
      await run.result()
    })(),
  ).rejects.toEqual(namesTest('readResult'))
  await expect(
    (async function sendNothing() {
      await run.send('')
    })(),
  ).rejects.toEqual(namesTest('sendNothing'))
  const missing: Promise<void> = (async function sendGo() {
    await run.send('go')
  })()
  await expect(missing).rejects.toEqual(namesTest('sendGo'))
  await expect(missing).rejects.toThrow(
    expect.objectContaining({ stack: expect.stringMatching(/^.*\n +at .*decide /) }),
  )
})

describe('arguments without types', () => {
  it.each<[string, unknown, unknown, string]>([
    ['a Program that is undefined', undefined, {}, 'takes a Program that defineProgram made'],
    ['a module in place of its Program', { default: order }, {}, 'takes a Program that defineProgram made'],
    ['an effect in place of its fake', order, [effects.chargeCard], 'or a list of what fake() returns'],
    ['a result in place of a fake', order, { chargeCard: { receipt: 'r' } }, 'are functions by name'],
  ])('of createTestExecution are refused: %s', (_, program, fakes, message) => {
    const start = () => createTestExecution(program as never, undefined as never, { effects: fakes as never })
    expect(start).toThrow(message)
  })

  it.each<[string, (ctx: ProgramContext) => unknown, string]>([
    ['a date that is null', (ctx) => ctx.sleepUntil(null as never), 'ctx.sleepUntil takes a Date'],
    [
      'options that are text',
      (ctx) => ctx.waitForEvent('e', '3 days' as never),
      'The options of ctx.waitForEvent must be an object',
    ],
    [
      'options of an effect that are text',
      (ctx) => ctx.effect('e', 1, '3 days' as never),
      'The options of ctx.effect must be an object',
    ],
    [
      'an event that is undefined',
      (ctx) => ctx.waitForEvent(undefined as never),
      'ctx.waitForEvent needs a name of 1 to 200',
    ],
    ['an effect that is undefined', (ctx) => ctx.effect(undefined as never), 'ctx.effect needs a name of 1 to 200'],
    ['an effect that is null', (ctx) => ctx.effect(null as never), 'ctx.effect needs a name of 1 to 200'],
    ['an effect without a name', (ctx) => ctx.effect(''), 'ctx.effect needs a name of 1 to 200 characters'],
    ['an effect with U+0000', (ctx) => ctx.effect('a\0'), 'ctx.effect needs a name without U+0000'],
    ['null as a timeout', (ctx) => ctx.waitForEvent('e', { timeout: null as never }), '"7 days"; got null'],
    ['an array as a duration', (ctx) => ctx.sleep([5] as never), '"7 days"; got object'],
    ['a sleep beyond all dates', (ctx) => ctx.sleep(8.64e15), 'ctx.sleep ends later than any date can express'],
    [
      'a timeout beyond all dates',
      (ctx) => ctx.waitForEvent('e', { timeout: 8.64e15 }),
      'ctx.waitForEvent ends later than any date can express',
    ],
  ])('are refused as in the service: %s', async (_, act, message) => {
    const run = createTestExecution(defineProgram({ id: 'p' }, async (ctx) => await act(ctx)))
    expect(await run.outcome()).toMatchObject({
      error: { name: 'TypeError', message: expect.stringContaining(message) },
    })
  })

  it('may be null where they are optional, and log anything', async () => {
    const odd: unknown = Object.assign(Object.create(null), { big: 1n, inner: new RangeError('x') })
    const program = defineProgram({ id: 'p' }, async (ctx) => {
      ctx.log.info(odd)
      await ctx.effect('e', 1, { retry: null as never })
      await ctx.effect('e', 1, { retry: { initialInterval: null as never, maxInterval: null as never } })
      throw odd
    })
    const run = createTestExecution(program, undefined, { effects: { e: () => 1 } })
    expect(await run.outcome()).toMatchObject({
      error: { message: '[null prototype] { big: 1n, inner: RangeError: x }' },
    })
  })
})

describe('a Program that would not replay', () => {
  it('gets an error when it awaits anything other than ctx', async () => {
    const program = defineProgram({ id: 'p' }, async () => {
      await new Promise((resolve) => setTimeout(resolve, 5))
    })
    await expect(createTestExecution(program).result()).rejects.toThrow('awaits a promise that ctx did not return')
  })
})
