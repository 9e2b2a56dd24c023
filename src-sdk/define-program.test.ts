import type { StandardSchemaV1 } from '@standard-schema/spec'
import { type } from 'arktype'
import * as v from 'valibot'
import { Type } from 'typebox'
import { assert, describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import type { NotJson } from './as-json.ts'
import type { JsonSchema } from './contract-types.ts'
import { executionHandle, type ServiceClient } from './create-client.ts'
import { defineEffect, type Duration, type EffectContext } from './define-effect.ts'
import { defineEvent } from './define-event.ts'
import { defineProgram, type ProgramContext } from './define-program.ts'
import { createTestExecution } from './testing/create-test-execution.ts'
import type { ExecutionHandle } from './execution-handle.ts'
import type { Accepted, StandardSchema } from './schema.ts'

type Order = { orderId: string; cents: number }

const orders = {
  zod: z.object({ orderId: z.string(), cents: z.number() }),
  valibot: v.object({ orderId: v.string(), cents: v.number() }),
  arktype: type({ orderId: 'string', cents: 'number' }),
}

/** Checked by the compiler only; none of this runs. */
const client = undefined as unknown as ServiceClient
const ctx = undefined as unknown as ProgramContext
const handle = undefined as unknown as ExecutionHandle
const helper = async (own: ProgramContext) => own.waitForEvent('by')
const neverRun = (_: () => void) => undefined

describe('the input of a Program', () => {
  it('has the type that a schema of zod, valibot or arktype accepts', () => {
    const programs = [
      defineProgram({ id: 'zod', input: orders.zod }, async (_, input) => {
        expectTypeOf(input).toEqualTypeOf<Order>()
        return { cents: input.cents }
      }),
      defineProgram({ id: 'valibot', input: orders.valibot }, async (_, input) => {
        expectTypeOf(input).toEqualTypeOf<Order>()
        return { cents: input.cents }
      }),
      defineProgram({ id: 'arktype', input: orders.arktype }, async (_, input) => {
        expectTypeOf(input).toEqualTypeOf<Order>()
        return { cents: input.cents }
      }),
    ]
    for (const program of programs) {
      neverRun(() => {
        expectTypeOf(client.start(program, { orderId: 'a', cents: 1 })).resolves.toEqualTypeOf<
          ExecutionHandle<{ cents: number }>
        >()
        // @ts-expect-error an input is needed
        void client.start(program)
        // @ts-expect-error cents is missing
        void client.start(program, { orderId: 'a' })
        // @ts-expect-error cents is a number
        void client.start(program, { orderId: 'a', cents: '1' })
      })
    }
    expect(programs.map(({ id }) => id)).toEqual(['zod', 'valibot', 'arktype'])
  })

  it('has the type that its label names, too', () => {
    const program = defineProgram(
      { id: 'labelled', label: (input: Order) => input.orderId },
      async (_, input: Order) => input.cents,
    )
    expect(program.label?.({ orderId: 'a', cents: 1 })).toBe('a')
    neverRun(() => {
      expectTypeOf(client.start(program, { orderId: 'a', cents: 1 })).resolves.toEqualTypeOf<ExecutionHandle<number>>()
      // @ts-expect-error the function takes another input
      void defineProgram({ id: 'other', label: (input: Order) => input.orderId }, async (_, input: number) => input + 1)
    })
  })

  it('has the type that any Standard Schema accepts', () => {
    type Dated = StandardSchemaV1<{ at: string }, { at: Date }>
    expectTypeOf<Dated>().toExtend<StandardSchema>()
    expectTypeOf<Accepted<Dated>>().toEqualTypeOf<{ at: string }>()
  })

  it('has the type before defaults', () => {
    const program = defineProgram({ id: 'p', input: z.object({ tries: z.number().default(3) }) }, async (_, input) => {
      expectTypeOf(input).toEqualTypeOf<{ tries?: number | undefined }>()
    })
    expect(program.id).toBe('p')
  })

  it('may be any JSON Schema, and no object of Standard Schemas', () => {
    const json = true as JsonSchema
    const run = async (_: ProgramContext, input: Order) => input.cents
    for (const input of [json, Type.Object({ cents: Type.Number() }), { type: 'object' } as Record<string, unknown>]) {
      expect(defineProgram({ id: 'json', input }, run).input).toBe(input)
    }
    expect(defineEvent<Order>('json', json).schema).toBe(true)
    expect([defineEvent('json', json), defineEvent('json', Type.Object({}))]).toHaveLength(2)
    // @ts-expect-error not the whole object
    defineProgram({ id: 'parts', input: { cents: z.number() } }, run)
    // @ts-expect-error not the whole object
    defineEvent('parts', { cents: z.number() })
    // @ts-expect-error a function
    defineProgram({ id: 'function', input: () => true }, run)
    // @ts-expect-error a list
    defineEvent<Order>('list', [json])
  })

  it('has the type of the function without a schema, or with a JSON Schema', () => {
    const plain = defineProgram({ id: 'plain' }, async (_, input: Order) => input.cents)
    const schema = { type: 'object', required: ['orderId', 'cents'] } as const
    const described = defineProgram({ id: 'described', input: schema }, async (_, input: Order) => input.cents)
    neverRun(() => {
      expectTypeOf(client.start(plain, { orderId: 'a', cents: 1 })).resolves.toEqualTypeOf<ExecutionHandle<number>>()
      // @ts-expect-error cents is missing
      void client.start(plain, { orderId: 'a' })
      // @ts-expect-error cents is missing
      void client.start(described, { orderId: 'a' })
    })
    expect(described.input).toBe(schema)
  })

  it('may be left out only if its type allows that', () => {
    const none = defineProgram({ id: 'none' }, async () => 'done')
    const optional = defineProgram({ id: 'optional', input: z.string().optional() }, async (_, input) => input)
    neverRun(() => {
      expectTypeOf(client.start(none)).resolves.toEqualTypeOf<ExecutionHandle<string>>()
      expectTypeOf(client.start(optional)).resolves.toEqualTypeOf<ExecutionHandle<string | undefined>>()
      // @ts-expect-error it is a string
      void client.start(optional, 1)
    })
    expect(none.events).toEqual([])
  })

  it('gives callers what JSON carries of its result', () => {
    const program = defineProgram({ id: 'dated' }, async () => ({ at: new Date(), sleep: () => {} }))
    neverRun(() => {
      expectTypeOf(client.run(program)).resolves.toEqualTypeOf<{ at: string }>()
      expectTypeOf(client.start(program)).resolves.toEqualTypeOf<ExecutionHandle<{ at: string }>>()
      expectTypeOf(createTestExecution(program).result()).resolves.toEqualTypeOf<{ at: string }>()
      expectTypeOf(executionHandle<typeof program>(client, 'exe_1')).toEqualTypeOf<ExecutionHandle<{ at: string }>>()
      expectTypeOf(executionHandle<{ id: string }>(client, 'exe_1')).toEqualTypeOf<ExecutionHandle<{ id: string }>>()
      type Row = Record<string, unknown>
      expectTypeOf(executionHandle<Row>(client, 'exe_1')).toEqualTypeOf<ExecutionHandle<Row>>()
      // oxlint-disable-next-line typescript/no-explicit-any -- as callers may
      expectTypeOf(executionHandle<any>(client, 'exe_1')).toEqualTypeOf<ExecutionHandle<any>>()
      expectTypeOf(executionHandle(client, 'exe_1')).toEqualTypeOf<ExecutionHandle>()
    })
    expect(program.id).toBe('dated')
  })

  it('does not use the function’s type if it contradicts the schema', () => {
    expectTypeOf(defineProgram({ id: 'p', input: orders.zod }, () => 1).run)
      .parameter(1)
      .toEqualTypeOf<Order>()
    neverRun(() => {
      // @ts-expect-error the schema says otherwise
      defineProgram({ id: 'p', input: orders.zod }, async (_, input: { other: boolean }) => input.other)
      // @ts-expect-error the schema says otherwise
      defineProgram({ id: 'p', input: orders.valibot }, async (_, input: { other: boolean }) => input.other)
      // @ts-expect-error the schema says otherwise
      defineProgram({ id: 'p', input: orders.arktype }, async (_, input: { other: boolean }) => input.other)
    })
  })
})

describe('an event', () => {
  const by = defineEvent('by', z.object({ by: z.string() }))
  const events = {
    zod: by,
    valibot: defineEvent('by', v.object({ by: v.string() })),
    arktype: defineEvent('by', type({ by: 'string' })),
    typed: defineEvent<{ by: string }>('by'),
    described: defineEvent<{ by: string }>('by', { type: 'object' }),
  }

  it('gives its payload a type in waits and sends', () => {
    for (const event of Object.values(events)) {
      neverRun(() => {
        expectTypeOf(ctx.waitForEvent(event, { timeout: '3 days' })).resolves.toEqualTypeOf<{ by: string }>()
        void handle.send(event, { by: 'ann' })
        void client.sendEvent('exe_1', event, { by: 'ann' }, { idempotencyKey: 'k' })
        // @ts-expect-error by is a string
        void client.sendEvent('exe_1', event, { by: 1 })
        // @ts-expect-error a payload is needed
        void handle.send(event)
        // @ts-expect-error by is a string
        void handle.send(event, { by: 1 })
      })
      expect(event.name).toBe('by')
    }
  })

  it('may have no payload if it has no type', () => {
    const poke = defineEvent('poke')
    neverRun(() => {
      void handle.send(poke)
      expectTypeOf(ctx.waitForEvent(poke)).resolves.toEqualTypeOf<unknown>()
      expectTypeOf(ctx.waitForEvent<{ n: number }>('poke')).resolves.toEqualTypeOf<{ n: number }>()
    })
    expect(poke).toEqual({ name: 'poke' })
  })

  it('reaches the Program as JSON carries its payload', () => {
    const due = defineEvent<{ at: Date }>('due')
    neverRun(() => {
      void handle.send(due, { at: new Date() })
      expectTypeOf(ctx.waitForEvent(due)).resolves.toEqualTypeOf<{ at: string }>()
    })
    expect(due.name).toBe('due')
  })

  it('is awaited only if the Program declares it, where it declares any by a name that the compiler knows', () => {
    const rejected = defineEvent('rejected', z.object({ why: z.string() }))
    const late = defineEvent('late')
    const options = { id: 'p', events: [by, rejected, late] } as const
    const programs = [
      defineProgram(options, async (own) => {
        expectTypeOf(own.waitForEvent('rejected')).resolves.toEqualTypeOf<unknown>()
        expectTypeOf(own.waitForEvent(rejected)).resolves.toEqualTypeOf<{ why: string }>()
        await helper(own)
        // @ts-expect-error it is "rejected"
        await own.waitForEvent('reject')
        // @ts-expect-error not declared
        await own.waitForEvent(defineEvent('other'))
      }),
      // @ts-expect-error not declared
      defineProgram({ id: 'p', input: orders.zod, events: [by] }, async (own) => own.waitForEvent('other')),
      defineProgram({ id: 'p' }, async (own) => own.waitForEvent('anything')),
      defineProgram({ id: 'p', events: [] }, async (own) => own.waitForEvent('anything')),
      defineProgram({ id: 'p', events: [by, defineEvent<1>('typed')] }, async (own) => own.waitForEvent('anything')),
      defineProgram(options, helper),
    ]
    expect(programs).toHaveLength(6)
  })

  it('is listed by the Programs that wait for it', () => {
    const program = defineProgram({ id: 'p', events: [by, defineEvent('other')] }, async (own) => own.waitForEvent(by))
    expectTypeOf(program.run).returns.toEqualTypeOf<{ by: string } | Promise<{ by: string }>>()
    expect(program.events.map(({ name }) => name)).toEqual(['by', 'other'])
  })
})

describe('an effect', () => {
  const plain = async (input: Order) => ({ receipt: input.orderId })
  const withContext = defineEffect(
    { retry: { maxAttempts: 8 }, timeout: '10s' },
    async (input: Order, { attempt, signal }) => {
      expectTypeOf(signal).toEqualTypeOf<AbortSignal>()
      return { receipt: `${input.orderId}:${attempt}:${signal.aborted}` }
    },
  )
  const noInput = defineEffect({}, async () => 'rate')

  it('is called like a function, with its own types', () => {
    neverRun(() => {
      expectTypeOf(withContext({ orderId: 'a', cents: 1 })).resolves.toEqualTypeOf<{ receipt: string }>()
      expectTypeOf(noInput()).resolves.toEqualTypeOf<string>()
      // @ts-expect-error an input is needed
      void withContext()
      // @ts-expect-error cents is missing
      void withContext({ orderId: 'a' })
    })
    expect(withContext).toBeTypeOf('function')
  })

  it('can be called through ctx.effect, by reference, with the same types', () => {
    for (const effect of [plain, withContext]) {
      neverRun(() => {
        expectTypeOf(ctx.effect(effect, { orderId: 'a', cents: 1 }, { timeout: 500 })).resolves.toEqualTypeOf<{
          receipt: string
        }>()
        // @ts-expect-error an input is needed
        void ctx.effect(effect)
        // @ts-expect-error cents is missing
        void ctx.effect(effect, { orderId: 'a' })
      })
    }
    neverRun(() => {
      expectTypeOf(ctx.effect(noInput)).resolves.toEqualTypeOf<string>()
      expectTypeOf(ctx.effect('anything', 1)).resolves.toEqualTypeOf<unknown>()
      expectTypeOf(ctx.effect<number>('anything')).resolves.toEqualTypeOf<number>()
    })
    expect(plain).toBeTypeOf('function')
  })

  it('cannot be called with an input that would arrive as something else', () => {
    const remind = defineEffect({}, async ({ at }: { at: Date; note: string | undefined }) => at.getTime())
    const note = defineEffect({}, async ({ text }: { text: string | undefined }) => text)
    const program = defineProgram({ id: 'p' }, async (_, { at }: { at: Date }) => at.getTime())
    neverRun(() => {
      void note({ text: undefined })
      // @ts-expect-error it would get text
      void remind({ at: new Date(), note: '' })
      // @ts-expect-error it would get text
      void ctx.effect(remind, { at: new Date(), note: '' })
      // @ts-expect-error it would get text
      void client.start(program, { at: new Date() })
      // @ts-expect-error it would get text
      void client.run(program, { at: new Date() })
      // @ts-expect-error it would get text
      void createTestExecution(program, { at: new Date() })
    })
    expect([remind, note]).toHaveLength(2)
  })

  it('has its options for the effect host', () => {
    const options = (withContext as unknown as Record<symbol, unknown>)[Symbol.for('wes.effect')]
    expect(options).toEqual({ retry: { maxAttempts: 8 }, timeout: '10s' })
  })

  it('is only its function in a test', async () => {
    await expect(withContext({ orderId: 'a', cents: 1 })).resolves.toEqual({ receipt: 'a:1:false' })
    let context: EffectContext | undefined
    await defineEffect({}, async (_: unknown, given) => void (context = given))()
    assert(context !== undefined)
    const aborted = { ...context, attempt: 3, signal: AbortSignal.abort() }
    await expect(withContext({ orderId: 'a', cents: 1 }, aborted)).resolves.toEqual({ receipt: 'a:3:true' })
  })

  it('returns to a Program, and to a test, what JSON carries', async () => {
    type Sold = { at: Date; by: string | undefined; lines: Map<string, number> }
    const at = new Date('2026-03-01T12:00:00Z')
    const sell = defineEffect({}, async (): Promise<Sold> => ({ at, by: undefined, lines: new Map() }))
    type Arrived = { at: string; by?: string; lines: NotJson<'JSON has no Map and no Set: send a list, [...value]'> }
    neverRun(() => {
      expectTypeOf(sell()).resolves.toEqualTypeOf<Arrived>()
      expectTypeOf(ctx.effect(sell)).resolves.toEqualTypeOf<Arrived>()
      expectTypeOf(ctx.effect(async () => at)).resolves.toEqualTypeOf<string>()
      expectTypeOf(ctx.effect(async () => {})).resolves.toEqualTypeOf<void>()
    })
    expect(await sell()).toEqual({ at: '2026-03-01T12:00:00.000Z', lines: {} })
  })
})

describe('a duration', () => {
  it('is milliseconds, or text that begins with a number and a unit', () => {
    expectTypeOf<'90s' | '2h' | '7 days' | '1.5 hours' | '1h 30m' | 500>().toExtend<Duration>()
    expectTypeOf<'soon'>().not.toExtend<Duration>()
    expectTypeOf<'3 dayz'>().not.toExtend<Duration>()
    neverRun(() => {
      // @ts-expect-error not a duration
      void ctx.sleep('tomorrow')
    })
  })
})

describe('definitions', () => {
  it('refuse arguments that only JavaScript can pass', () => {
    // @ts-expect-error no function
    expect(() => defineProgram({ id: 'p' })).toThrow(/defineProgram takes/)
    // @ts-expect-error no name
    expect(() => defineEvent()).toThrow(/defineEvent takes/)
    // @ts-expect-error no options
    expect(() => defineEffect(async () => 1)).toThrow(/defineEffect takes/)
  })

  it('have the members that the compiler reads', () => {
    const program = defineProgram({ id: 'p', description: 'What it does', input: orders.zod }, async () => 1)
    assert(Object.isFrozen(program))
    expect(program).toMatchObject({ id: 'p', description: 'What it does', input: orders.zod, events: [] })
  })
})

it.each([
  async function* () {
    yield 1
  },
  function* () {
    yield 1
  },
])('a generator is refused, because its body would never run', (run) => {
  expect(() => defineProgram({ id: 'steps' }, run as never)).toThrow(
    'The function of Program "steps" is a generator, so its body would never run: write it without *, and return what it yields',
  )
})
