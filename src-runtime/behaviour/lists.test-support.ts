// Contract section 2: lists of Executions, their filters and their cursors.

import { beforeAll, describe, expect, it } from 'vitest'
import type { Part } from './part.test-support.ts'
import { expectRefused, type Talk } from './talk.test-support.ts'

type Item = { readonly id: string }

export const lists: Part = (bench) => {
  describe('listed Executions', () => {
    let talk: Talk
    const ids: string[] = []
    beforeAll(async () => {
      talk = await bench.talk.inProject()
      await talk.deploy('one')
      await talk.deploy('two')
      await talk.deploy('two', { description: 'again' })
      const inputs = [
        { programId: 'one', input: { do: 'return' } },
        { programId: 'one', input: { do: 'fail', message: 'Card DECLINED 100%_' } },
        { programId: 'two', input: { do: 'wait', for: 'go' } },
        { programId: 'two', input: { do: 'return' }, version: 1 },
      ]
      for (const json of inputs) {
        const id = (await talk.call('POST', '/v1/executions', { json })).json.id as string
        ids.push(id)
        if (json.input.do === 'wait') await talk.waitsFor(id, 'go')
        else await talk.result(id)
      }
    })
    const list = async (query: string): Promise<readonly number[]> =>
      (await talk.get(`/v1/executions?${query}`)).items.map(({ id }: Item) => ids.indexOf(id)) as number[]

    it('are summaries, newest first', async () => {
      const { items, nextCursor } = await talk.get('/v1/executions')
      expect(items.map(({ id }: Item) => id)).toEqual(ids.toReversed())
      expect(nextCursor).toBeNull()
      for (const item of items as object[]) expect(Object.keys(item)).not.toContain('input')
      expect(items[1]).toMatchObject({ status: 'waiting', waitingFor: [{ kind: 'event', name: 'go' }] })
      expect(items[2]).toMatchObject({ status: 'failed', error: { message: 'Card DECLINED 100%_' }, waitingFor: [] })
    })

    it.each([
      ['status=completed', [3, 0]],
      ['status=failed&status=waiting', [2, 1]],
      ['status=queued', []],
      ['programId=two', [3, 2]],
      ['programId=two&version=1', [3]],
      ['version=2', [2]],
      ['programId=nobody', []],
      ['q=declined', [1]],
      ['q=100%25_', [1]],
      ['q=0__', []],
      ['createdAfter=2020-01-01', [3, 2, 1, 0]],
      ['createdBefore=2020-01-01T00:00:00Z', []],
      ['limit=2', [3, 2]],
    ])('with %s shows %j', async (query, expected) => {
      expect(await list(query)).toEqual(expected)
    })

    it('are found by the prefix of an id', async () => {
      expect(await list(`q=${ids[1]}`)).toEqual([1])
      expect(await list(`q=${ids[0]!.slice(0, 8)}`)).toEqual([3, 2, 1, 0])
    })

    it('are those strictly between both times', async () => {
      const { createdAt } = await talk.execution(ids[1]!)
      expect(await list(`createdAfter=${createdAt}`)).not.toContain(1)
      expect(await list(`createdBefore=${createdAt}`)).not.toContain(1)
      expect(await list(`createdAfter=${new Date(Date.parse(createdAt) - 1).toISOString()}`)).toContain(1)
    })

    it('make pages of some megabytes, whatever their errors and waits are', async () => {
      const large = await bench.talk.inProject()
      // Each of these is written as six characters.
      const text = "'\\x01'.repeat(30000)"
      const fails = `throw Object.assign(new Error(${text}), { name: ${text}, stack: ${text} })`
      const waits =
        "for (let at = 0; at < 2000; at += 1) void ctx.waitForEvent('\\x01'.repeat(190) + at); await ctx.waitForEvent('go')"
      const started = await Promise.all(Array.from({ length: 9 }, () => large.begin(fails)))
      const waiting = await Promise.all(Array.from({ length: 2 }, () => large.begin(waits)))
      for (const id of started) await large.result(id)
      for (const id of waiting) await expect.poll(async () => (await large.execution(id)).waitingFor.length).toBe(2_001)
      const found: string[] = []
      let cursor = ''
      let pages = 0
      do {
        const page = await large.call('GET', `/v1/executions?limit=200${cursor}`)
        // One Execution more than 4 MiB.
        expect(JSON.stringify(page.json).length).toBeLessThan(8 * 1024 * 1024)
        found.push(...page.json.items.map(({ id }: Item) => id))
        cursor = `&cursor=${page.json.nextCursor}`
        pages += 1
        if (page.json.nextCursor === null) break
      } while (pages < 11)
      expect(found.toSorted()).toEqual([...started, ...waiting].toSorted())
      expect(pages).toBeGreaterThan(1)
    })

    it('are not listed with a cursor of another list', async () => {
      const { nextCursor } = await talk.get('/v1/programs/two/versions?limit=1')
      expect(nextCursor).not.toBeNull()
      const answer = await talk.call('GET', `/v1/executions?cursor=${nextCursor as string}`)
      expectRefused(answer, 400, 'invalid_request')
    })
  })

  describe('the pages of a list', () => {
    it('go on where the page before ended, while more are started', async () => {
      const talk = await bench.talk.inProject()
      await talk.deploy('p')
      const ids: string[] = []
      for (let count = 0; count < 5; count += 1) ids.push(await talk.start('p'))
      const first = await talk.get('/v1/executions?limit=3')
      await talk.start('p')
      const second = await talk.get(`/v1/executions?limit=3&cursor=${first.nextCursor as string}`)
      const shown = [...first.items, ...second.items].map(({ id }: Item) => id)
      expect([shown, second.nextCursor]).toEqual([ids.toReversed(), null])
    })

    it('have 50 items unless more are asked for', async () => {
      const talk = await bench.talk.inProject()
      await talk.deploy('p')
      await Promise.all(Array.from({ length: 60 }, () => talk.start('p')))
      const sizes = ['', '?limit=60', '?limit=200'].map(async (query) => {
        const { items, nextCursor } = await talk.get(`/v1/executions${query}`)
        return [items.length, nextCursor === null]
      })
      expect(await Promise.all(sizes)).toEqual([
        [50, false],
        [60, true],
        [60, true],
      ])
    })
  })
}
