// Contract section 3: order, time-outs and cancels, as a Program sees them.

import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { Part } from './part.test-support.ts'
import { expectRefused } from './talk.test-support.ts'

export const order: Part = ({ talk }) => {
  describe('a wait', () => {
    it('that lost a race takes the next event of its name', async () => {
      const id = await talk.begin(`
        const got = []
        const first = ctx.waitForEvent('a').then((value) => got.push('first ' + value))
        await Promise.race([first, ctx.waitForEvent('go')])
        got.push('second ' + (await ctx.waitForEvent('a')))
        return got`)
      await talk.waitsFor(id, 'a', 'go')
      await talk.send(id, 'go')
      await talk.waitsFor(id, 'a', 'a')
      await talk.send(id, 'a', 'x')
      await talk.send(id, 'a', 'y')
      expect(await talk.result(id)).toEqual({ status: 'completed', result: ['first x', 'second y'] })
    })

    it('takes events that came before it, first in first out for each name', async () => {
      const id = await talk.begin(`
        await ctx.waitForEvent('go')
        return [await ctx.waitForEvent('a'), await ctx.waitForEvent('b'), await ctx.waitForEvent('a'), await ctx.waitForEvent('a')]`)
      for (const [name, payload] of [
        ['a', 1],
        ['a', 2],
        ['b', 3],
        ['a', undefined],
        ['go', 0],
      ] as const) {
        expect(await talk.send(id, name, payload)).toMatchObject({ status: 202 })
      }
      expect((await talk.result(id)).result).toEqual([1, 3, 2, null])
    })
  })

  describe('a race', () => {
    it('is won by an event that was accepted before the timeout, whichever is checked first', async () => {
      const ids = await Promise.all(
        Array.from({ length: 10 }, () =>
          talk.begin(
            'try { return await ctx.waitForEvent("a", { timeout: 400 }) } catch (error) { return error.name }',
          ),
        ),
      )
      const cheated: string[] = []
      for (const id of ids) {
        const [wait] = (await talk.execution(id)).waitingFor
        const { status, json } = await talk.send(id, 'a', 'in time')
        const timeoutAt = wait?.kind === 'event' ? Date.parse(wait.timeoutAt ?? '') : 0
        const wasInTime = status === 202 && Date.parse(json.receivedAt as string) < timeoutAt
        const { result } = await talk.result(id)
        if (wasInTime && result !== 'in time') cheated.push(id)
      }
      expect(cheated).toEqual([])
    })

    it('of several commands is settled in the order in which they became ready', async () => {
      const { result } = await talk.run(`
        const seen = []
        await Promise.all([
          ctx.sleep(60).then(() => seen.push('third')),
          ctx.sleep(20).then(() => seen.push('first')),
          ctx.sleep(40).then(() => seen.push('second')),
        ])
        return seen`)
      expect(result).toEqual(['first', 'second', 'third'])
    })

    it('ends when the Program returns: its open waits are dropped', async () => {
      const { id, ...view } = await talk.run('ctx.sleep("1h"); ctx.waitForEvent("never"); return 1')
      expect(view).toEqual({ status: 'completed', result: 1 })
      expect((await talk.execution(id)).waitingFor).toEqual([])
    })
  })

  describe('a cancel', () => {
    it('rejects all open waits in creation order, and lets the Program clean up', async () => {
      const id = await talk.begin(`
        const seen = []
        const note = (name) => (error) => seen.push(name + ' ' + error.name)
        await Promise.all([
          ctx.sleep('1h').catch(note('timer')),
          ctx.waitForEvent('a').catch(note('wait')),
          ctx.waitForEvent('b', { timeout: '2h' }).catch(note('timed wait')),
        ])
        await ctx.sleep(5)
        seen.push(await ctx.waitForEvent('refunded', { timeout: '20s' }))
        ctx.log.info(seen.join(', '))
        return 'ignored'`)
      await talk.waitsFor(id, 'timer', 'a', 'b')
      expect(await talk.cancel(id)).toMatchObject({ status: 202, json: { id, status: 'cancelling' } })
      expect(await talk.cancel(id)).toMatchObject({ status: 202 })
      expect(await talk.send(id, 'refunded', 'yes')).toMatchObject({ status: 202 })
      expect(await talk.result(id)).toEqual({ status: 'cancelled' })

      const ended = await talk.execution(id)
      expect(ended).toMatchObject({
        status: 'cancelled',
        waitingFor: [],
        cancelRequestedAt: expect.any(String) as string,
      })
      expect(Object.keys(ended)).not.toContain('error')
      const [log] = (await talk.history(id)).filter(({ type }) => type === 'log')
      expect(log?.data?.message).toBe('timer CancelledError, wait CancelledError, timed wait CancelledError, yes')
      expect(await talk.cancel(id)).toMatchObject({ status: 202, json: { status: 'cancelled' } })
      expectRefused(await talk.send(id, 'late'), 409, 'execution_finished')
    })

    it('ends cancelled, without an error, when the clean-up throws', async () => {
      const id = await talk.begin(`try { await ctx.waitForEvent('a') } catch { throw new Error('clean-up failed') }`)
      await talk.waitsFor(id, 'a')
      await talk.cancel(id)
      expect(await talk.result(id)).toEqual({ status: 'cancelled' })
    })

    it('has no effect on a completed or failed Execution', async () => {
      for (const body of ['return 1', 'throw new Error("no")']) {
        const { id } = await talk.run(body)
        expectRefused(await talk.cancel(id), 409, 'execution_finished')
      }
    })
  })

  describe('an Execution with a long turn', () => {
    it('has the status running', async () => {
      const id = await talk.begin(`
        const spin = () => { let sum = 0; for (let i = 0; i < 3e6; i++) sum += i; return sum }
        spin()
        await ctx.waitForEvent('go')
        spin()`)
      const seen = new Set<string>()
      for (let sent = false; !seen.has('completed') && !seen.has('failed'); await pause(10)) {
        const { status } = await talk.execution(id)
        seen.add(status)
        if (status !== 'waiting' || sent) continue
        await talk.send(id, 'go')
        sent = true
      }
      expect(seen).toContain('completed')
      expect(seen).toContain('running')
      expect((await talk.history(id)).map(({ type }) => type)).toEqual(
        expect.arrayContaining([
          'wait_scheduled',
          'event_received',
          'event_delivered',
          'execution_completed',
        ]) as string[],
      )
    })
  })
}
