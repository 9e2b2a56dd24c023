// Contract section 4: the sandbox as a Program sees it.

import { describe, expect, it } from 'vitest'
import type { Part } from './part.test-support.ts'
import { unique, until } from './talk.test-support.ts'

export const sandbox: Part = ({ talk }) => {
  describe('the sandbox', () => {
    it('has the globals of the contract, and nothing of the machine', async () => {
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

    it('is not shared between Executions, even of one Program', async () => {
      const code = `let count = 0; globalThis.seen = 0
        ;({ run: async () => { Object.prototype.x ??= 0; Object.prototype.x++; return [++count, ++seen, ({}).x] } })`
      const programId = unique('own-world')
      await talk.deploy(programId, { program: { code } })
      const starts = await Promise.all([1, 2, 3].map(() => talk.start(programId)))
      for (const id of starts) expect(await talk.result(id)).toMatchObject({ result: [1, 1, 1] })
    })

    it('still settles waits if the Program changes its globals', async () => {
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

    it('may be 1 MiB of UTF-8, not more', async () => {
      expect(await talk.run('return "é".repeat(524287)')).toMatchObject({ status: 'completed' })
      expect(await talk.run('return "é".repeat(524287) + "a"')).toMatchObject({ error: { code: 'result_too_large' } })
    })

    it('may nest 256 levels, not 257', async () => {
      const nest = (levels: number) =>
        `let value = 1; for (let i = 0; i < ${levels}; i++) value = [value]; return value`
      expect(await talk.run(nest(256))).toMatchObject({ status: 'completed' })
      expect(await talk.run(nest(257))).toMatchObject({ error: { code: 'invalid_result' } })
    })
  })

  describe('the log', () => {
    it('gets unhandled rejections', async () => {
      const { id, ...view } = await talk.run('Promise.reject(new Error("lost")); await ctx.sleep(1); return 1')
      expect(view).toEqual({ status: 'completed', result: 1 })
      const logs = (await talk.history(id)).filter(({ type }) => type === 'log')
      expect(logs).toMatchObject([{ data: { level: 'error', message: expect.stringContaining('lost') as string } }])
    })

    it('keeps what follows an error on its line', async () => {
      const { id } = await talk.run(`console.log(new Error('one'), 'between', new Error('two'), { three: 3 })
        console.log({ failed: new Error('four') })`)
      const logs = (await talk.history(id)).filter(({ type }) => type === 'log').map(({ data }) => data?.message)
      const frame = String.raw`\n {4}at run \(program\.js:\d+:\d+\)`
      expect(logs).toEqual([
        expect.stringMatching(new RegExp(`^Error: one${frame} between Error: two${frame} \\{ three: 3 \\}$`)),
        expect.stringMatching(new RegExp(`^\\{ failed: Error: four${frame} \\}$`)),
      ])
    })

    it('gets a limited number of lines per turn, and the count of the others', async () => {
      const { id } = await talk.run(
        'for (let i = 0; i < 1500; i++) console.log(i); await ctx.sleep(1); ctx.log.warn("after")',
      )
      const logs = (await talk.history(id)).filter(({ type }) => type === 'log').map(({ data }) => data)
      expect(logs).toHaveLength(1_002)
      expect(logs[1_000]?.message).toContain('500')
      expect(logs[1_001]).toEqual({ level: 'warn', message: 'after' })
    })

    it('is not a command', async () => {
      const body = 'for (let i = 0; i < 12000; i++) { console.log(i); if (i % 500 === 0) await ctx.sleep(0) } return 1'
      expect(await talk.run(body)).toMatchObject({ result: 1 })
    })
  })
}
