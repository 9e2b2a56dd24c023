// Contract section 2: the history of an Execution.

import { beforeEach, describe, expect, it } from 'vitest'
import type { Part } from './part.test-support.ts'
import { expectRefused, type Entry, type Talk } from './talk.test-support.ts'

export const history: Part = (bench) => {
  let talk: Talk
  let id: string
  beforeEach(async () => {
    talk = await bench.talk.inProject()
    await talk.deploy('hello')
    id = await talk.start('hello', { do: 'wait', for: 'go' })
  })
  const page = async (query: string): Promise<{ items: Entry[]; nextCursor: string | null }> =>
    talk.get(`/v1/executions/${id}/history?${query}`)

  describe('reading the history', () => {
    it('shows every entry, oldest first, with its data', async () => {
      await talk.waitsFor(id, 'go')
      await talk.send(id, 'go', { a: 1 })
      await talk.result(id)
      const { items, nextCursor } = await page('')
      expect(nextCursor).toBeNull()
      expect(items.map(({ position }) => position)).toEqual(items.map((_, index) => index + 1))
      expect(items[0]).toMatchObject({ type: 'execution_started', data: { input: { do: 'wait', for: 'go' } } })
      expect(items.map(({ type }) => type)).toEqual([
        'execution_started',
        'wait_scheduled',
        'event_received',
        'event_delivered',
        'execution_completed',
      ])
      expect(items[1]).toMatchObject({ command: 1, name: 'go' })
      expect(items[2]).toMatchObject({
        name: 'go',
        data: { id: expect.stringMatching(/^evt_/) as string, payload: { a: 1 } },
      })
      expect(items[3]).toMatchObject({ command: 1, name: 'go' })
      expect(items[4]).toMatchObject({ data: { result: { a: 1 } } })
      expect(items.map(({ at }) => at)).toEqual(items.map(({ at }) => at).toSorted())
    })

    it('continues page by page while it grows', async () => {
      for (let sent = 0; sent < 70; sent += 1) await talk.send(id, 'other', sent)
      const positions: number[] = []
      let cursor: string | null = null
      do {
        const { items, nextCursor } = await page(`limit=30${cursor === null ? '' : `&cursor=${cursor}`}`)
        positions.push(...items.map(({ position }) => position))
        cursor = nextCursor
        if (positions.length === 30) await talk.send(id, 'other', 'late')
      } while (cursor !== null)
      expect(positions).toEqual(positions.map((_, index) => index + 1))
      expect(positions.length).toBeGreaterThan(72)
      expectRefused(await talk.call('GET', `/v1/executions/${id}/history?cursor=nonsense`), 400, 'invalid_request')
    })

    it('ends a page early to limit its size', async () => {
      for (let sent = 0; sent < 12; sent += 1) await talk.send(id, 'other', 'x'.repeat(900_000))
      const first = await page('limit=200')
      expect(JSON.stringify(first).length).toBeLessThan(10_000_000)
      expect(first.nextCursor).not.toBeNull()
      const second = await page(`limit=200&cursor=${first.nextCursor}`)
      expect(second.items[0]?.position).toBe((first.items.at(-1)?.position ?? 0) + 1)
    })
  })
}
