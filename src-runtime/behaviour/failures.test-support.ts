// Contract section 3: how Executions fail.

import { describe, expect, it } from 'vitest'
import type { Part } from './part.test-support.ts'
import { unique } from './talk.test-support.ts'

export const failures: Part = ({ talk }) => {
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
    ])('has the code %s for %s', async (code, body) => {
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

    it('has source positions if there is a source map', async () => {
      const sourceMap = JSON.stringify({ version: 3, sources: ['programs/order.ts'], names: [], mappings: 'AAGC' })
      const code = '({ run: async () => { throw new Error("mapped") } })'
      const programId = unique('with-map')
      await talk.deploy(programId, { program: { code, sourceMap } })
      expect((await talk.result(await talk.start(programId))).error).toMatchObject({
        stack: expect.stringContaining('programs/order.ts:4') as string,
      })
    })

    it('of an effect without its code says where effects run', async () => {
      const { result } = await talk.run(
        'try { await ctx.effect("charge", 1) } catch (error) { return [error.name, error.message] }',
      )
      expect(result).toEqual(['EffectError', expect.stringMatching(/effects run .*project.*`wes dev`.*`wes deploy`/i)])
    })
  })
}
