// Contract section 3 from outside: order, cancelling, and what a crash may not change.

import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startRuntimeProcess, type RuntimeProcess } from '../runtime-process.test-support.ts'
import { talkTo, type Talk } from './talk.test-support.ts'

let runtime: RuntimeProcess
let talk: Talk
beforeAll(async () => {
  runtime = await startRuntimeProcess()
  talk = talkTo(runtime)
})
afterAll(() => runtime.dispose())

const crash = async () => {
  await runtime.kill()
  await runtime.start()
}

const passed = (time: string) =>
  new Promise((resolve) => setTimeout(resolve, Math.max(0, Date.parse(time) - Date.now()) + 20))

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

  it('gets an event that was accepted before its timeout, though the runtime was down when it ran out', async () => {
    const body = 'try { return await ctx.waitForEvent("a", { timeout: 600 }) } catch (error) { return error.name }'
    const [sent, unsent] = [await talk.begin(body), await talk.begin(body)]
    const { waitingFor } = await talk.waitsFor(sent, 'a')
    await talk.waitsFor(unsent, 'a')
    const { json } = await talk.send(sent, 'a', 'in time')
    await runtime.kill()
    const timeoutAt = waitingFor[0]?.kind === 'event' ? (waitingFor[0].timeoutAt ?? '') : ''
    expect(Date.parse(String(json['receivedAt']))).toBeLessThan(Date.parse(timeoutAt))
    await passed(timeoutAt)
    await runtime.start()
    expect(await talk.result(sent)).toEqual({ status: 'completed', result: 'in time' })
    expect(await talk.result(unsent)).toEqual({ status: 'completed', result: 'TimeoutError' })
  })
})

describe('a replay', () => {
  it('sees the same clock and the same random numbers as before the crash', async () => {
    const look = '[Date.now(), Math.random(), crypto.randomUUID(), [...crypto.getRandomValues(new Uint8Array(8))]]'
    const id = await talk.begin(`
      const before = ${look}
      await ctx.waitForEvent('told', { timeout: '1h' }).then((told) => console.log(JSON.stringify([before, told])))
      await ctx.waitForEvent('end')
      return before`)
    await talk.waitsFor(id, 'told')
    await crash()
    await talk.send(id, 'told', 1)
    await talk.waitsFor(id, 'end')
    const [logged] = (await talk.history(id)).filter(({ type }) => type === 'log')
    await crash()
    await talk.send(id, 'end')
    const { result } = await talk.result(id)
    expect(logged?.data?.message).toBe(JSON.stringify([result, 1]))
    const [first] = await talk.history(id)
    expect(result).toContain(Date.parse(first?.at ?? ''))
    expect((await talk.history(id)).filter(({ type }) => type === 'log')).toHaveLength(1)
  })
})

describe('a cancel', () => {
  it('rejects all that is awaited, in creation order, and lets the Program clean up', async () => {
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
    expect(await talk.send(id, 'late')).toMatchObject({ status: 409, json: { error: { code: 'execution_finished' } } })
  })

  it('ends cancelled, without an error, when the clean-up throws', async () => {
    const id = await talk.begin(`try { await ctx.waitForEvent('a') } catch { throw new Error('clean-up failed') }`)
    await talk.waitsFor(id, 'a')
    await talk.cancel(id)
    expect(await talk.result(id)).toEqual({ status: 'cancelled' })
  })

  it('goes on after a crash', async () => {
    const id = await talk.begin(`
      try { await ctx.waitForEvent('a') } catch { await ctx.waitForEvent('refunded'); ctx.log.info('clean') }`)
    await talk.waitsFor(id, 'a')
    await talk.cancel(id)
    await crash()
    await talk.send(id, 'refunded')
    expect(await talk.result(id)).toEqual({ status: 'cancelled' })
    expect((await talk.history(id)).some(({ type, data }) => type === 'log' && data?.message === 'clean')).toBe(true)
  })

  it('comes too late for what is completed or failed', async () => {
    for (const body of ['return 1', 'throw new Error("no")']) {
      const { id } = await talk.run(body)
      expect(await talk.cancel(id)).toMatchObject({ status: 409, json: { error: { code: 'execution_finished' } } })
    }
  })
})

describe('an Execution whose turn is long', () => {
  it('is seen running', { timeout: 30_000 }, async () => {
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
