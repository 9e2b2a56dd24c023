// Contract sections 9 and 10: firing timers and time-outs, and retrying effects, before their time.

import { describe, expect, it } from 'vitest'
import type { Part } from './part.test-support.ts'
import { expectRefused } from './talk.test-support.ts'

export const early: Part = (bench) => {
  const { talk } = bench
  const act = (id: string, command: number | string, action: 'fire' | 'retry') =>
    talk.call('POST', `/v1/executions/${id}/commands/${command}/${action}`)

  describe('firing a command', () => {
    it('ends a timer now, and the history says that it was early', async () => {
      const id = await talk.begin('await ctx.sleep("1h"); return "slept"')
      await talk.waitsFor(id, 'timer')
      const fired = await act(id, 1, 'fire')
      expect([fired.status, fired.json.id]).toEqual([202, id])
      expect(await talk.result(id)).toEqual({ status: 'completed', result: 'slept' })
      const entry = (await talk.history(id)).find(({ type }) => type === 'timer_fired')
      expect(entry).toMatchObject({ command: 1, data: { early: true } })
      expectRefused(await act(id, 1, 'fire'), 409, 'command_not_open')
    })

    it('lets a wait time out now', async () => {
      const id = await talk.begin(`
        try { await ctx.waitForEvent('a', { timeout: '1h' }) } catch (error) { return error.name }`)
      await talk.waitsFor(id, 'a')
      expect((await act(id, 1, 'fire')).status).toBe(202)
      expect(await talk.result(id)).toEqual({ status: 'completed', result: 'TimeoutError' })
    })

    it('is refused for a wait without a time-out, a command that is not open, and an unknown command', async () => {
      const id = await talk.begin('await ctx.waitForEvent("a")')
      await talk.waitsFor(id, 'a')
      for (const command of [1, 2, 0, 'x', '1e0', '9'.repeat(30)]) {
        expectRefused(await act(id, command, 'fire'), 409, 'command_not_open')
        expectRefused(await act(id, command, 'retry'), 409, 'command_not_open')
      }
      expect((await talk.execution(id)).status).toBe('waiting')
    })

    it('is 404 for an unknown Execution, and in another project', async () => {
      expectRefused(await act('exe_00000000000000000000000000', 1, 'fire'), 404, 'execution_not_found')
      const id = await talk.begin('await ctx.sleep("1h")')
      await talk.waitsFor(id, 'timer')
      const elsewhere = await bench.talk.inProject()
      const answer = await elsewhere.call('POST', `/v1/executions/${id}/commands/1/fire`)
      expectRefused(answer, 404, 'execution_not_found')
    })
  })
}
