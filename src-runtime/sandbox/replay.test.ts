import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Command, TurnOutput } from '../engine/turn.ts'
import {
  commandsOf,
  createRig,
  resultOf,
  type DeliveryInput,
  type Rig,
  type RiggedExecution,
} from './runner-rig.test-support.ts'
import { readTurn } from './turn-text.ts'

const rig = createRig()

describe('a replay', () => {
  test('of a recorded turn makes the same commands and returns nothing', () => {
    const execution = rig.program(
      `const a = await ctx.effect('a', input); await ctx.sleep(a); return ctx.waitForEvent('w')`,
    )
    execution.start(1)
    execution.effectResult(1, 5)
    execution.timer(2)
    expect(execution.replay().slice(1)).toEqual(['ran', [], 0])
    expect(resultOf(execution.event(3, 'payload'))).toBe('payload')
  })

  test('continues with live turns in the same message', () => {
    const execution = rig.program(`const a = await ctx.effect('a'); return a + await ctx.effect('b')`)
    execution.start()
    execution.effectResult(1, 'x')
    rig.runner.forget(execution.id)
    expect(resultOf(execution.effectResult(2, 'y'))).toBe('xy')
  })

  test('of a race has the recorded winner', () => {
    const execution = rig.program(`const winner = await Promise.race([
        ctx.waitForEvent('slow').then(() => 'slow'), ctx.sleep(10).then(() => 'timer'), ctx.effect('e').then(() => 'effect')])
      const next = await ctx.effect('after', winner)
      return [winner, next]`)
    execution.start()
    expect(commandsOf(execution.timer(2))).toMatchObject([{ command: 4, data: '{"input":"timer"}' }])
    execution.event(1)
    execution.effectResult(3)
    expect(execution.replay()[1]).toBe('ran')
    rig.runner.forget(execution.id)
    expect(resultOf(execution.effectResult(4, 'done'))).toEqual(['timer', 'done'])
  })

  test('accepts a retry policy from before there were limits, and refuses one in the next turn', () => {
    const execution =
      rig.program(`const beyond = { maxAttempts: 2e6, initialInterval: 8.64e15, backoffCoefficient: 1e9 }
      await ctx.effect('a', 1, { retry: beyond })
      return ctx.effect('b', 2, { retry: beyond }).catch(({ message }) => message)`)
    const data =
      '{"input":1,"retry":{"maxAttempts":2000000,"initialIntervalMs":8640000000000000,"backoffCoefficient":1000000000}}'
    const start = { kind: 'start', at: 5, data: '{}' } as const
    const expected = [{ kind: 'effect', command: 1, name: 'a', options: {}, data }] as const
    const result = { kind: 'effect_result', at: 6, command: 1, name: 'a', attempt: 1, data: '{}' } as const
    const [, kind, turns] = execution.activate(0, [{ delivery: start, expected }, { delivery: result }])
    expect([kind, turns]).toEqual(['ran', [expect.stringContaining('retry.maxAttempts must be an integer')]])
  })

  test('accepts a name from before U+0000 was refused, and refuses one in the next turn', () => {
    const execution = rig.program(`await ctx.waitForEvent('a\\0b')
      return Promise.all([ctx.waitForEvent('a\\0b'), ctx.effect('a\\0b')].map((one) => one.catch(({ message }) => message)))`)
    const start = { kind: 'start', at: 5, data: '{}' } as const
    const expected = [{ kind: 'wait', command: 1, name: 'a\0b', data: '{}' }] as const
    const event = { kind: 'event', at: 6, command: 1, name: 'a\0b', source: 2, eventId: 'evt_1', data: '{}' } as const
    const [, kind, turns] = execution.activate(0, [{ delivery: start, expected }, { delivery: event }])
    expect([kind, turns]).toEqual(['ran', [expect.stringContaining('waitForEvent needs a name without U+0000')]])
  })

  test('formats logs, and drops them', () => {
    const execution = rig.program(`let seen = 0; console.log(new Proxy({}, { ownKeys() { seen++; return [] } }))
      await ctx.sleep(1); return seen`)
    execution.start()
    rig.runner.forget(execution.id)
    expect(resultOf(execution.timer(1))).toBe(1)
  })
})

describe('a replay that differs', () => {
  const recorded = (body: string): RiggedExecution => {
    const execution = rig.program(body)
    execution.start(1)
    return execution
  }
  const replayAs = (body: string, history: RiggedExecution) =>
    rig.program(body).activate(
      0,
      history.turns.map(({ delivery, output }) => ({ delivery, expected: commandsOf(output) })),
    )

  test('is reported with turn, command, difference and position', () => {
    const history = recorded(`ctx.sleep(1); await ctx.effect('charge', { cents: 5 })`)
    expect(replayAs(`ctx.sleep(1);\n await ctx.effect('refund', { cents: 5 })`, history)).toEqual([
      1,
      'diverged',
      {
        turn: 0,
        index: 1,
        found: 'e2 "refund"\n{"input":{"cents":5}}\n{}\n',
        ended: '',
        stack: expect.stringMatching(/^ {4}at run \(program\.js:2:\d+\)$/),
      },
    ])
  })

  test.each([
    [
      'another input',
      `ctx.sleep(1); await ctx.effect('charge', { cents: 6 })`,
      { index: 1, found: expect.stringContaining('"cents":6') },
    ],
    ['another kind', `await ctx.waitForEvent('w')`, { index: 0, found: 'w1 - "w"\n' }],
    ['another time', `ctx.sleep(2); await ctx.effect('charge', { cents: 5 })`, { index: 0 }],
    [
      'one more',
      `ctx.sleep(1); ctx.effect('charge', { cents: 5 }); await ctx.sleep(3)`,
      { index: 2, found: expect.stringMatching(/^t3 /) },
    ],
    ['one less', `await ctx.sleep(1)`, { index: 1, found: '', ended: '' }],
    ['an end', `return 5`, { index: 0, found: '', ended: 'the Program returned' }],
    [
      'an error',
      `ctx.sleep(1); throw new Error('new bug')`,
      { index: 1, found: '', ended: 'the Program failed: Error: new bug' },
    ],
  ])('finds %s', (_, body, difference) => {
    const history = recorded(`ctx.sleep(1); await ctx.effect('charge', { cents: 5 })`)
    expect(replayAs(body, history)).toMatchObject([1, 'diverged', { turn: 0, ...difference }])
  })

  test('in a later turn is reported, and leaves no image', () => {
    const history = recorded(`await ctx.sleep(1); await ctx.effect('a')`)
    history.timer(1)
    const execution = rig.program(`await ctx.sleep(1); await ctx.effect('b')`)
    const turns = history.turns.map(({ delivery, output }) => ({ delivery, expected: commandsOf(output) }))
    expect(execution.activate(0, turns)).toMatchObject([1, 'diverged', { turn: 1, index: 0 }])
    expect(execution.activate(2, [{ delivery: { kind: 'cancel', at: 1 } }])).toEqual([2, 'image_missing'])
  })
})

describe('images', () => {
  test('with another number of turns count as missing', () => {
    const execution = rig.program(`await ctx.sleep(1); await ctx.sleep(1)`)
    execution.start()
    expect(execution.activate(2, [{ delivery: { kind: 'timer', at: 1, command: 1 } }])[1]).toBe('image_missing')
    // The existing image is dropped, because it may be another one than the caller expects.
    expect(execution.activate(1, [{ delivery: { kind: 'timer', at: 1, command: 1 } }])[1]).toBe('image_missing')
  })

  test('are kept for many parked Executions', () => {
    const parked = Array.from({ length: 40 }, (_, index) => {
      const execution = rig.program(`const seen = [input]; seen.push(await ctx.waitForEvent('w')); return seen`)
      execution.start(index)
      return execution
    })
    for (const [index, execution] of parked.entries()) {
      const delivery = {
        kind: 'event',
        at: 5,
        command: 1,
        name: 'w',
        source: 1,
        eventId: 'e',
        data: '{"payload":"p"}',
      } as const
      expect(execution.activate(1, [{ delivery }])).toEqual([2, 'ran', [`c{"result":[${index},"p"]}\n`], 1])
    }
  })
})

/** A Program that does what its input says, several things at once, and records the results. */
const INTERPRETER = `const pause = async (step, path, seen, ctx) => {
  switch (step.kind) {
    case 'sleep': await ctx.sleep(step.ms); break
    case 'effect': seen.push(await ctx.effect('effect' + path, { path, seen: seen.length })); break
    case 'wait': seen.push(await ctx.waitForEvent('event' + path, step.ms ? { timeout: step.ms } : {}).catch((e) => e.name)); break
    case 'all': await Promise.all(step.steps.map((s, i) => pause(s, path + i, seen, ctx))); break
    case 'race': await Promise.race(step.steps.map((s, i) => pause(s, path + i, seen, ctx))); break
    case 'sequence': for (const [i, s] of step.steps.entries()) await pause(s, path + i, seen, ctx); break
    case 'garbage': seen.push(JSON.stringify(Array.from({ length: step.ms }, (_, i) => ({ i, text: 'x'.repeat(i % 50) }))).length)
  }
  seen.push([path, Date.now(), Math.random()])
  console.log(path, seen.length)
}
const worlds = new Map()
;({ run: async (ctx, plan) => { const seen = []; worlds.set(ctx.executionId, seen); await pause(plan, 'r', seen, ctx); return [...worlds.values()] } })`

type Step = { kind: string; ms?: number; steps?: Step[] }

const { plan } = fc.letrec<{ plan: Step; leaf: Step; group: Step }>((tie) => ({
  plan: fc.oneof({ depthSize: 'small', withCrossShrink: true }, tie('leaf'), tie('group')),
  leaf: fc.record({
    kind: fc.constantFrom('sleep', 'effect', 'wait', 'garbage'),
    ms: fc.integer({ min: 0, max: 3000 }),
  }),
  group: fc.record({
    kind: fc.constantFrom('all', 'race', 'sequence'),
    steps: fc.array(tie('plan'), { minLength: 1, maxLength: 4 }),
  }),
}))

const deliveryFor = (command: Command, choice: number): DeliveryInput => {
  switch (command.kind) {
    case 'timer':
      return { kind: 'timer', command: command.command }
    case 'effect': {
      const { command: number, name } = command
      return choice % 5 === 0
        ? { kind: 'effect_failure', command: number, name, attempt: 1, data: '{"error":{"code":"c","message":"m"}}' }
        : { kind: 'effect_result', command: number, name, attempt: 1, data: `{"result":${choice}}` }
    }
    case 'wait': {
      const { command: number, name } = command
      return choice % 3 === 0 && command.dueAt !== undefined
        ? { kind: 'wait_timeout', command: number, name }
        : { kind: 'event', command: number, name, source: 1, eventId: 'e', data: `{"id":"e","payload":[${choice}]}` }
    }
  }
}

/** Runs a plan until it ends or nothing is pending. Each choice selects the next delivery. */
const drive = (
  on: Rig,
  steps: Step,
  choices: readonly number[],
  between: (execution: RiggedExecution, turn: number) => void,
) => {
  const execution = on.artifact(INTERPRETER, '', 'exe_driven')
  const outputs: TurnOutput[] = [execution.start(steps)]
  const pending = [...commandsOf(execution.last)]
  for (const [turn, choice] of choices.entries()) {
    if (execution.last.outcome.kind !== 'suspended' || pending.length === 0) break
    between(execution, turn)
    const [command] = pending.splice(choice % pending.length, 1)
    if (command === undefined) break
    outputs.push(execution.deliver(choice % 29 === 0 ? { kind: 'cancel' } : deliveryFor(command, choice)))
    pending.push(...commandsOf(execution.last))
  }
  return { execution, outputs }
}

const choices = fc.array(fc.nat(10_000), { maxLength: 25 })

describe('parking and dropping images at random', () => {
  test('does not change the output', () => {
    const calm = createRig({ slots: 4 })
    const rough = createRig({ slots: 1 })
    fc.assert(
      fc.property(plan, choices, fc.array(fc.nat(3), { minLength: 25, maxLength: 25 }), (steps, picks, events) => {
        const undisturbed = drive(calm, steps, picks, () => {})
        const disturbed = drive(rough, steps, picks, (execution, turn) => {
          const what = events[turn] ?? 0
          // Another Execution gets the only slot, or the image is dropped, or both.
          if (what === 1 || what === 3) rough.program(`await ctx.waitForEvent('never')`).start()
          if (what === 2 || what === 3) rough.runner.forget(execution.id)
        })
        expect(disturbed.outputs).toEqual(undisturbed.outputs)
      }),
      { numRuns: 60 },
    )
  })

  test('replaying any beginning of a journal gives the live state', () => {
    fc.assert(
      fc.property(plan, choices, fc.nat(1000), (steps, picks, cut) => {
        const { execution } = drive(rig, steps, picks, () => {})
        const turns = execution.turns.slice(0, 1 + (cut % execution.turns.length))
        const next = execution.turns[turns.length]
        if (next === undefined) return
        const history = turns.map(({ delivery, output }) => ({ delivery, expected: commandsOf(output) }))
        const result = execution.activate(0, [...history, { delivery: next.delivery }])
        expect(result[1] === 'ran' ? result[2].map(readTurn) : result).toEqual([next.output])
      }),
      { numRuns: 60 },
    )
  })
})

test('a journalled turn that reaches a limit is replayed again; it neither fails nor differs', () => {
  let mostPolls = Number.POSITIVE_INFINITY
  const turn = (isReplay: boolean) => (polls: number) => (isReplay && polls > mostPolls ? 'fuel' : undefined)
  const bounded = createRig({}, { turn, load: () => () => undefined })
  const execution = bounded.program('for (let i = 0; i < 1e6; i++); await ctx.sleep(1); return 5')
  execution.start()
  mostPolls = 5
  expect(execution.replay()[1]).toBe('over_bound')
  mostPolls = Number.POSITIVE_INFINITY
  expect(execution.replay()[1]).toBe('ran')
  expect(resultOf(execution.timer(1))).toBe(5)
})
