/* oxlint-disable no-console -- they test what is written to it */
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { EffectContext } from '../define-effect.ts'
import { defineProgram } from '../define-program.ts'
import { createTestExecution } from './create-test-execution.ts'

describe('logs', () => {
  const logsOf = async (run: { history(): Promise<readonly { type: string; data?: unknown }[]> }) =>
    (await run.history()).flatMap(({ type, data }) =>
      type === 'log' ? [data as { level: string; message: string }] : [],
    )
  const silent = () => {
    const spy = vi.spyOn(console, 'log').mockImplementation(() => {})
    onTestFinished(() => spy.mockRestore())
    return spy
  }

  it('of a Program have what it gives to ctx.log and to console, as in the service', async () => {
    const printed = silent()
    const cycle: Record<string, unknown> = { none: NaN }
    cycle['self'] = cycle
    const program = defineProgram({ id: 'p' }, async (ctx) => {
      console.log('paid', { cents: 5 })
      ctx.log.info('paid', { cents: 5 })
      await ctx.sleep('1h')
      ctx.log.warn(new Map([['a', 1n]]), cycle)
      console.log(new Set([1]))
      console.assert(true, 'no')
      console.group()
    })
    const run = createTestExecution(program)
    await run.result()
    expect(await logsOf(run)).toEqual([
      { level: 'info', message: 'paid { cents: 5 }' },
      { level: 'info', message: 'paid { cents: 5 }' },
      { level: 'warn', message: 'Map(1) { "a" => 1n } { none: NaN, self: [Circular] }' },
      { level: 'info', message: 'Set(1) { 1 }' },
    ])
    expect(printed.mock.calls).toEqual([['paid', { cents: 5 }], [new Set([1])]])
  })

  it('of a Program may have what the console of the test cannot format', async () => {
    const spy = vi.spyOn(console, 'log').mockImplementation(() => {
      throw new TypeError('Do not know how to serialize a BigInt')
    })
    onTestFinished(() => spy.mockRestore())
    const run = createTestExecution(defineProgram({ id: 'p' }, () => console.log('%j', 1n)))
    await run.result()
    expect(await logsOf(run)).toEqual([{ level: 'info', message: '1n' }])
  })

  it('of effects have what they print when their signal aborts', async () => {
    silent()
    const program = defineProgram({ id: 'p' }, async (ctx) => ctx.effect('hang', null, { timeout: '1s' }))
    const hang = (_: unknown, { signal }: EffectContext) =>
      new Promise(() => signal.addEventListener('abort', () => console.log('stopped')))
    const run = createTestExecution(program, undefined, { effects: { hang } })
    await run.advance('1s')
    expect(await logsOf(run)).toEqual([{ level: 'info', message: 'stopped' }])
  })

  it('of effects are those of each attempt’s own Execution, also after real work', async () => {
    silent()
    const program = defineProgram({ id: 'p' }, async (ctx, who: string) => ctx.effect('work', who))
    const work = async (who: string, { log }: EffectContext) => {
      console.log('begin %s', who)
      await new Promise((resolve) => setTimeout(resolve, 5))
      log.error('end', { who }, new Map([['a', 1n]]))
      console.log('end', { who })
    }
    const runs = ['ada', 'bob'].map((who) => createTestExecution(program, who, { effects: { work } }))
    await Promise.all(runs.map((run) => run.result()))
    for (const [index, who] of ['ada', 'bob'].entries()) {
      expect(await logsOf(runs[index]!)).toEqual([
        { level: 'info', message: `begin ${who}` },
        { level: 'error', message: `end { who: '${who}' } Map(1) { 'a' => 1n }` },
        { level: 'info', message: `end { who: '${who}' }` },
      ])
    }
  })

  it('do not have what the test itself writes', async () => {
    const printed = silent()
    const before = console.log
    const program = defineProgram({ id: 'p' }, (ctx) => ctx.effect('slow'))
    const run = createTestExecution(program, undefined, { effects: { slow: () => new Promise(() => {}) } })
    console.log('before')
    await run.waitingFor()
    console.log('while an effect runs')
    await run.cancel()
    expect(await logsOf(run)).toEqual([])
    expect(printed.mock.calls).toEqual([['before'], ['while an effect runs']])
    expect(console.log).toBe(before)
  })

  it('of a turn and of an attempt have limits', async () => {
    const program = defineProgram({ id: 'p' }, async (ctx) => {
      for (let i = 0; i < 1_500; i++) ctx.log.info(i)
      await ctx.sleep('1s')
      for (let i = 0; i < 30; i++) ctx.log.info('ž'.repeat(10_000))
      await ctx.effect('talk')
      for (let i = 0; i < 1_001; i++) ctx.log.info(i)
    })
    const talk = (_: unknown, { log }: EffectContext) => {
      for (let i = 0; i < 1_002; i++) log.info(String(i))
    }
    const run = createTestExecution(program, undefined, { effects: { talk } })
    await run.result()
    const logs = await logsOf(run)
    const dropped = logs.flatMap(({ level, message }, at) => (level === 'warn' ? [[at, message]] : []))
    expect(dropped).toEqual([
      [1_000, '500 more log entries of this turn were dropped'],
      [1_014, '17 more log entries of this turn were dropped'],
      [2_015, '2 more log entries were dropped'],
      [3_016, '1 more log entries of this turn were dropped'],
    ])
  })
})
