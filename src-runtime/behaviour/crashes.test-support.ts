// Contract section 3: acknowledged requests survive a crash, and a replay sees the same values. All Executions are
// started first, because a restart takes long.

import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { followStream } from './event-stream.test-support.ts'
import type { Part } from './part.test-support.ts'
import { unique } from './talk.test-support.ts'

const LIMIT_MS = 120_000
const LOOK = '[Date.now(), Math.random(), crypto.randomUUID(), [...crypto.getRandomValues(new Uint8Array(8))]]'

const passed = (time: string) => pause(Math.max(0, Date.parse(time) - Date.now()) + 20)

export const crashes: Part = ({ talk, service, restart, features }) => {
  const messagesOf = async (id: string) =>
    (await talk.history(id)).flatMap(({ type, data }) => (type === 'log' ? [data?.message] : []))

  describe('a crash', () => {
    it(
      'loses no acknowledged request, and changes no value that a Program has seen',
      { timeout: LIMIT_MS },
      async () => {
        const looking = await talk.begin(`
        const before = ${LOOK}
        await ctx.waitForEvent('told', { timeout: '1h' }).then((told) => console.log(JSON.stringify([before, told])))
        await ctx.waitForEvent('end')
        return before`)
        const timed =
          'try { return await ctx.waitForEvent("a", { timeout: 1500 }) } catch (error) { return error.name }'
        const cleaning = await talk.begin(`
        try { await ctx.waitForEvent('a') } catch { await ctx.waitForEvent('refunded'); ctx.log.info('clean') }`)
        const buffering = await talk.begin(`
        await ctx.waitForEvent('go')
        return [await ctx.waitForEvent('a'), await ctx.waitForEvent('a')]`)
        const sleeping = await talk.begin('await ctx.sleep(1000); return "slept"')
        const done = await talk.run('return { kept: true }')
        await talk.waitsFor(looking, 'told')
        await talk.waitsFor(cleaning, 'a')
        await talk.cancel(cleaning)
        for (const payload of [1, 2]) await talk.send(buffering, 'a', payload)
        const [sent, unsent] = [await talk.begin(timed), await talk.begin(timed)]
        const { waitingFor } = await talk.waitsFor(sent, 'a')
        await talk.waitsFor(unsent, 'a')
        const { json } = await talk.send(sent, 'a', 'in time')
        const programId = unique('started')
        await talk.deploy(programId)
        const started = await Promise.all(Array.from({ length: 20 }, (_, n) => talk.start(programId, { n })))

        await restart()
        const timeoutAt = waitingFor[0]?.kind === 'event' ? (waitingFor[0].timeoutAt ?? '') : ''
        expect(Date.parse(json.receivedAt as string)).toBeLessThan(Date.parse(timeoutAt))
        await passed(timeoutAt)
        expect(await talk.result(sent)).toEqual({ status: 'completed', result: 'in time' })
        expect(await talk.result(unsent)).toEqual({ status: 'completed', result: 'TimeoutError' })
        expect(await talk.result(sleeping)).toEqual({ status: 'completed', result: 'slept' })
        expect(await talk.result(done.id)).toEqual({ status: 'completed', result: { kept: true } })
        await talk.send(buffering, 'go')
        expect(await talk.result(buffering)).toEqual({ status: 'completed', result: [1, 2] })
        await talk.send(cleaning, 'refunded')
        expect(await talk.result(cleaning)).toEqual({ status: 'cancelled' })
        expect(await messagesOf(cleaning)).toEqual(['clean'])
        for (const [n, id] of started.entries()) expect((await talk.result(id)).result).toEqual({ n })

        await talk.send(looking, 'told', 1)
        await talk.waitsFor(looking, 'end')
        const logged = await messagesOf(looking)
        await restart()
        await talk.send(looking, 'end')
        const { result } = await talk.result(looking)
        expect(logged).toEqual([JSON.stringify([result, 1])])
        expect(await messagesOf(looking)).toEqual(logged)
        expect(result).toContain(Date.parse((await talk.history(looking))[0]?.at ?? ''))
      },
    )

    it('keeps projects, versions, groups of failures and the results of bulks', { timeout: LIMIT_MS }, async () => {
      const there = await talk.inProject()
      const code = `({ run: async (ctx, input) => {
        const charge = () => { throw new RangeError('card ' + input + ' of ' + ctx.executionId + ' was declined') }
        if (input === 'late') await ctx.sleep(1)
        charge()
      } })`
      await there.deploy('declining', { program: { code } })
      const ids = [await there.start('declining', 4711), await there.start('declining', 4712)]
      ids.push(await there.start('declining', 'late'))
      for (const id of ids) expect((await there.result(id)).status).toBe('failed')
      const removed = await there.call('POST', '/v1/bulk', { json: { action: 'delete', ids: [ids[2]] } })
      await expect
        .poll(async () => (await there.get(`/v1/bulk/${removed.json.id as string}`)).status as string)
        .toBe('done')
      const stream = await followStream(`${service().url}/v1/changes`, { ...service().headers, ...there.headers })
      const lastId = await stream.lastId()
      stream.leave()

      await restart()
      const { items } = await there.get('/v1/errors?programId=declining')
      expect(items).toMatchObject([{ name: 'RangeError', count: 2 }])
      const found = await there.get(`/v1/executions?errorFingerprint=${items[0].fingerprint as string}`)
      expect(found.items.map(({ id }: { id: string }) => id)).toEqual([ids[1], ids[0]])
      expect((await there.get('/v1/executions/counts')).counts.failed).toBe(2)
      expect((await there.get('/v1/programs/declining')).latestVersion.number).toBe(1)
      const bulk = await there.call('GET', `/v1/bulk/${removed.json.id as string}`)
      expect(bulk.status).toBe(features.home === 'local' ? 404 : 200)

      // The id from before the crash still resumes the stream, or the stream reports that it cannot.
      const id = await there.start('declining', 'late')
      const again = { ...service().headers, ...there.headers, 'last-event-id': lastId }
      const resumed = await followStream(`${service().url}/v1/changes`, again)
      if (features.home === 'local') expect((await resumed.next())!.event).toBe('reset')
      else {
        // What the deletion of the bulk told may come first.
        let executionId: unknown
        while (executionId !== id) {
          const { event, data } = (await resumed.next())!
          expect(event).not.toBe('reset')
          executionId = (JSON.parse(data!) as { executionId: unknown }).executionId
        }
      }
      resumed.leave()
    })
  })
}
