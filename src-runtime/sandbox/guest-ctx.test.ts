import { describe, expect, test } from 'vitest'
import { commandsOf, createRig, errorOf, logsOf, resultOf, START_AT } from './runner-rig.test-support.ts'

const rig = createRig()
const AT = START_AT + 1000
const iso = (ms: number): string => new Date(ms).toISOString()
const startCommands = (body: string, input?: unknown) => commandsOf(rig.program(body).start(input))

describe('commands', () => {
  test('are numbered from 1 in call order', () => {
    const execution = rig.program(`ctx.sleep(5); ctx.effect('e', 1); await ctx.waitForEvent('w'); await ctx.sleep(7)`)
    expect(commandsOf(execution.start()).map(({ kind, command }) => [kind, command])).toEqual([
      ['timer', 1],
      ['effect', 2],
      ['wait', 3],
    ])
    expect(commandsOf(execution.event(3)).map(({ kind, command }) => [kind, command])).toEqual([['timer', 4]])
  })

  test('have their data in the format of the journal', () => {
    expect(
      startCommands(`ctx.effect('a', { x: [1, null], y: 'ä' })
        ctx.effect('b')
        ctx.effect('c', 5, { retry: { maxAttempts: 3, initialInterval: '1s', backoffCoefficient: 1.5, maxInterval: 9 }, timeout: '2m' })
        ctx.effect('d', undefined, { timeout: 10 })
        ctx.sleep('90s'); ctx.sleepUntil('2027-01-01T00:00:00Z'); ctx.sleepUntil(new Date(5)); ctx.sleepUntil(7.9)
        ctx.waitForEvent('w'); await ctx.waitForEvent({ name: 'x' }, { timeout: '7 days' })`),
    ).toEqual([
      { kind: 'effect', command: 1, name: 'a', options: {}, data: '{"input":{"x":[1,null],"y":"ä"}}' },
      { kind: 'effect', command: 2, name: 'b', options: {}, data: '{}' },
      {
        kind: 'effect',
        command: 3,
        name: 'c',
        options: {
          retry: { maxAttempts: 3, initialIntervalMs: 1000, backoffCoefficient: 1.5, maxIntervalMs: 9 },
          timeoutMs: 120_000,
        },
        data: '{"input":5,"retry":{"maxAttempts":3,"initialIntervalMs":1000,"backoffCoefficient":1.5,"maxIntervalMs":9},"timeoutMs":120000}',
      },
      { kind: 'effect', command: 4, name: 'd', options: { timeoutMs: 10 }, data: '{"timeoutMs":10}' },
      { kind: 'timer', command: 5, dueAt: AT + 90_000, data: `{"wakeAt":"${iso(AT + 90_000)}"}` },
      { kind: 'timer', command: 6, dueAt: Date.UTC(2027, 0), data: '{"wakeAt":"2027-01-01T00:00:00.000Z"}' },
      { kind: 'timer', command: 7, dueAt: 5, data: '{"wakeAt":"1970-01-01T00:00:00.005Z"}' },
      { kind: 'timer', command: 8, dueAt: 7, data: '{"wakeAt":"1970-01-01T00:00:00.007Z"}' },
      { kind: 'wait', command: 9, name: 'w', data: '{}' },
      {
        kind: 'wait',
        command: 10,
        name: 'x',
        dueAt: AT + 7 * 86_400_000,
        data: `{"timeoutAt":"${iso(AT + 7 * 86_400_000)}"}`,
      },
    ])
  })

  test.each([
    [`{ a: {}, card: ctx.waitForEvent('w') }`, 'The member "card" of the input of effect "e"'],
    [`ctx.waitForEvent('w')`, 'The input of effect "e"'],
  ])('an input with a promise, as of %s, is warned of', (input, what) => {
    const message = `${what} is a promise, so the effect gets {} for it: await the promise first`
    expect(logsOf(rig.program(`await ctx.effect('e', ${input})`).start())).toEqual([{ level: 'warn', message }])
  })

  test('an input with an empty object is not warned of', () => {
    expect(logsOf(rig.program(`await ctx.effect('e', { a: {}, b: '{}' })`).start())).toEqual([])
  })

  test('an effect may be given as a function or a definition', () => {
    expect(
      startCommands(`function chargeCard() {} ctx.effect(chargeCard, 1); await ctx.effect({ name: 'notify' }, 2)`).map(
        (command) => 'name' in command && command.name,
      ),
    ).toEqual(['chargeCard', 'notify'])
  })

  test.each(['é', '😀'])('a name may have 200 times %s', (one) => {
    expect(
      startCommands(`ctx.effect('${one}'.repeat(200)); await ctx.waitForEvent('${one}'.repeat(200))`),
    ).toMatchObject([{ name: one.repeat(200) }, { name: one.repeat(200) }])
  })

  test.each([
    [`ctx.sleep('soon')`, /ctx\.sleep takes must be a duration.*got "soon"/],
    [`ctx.sleep(-1)`, /must be a duration/],
    [`ctx.sleep(NaN)`, /must be a duration/],
    [`ctx.sleep()`, /got undefined/],
    [`ctx.waitForEvent('e', { timeout: null })`, /got null/],
    [`ctx.sleep('5 parsecs')`, /must be a duration/],
    [`ctx.sleep(9e15)`, /must be a duration/],
    [`ctx.sleepUntil('yesterday')`, /takes a Date/],
    [`ctx.sleepUntil(new Date(NaN))`, /takes a Date/],
    [`ctx.sleepUntil({})`, /takes a Date/],
    [`ctx.waitForEvent('')`, /needs a name/],
    [`ctx.waitForEvent('x'.repeat(201))`, /needs a name/],
    [`ctx.waitForEvent('😀'.repeat(201))`, /needs a name/],
    [`ctx.waitForEvent('x', { timeout: 'never' })`, /timeout of ctx\.waitForEvent must be a duration/],
    [`ctx.waitForEvent('x', 5)`, /options of ctx\.waitForEvent must be an object/],
    [`ctx.effect(undefined)`, /needs a name/],
    [`ctx.effect('x', 5n)`, /not JSON/],
    [`ctx.effect('x', { toJSON() { throw 'a text' } })`, /not JSON: a text$/],
    [`ctx.effect('x', () => 1)`, /not JSON: it is a function/],
    [`ctx.effect('x', Symbol('s'))`, /not JSON: it is a symbol/],
    [`ctx.effect('x', { toJSON() {} })`, /not JSON: its toJSON\(\) returns no JSON$/],
    [`(() => { const a = {}; a.a = a; return ctx.effect('x', a) })()`, /not JSON/],
    [
      `(() => { let a = 1; for (let i = 0; i < 300; i++) a = [a]; return ctx.effect('x', a) })()`,
      /nested deeper than 256/,
    ],
    [`ctx.effect('x', 1, { retry: { maxAttempts: 0 } })`, /retry\.maxAttempts/],
    [`ctx.effect('x', 1, { retry: { maxAttempts: 1e6 + 1 } })`, /retry\.maxAttempts must be an integer from 1 to/],
    [
      `ctx.effect('x', 1, { retry: { backoffCoefficient: 1e200 } })`,
      /retry\.backoffCoefficient must be a number from 1/,
    ],
    [`ctx.effect('x', 1, { retry: { initialInterval: 8.64e15 } })`, /retry\.initialInterval must be at most 365 days/],
    [`ctx.effect('x', 1, { retry: { maxInterval: '366 days' } })`, /retry\.maxInterval must be at most 365 days/],
    [`ctx.effect('x', 1, { retry: { backoffCoefficient: 0.5 } })`, /retry\.backoffCoefficient/],
    [`ctx.effect('x', 1, { timeout: 0 })`, /longer than 0/],
  ])('%s rejects with a TypeError and takes no number', (call, message) => {
    const output = rig
      .program(`let promise; try { promise = ${call} } catch (error) { return 'thrown' }
        const error = await promise.then(() => 'resolved', (reason) => reason); ctx.sleep(1)
        return [error instanceof TypeError, error.name, error.message]`)
      .start()
    expect(commandsOf(output).map(({ command }) => command)).toEqual([1])
    expect(resultOf(output)).toEqual([true, 'TypeError', expect.stringMatching(message)])
  })

  test.each([
    [250, 250],
    ['250', undefined],
    ['250ms', 250],
    ['1.5s', 1500],
    ['90 seconds', 90_000],
    ['2h', 7_200_000],
    ['7 days', 604_800_000],
    [' 1h 30m ', 5_400_000],
    ['2 weeks', 1_209_600_000],
    ['1H', 3_600_000],
    [0.2, 1],
  ])('a duration of %j is %s ms', (duration, ms) => {
    const [command] = startCommands(`await ctx.sleep(input)`, duration)
    expect(command?.kind === 'timer' ? command.dueAt - AT : undefined).toBe(ms)
  })
})

describe('deliveries', () => {
  test('an event resolves with its payload, a timer with nothing, an effect with its result', () => {
    const execution =
      rig.program(`return [await ctx.waitForEvent('w'), (await ctx.sleep(1)) ?? 'nothing', await ctx.effect('e'),
      (await ctx.effect('e')) ?? 'nothing']`)
    execution.start()
    execution.event(1, { by: 'ann', __proto__: null })
    execution.timer(2)
    execution.effectResult(3, { receipt: 7 })
    expect(resultOf(execution.effectResult(4))).toEqual([{ by: 'ann' }, 'nothing', { receipt: 7 }, 'nothing'])
  })

  test('a wait that timed out rejects with a TimeoutError that has the position of the call', () => {
    const execution = rig.program(`try { await ctx.waitForEvent('approved', { timeout: 5 }) }
      catch (error) { return [error.name, error.message, error instanceof Error, error[Symbol.for('wes.TimeoutError')]] }`)
    execution.start()
    expect(resultOf(execution.timeout(1))).toEqual(['TimeoutError', 'No event "approved" came in time', true, true])
  })

  test('an effect that failed rejects with an EffectError: its code, its message, its cause', () => {
    const execution = rig.program(`try { await ctx.effect('e') }
      catch (error) { return [error.name, error.message, error.code, error.cause.name, error[Symbol.for('wes.EffectError')]] }`)
    execution.start()
    expect(
      resultOf(execution.effectFailure(1, { code: 'effect_error', name: 'CardDeclined', message: 'no money' })),
    ).toEqual(['EffectError', 'no money', 'effect_error', 'CardDeclined', true])
  })

  test('a Program may rename the errors of ctx, as it may with those that it makes', () => {
    const execution = rig.program(`'use strict'; const names = []
      const rename = (error) => { names.push(error.name); error.name = 'Renamed'; names.push(String(error)) }
      await ctx.waitForEvent('approved', { timeout: 1 }).catch(rename)
      await ctx.effect('charge').catch(rename)
      await ctx.waitForEvent('approved').catch(rename)
      return names`)
    execution.start()
    execution.timeout(1)
    execution.effectFailure(2, { code: 'effect_failed', message: 'no money' })
    expect(resultOf(execution.cancel())).toEqual([
      ...['TimeoutError', 'Renamed: No event "approved" came in time'],
      ...['EffectError', 'Renamed: no money'],
      ...['CancelledError', 'Renamed: The Execution was cancelled'],
    ])
  })

  test('cancel rejects all pending commands with CancelledError, in call order, in one turn', () => {
    const execution = rig.program(`const order = []
      const note = (name) => (error) => { order.push([name, error.name, error[Symbol.for('wes.CancelledError')]]) }
      const all = [ctx.sleep(5).catch(note('timer')), ctx.waitForEvent('w').catch(note('wait')),
        ctx.effect('e').catch(note('effect')), ctx.sleep(1).catch(note('second timer'))]
      await all[3]; await Promise.all(all)
      const undone = await ctx.effect('undo', order.length)
      return [order, undone]`)
    execution.start()
    const output = execution.cancel()
    expect(commandsOf(output)).toMatchObject([{ kind: 'effect', command: 5, name: 'undo', data: '{"input":4}' }])
    expect(logsOf(output)).toEqual([])
    expect(resultOf(execution.effectResult(5, 'undone'))).toEqual([
      ['timer', 'wait', 'effect', 'second timer'].map((name) => [name, 'CancelledError', true]),
      'undone',
    ])
  })

  test('cancel ends a Program that does not catch it', () => {
    const execution = rig.program(`await ctx.waitForEvent('never')`)
    execution.start()
    expect(errorOf(execution.cancel())).toMatchObject({ code: 'program_error', name: 'CancelledError' })
  })

  test('a delivery for a command that is no longer pending changes nothing', () => {
    const execution = rig.program(`await ctx.waitForEvent('w'); return 'done'`)
    execution.start()
    expect(execution.event(9)).toEqual({ operations: [], outcome: { kind: 'suspended' } })
    expect(resultOf(execution.event(1))).toBe('done')
  })

  test('commands after the Program returned are dropped', () => {
    const execution = rig.program(`ctx.sleep(1).then(() => ctx.effect('late')); await ctx.waitForEvent('w'); return 1`)
    execution.start()
    expect(execution.event(1 + 1)).toEqual({ operations: [], outcome: { kind: 'completed', data: '{"result":1}' } })
  })

  test('payload members named __proto__ and constructor are data', () => {
    const execution = rig.artifact(`({ run: async (ctx, input) => {
      const kept = await ctx.effect('keep', input); return [Object.keys(input), kept, {}.polluted ?? 'clean'] } })`)
    const text = '{"__proto__":{"polluted":1},"constructor":2}'
    const output = execution.deliver({ kind: 'start', data: `{"input":${text}}` })
    expect(commandsOf(output)).toMatchObject([{ data: `{"input":${text}}` }])
    const last = execution.deliver({
      kind: 'effect_result',
      command: 1,
      name: 'keep',
      attempt: 1,
      data: `{"result":${text}}`,
    })
    expect(last.outcome).toEqual({
      kind: 'completed',
      data: `{"result":[["__proto__","constructor"],${text},"clean"]}`,
    })
  })
})

describe('the context', () => {
  test('has the ids of its Execution', () => {
    const execution = rig.program(`return [ctx.executionId, ctx.programId, ctx.versionNumber]`)
    expect(resultOf(execution.start())).toEqual([execution.id, 'program', 1])
  })

  test('has no other members, and is frozen', () => {
    expect(
      resultOf(
        rig
          .program(`'use strict'; let refused = 0; for (const key of Object.keys(ctx)) { try { ctx[key] = 1 } catch { refused++ } }
          return [Object.keys(ctx).sort(), refused, Object.keys(ctx.log).sort()]`)
          .start(),
      ),
    ).toEqual([
      ['effect', 'executionId', 'log', 'programId', 'sleep', 'sleepUntil', 'versionNumber', 'waitForEvent'],
      8,
      ['debug', 'error', 'info', 'warn'],
    ])
  })

  test('run is called as a method, and Executions do not share module state', () => {
    const code = `let count = 0; ({ name: 'me', run(ctx) { return [this.name, ++count] } })`
    expect(resultOf(rig.artifact(code).start())).toEqual(['me', 1])
    expect(resultOf(rig.artifact(code).start())).toEqual(['me', 1])
  })
})
