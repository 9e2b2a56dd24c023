// Contract section 9: acting on many Executions.

import { beforeEach, describe, expect, it } from 'vitest'
import type { Part } from './part.test-support.ts'
import type { Called } from './send-request.test-support.ts'
import { expectRefused, until, type Talk } from './talk.test-support.ts'

type Bulk = Called['json']

export const bulks: Part = (bench) => {
  let talk: Talk
  beforeEach(async () => {
    talk = await bench.talk.inProject()
    await talk.deploy('hello')
  })
  const bulk = (json: unknown) => talk.call('POST', '/v1/bulk', { json })
  const over = (id: string): Promise<Bulk> =>
    until(async () => {
      const seen = await talk.get(`/v1/bulk/${id}`)
      return seen.status === 'running' ? undefined : seen
    })
  const run = async (json: unknown): Promise<Bulk> => {
    const { status, json: begun } = await bulk(json)
    expect(status).toBe(202)
    expect(begun.id).toMatch(/^blk_[0-9a-z]{26}$/)
    return over(begun.id as string)
  }
  /** Starts them 20 at a time: on a slow machine, 200 at once can take longer than a start may wait for the database. */
  const startMany = async (count: number, input: unknown, programId = 'hello') => {
    const ids: string[] = []
    while (ids.length < count) {
      const next = Array.from({ length: Math.min(20, count - ids.length) }, () => talk.start(programId, input))
      ids.push(...(await Promise.all(next)))
    }
    return ids
  }
  const counts = async (query = '') => (await talk.get(`/v1/executions/counts?${query}`)).counts

  describe('a bulk', () => {
    it('cancels only the Executions that a filter matches', async () => {
      await talk.deploy('other')
      await startMany(70, { do: 'wait', for: 'go' })
      const [spared] = await startMany(1, { do: 'wait', for: 'go' }, 'other')
      const filter = { programId: 'hello', status: ['waiting', 'queued', 'running'] }
      expect(await run({ action: 'cancel', filter })).toMatchObject({
        action: 'cancel',
        status: 'done',
        matched: 70,
        done: 70,
        failed: 0,
      })
      await until(async () => ((await counts('programId=hello')).cancelled === 70 ? true : undefined))
      expect((await talk.execution(spared!)).status).not.toBe('cancelled')
    })

    it('is done with the first answer when nothing matches', async () => {
      const { status, json } = await bulk({ action: 'cancel', filter: { programId: 'hello' } })
      expect([status, json]).toEqual([
        202,
        { id: expect.any(String) as string, action: 'cancel', status: 'done', matched: 0, done: 0, failed: 0 },
      ])
    })

    it('deletes ended Executions, and counts others as failed', async () => {
      const ended = await startMany(3, { do: 'return' })
      for (const id of ended) await talk.result(id)
      const [waiting] = await startMany(1, { do: 'wait', for: 'go' })
      expect(await run({ action: 'delete', filter: {} })).toMatchObject({ matched: 4, done: 3, failed: 1 })
      expectRefused(await talk.call('GET', `/v1/executions/${ended[0]!}`), 404, 'execution_not_found')
      expect((await talk.get('/v1/executions')).items).toMatchObject([{ id: waiting }])
    })

    it('runs Executions again with the same input, on the newest version', async () => {
      const [id] = await startMany(1, { do: 'return', value: [1, 2] })
      const [bare] = await startMany(1, undefined)
      await talk.deploy('hello', { program: { code: '({ run: async () => 2 })' } })
      expect(await run({ action: 'run-again', ids: [id, bare, id] })).toMatchObject({ matched: 2, done: 2, failed: 0 })
      type Item = { readonly id: string; readonly versionNumber: number; readonly againOf?: string }
      const items = (await talk.get('/v1/executions')).items as Item[]
      expect(items.map(({ versionNumber }) => versionNumber)).toEqual([2, 2, 1, 1])
      expect(
        items
          .slice(0, 2)
          .map(({ againOf }) => againOf)
          .toSorted(),
      ).toEqual([id, bare].toSorted())
      const inputs = await Promise.all(items.slice(0, 2).map(async (item) => (await talk.execution(item.id)).input))
      expect(inputs).toContainEqual({ do: 'return', value: [1, 2] })
      expect(inputs).toContain(undefined)
    })

    it('runs what a filter matches again from the oldest on, some at the same time', async () => {
      const ids = (await startMany(70, { do: 'return' })).toSorted()
      expect(await run({ action: 'run-again', filter: { programId: 'hello' } })).toMatchObject({ done: 70 })
      type Item = { readonly againOf?: string }
      const items = (await talk.get('/v1/executions?limit=70')).items as Item[]
      const runs = items.map(({ againOf }) => againOf).toReversed()
      expect(runs.toSorted()).toEqual(ids)
      const lastOf = (some: readonly string[]) => Math.max(...some.map((id) => runs.indexOf(id)))
      expect(lastOf(ids.slice(0, 6))).toBeLessThan(Math.min(...ids.slice(-6).map((id) => runs.indexOf(id))))
    })

    it('counts failed actions: unknown ids, ended Executions, refused inputs', async () => {
      const [ended] = await startMany(1, { do: 'return' })
      await talk.result(ended!)
      const ids = [ended, 'exe_00000000000000000000000000', 'nonsense']
      expect(await run({ action: 'cancel', ids })).toMatchObject({ matched: 3, done: 0, failed: 3 })
      await talk.deploy('hello', { manifest: { inputSchema: { type: 'string' } } })
      expect(await run({ action: 'run-again', ids: [ended] })).toMatchObject({ done: 0, failed: 1 })
    })

    it('affects only the selected project', async () => {
      const [id] = await startMany(1, { do: 'return' })
      await talk.result(id!)
      const elsewhere = await bench.talk.inProject()
      const begin = async (json: unknown) =>
        over((await elsewhere.call('POST', '/v1/bulk', { json })).json.id as string)
      expect(await begin({ action: 'delete', filter: {} })).toMatchObject({ matched: 0, done: 0 })
      expect(await begin({ action: 'delete', ids: [id] })).toMatchObject({ matched: 1, done: 0, failed: 1 })
      expect((await talk.execution(id!)).status).toBe('completed')
    })

    it('finds ids in the default project when the header names it', async () => {
      const { call, get, run: runToEnd } = bench.talk.with({ 'x-service-project-id': 'default' })
      const { id } = await runToEnd('return 1')
      const { json: begun } = await call('POST', '/v1/bulk', { json: { action: 'delete', ids: [id] } })
      const path = `/v1/bulk/${begun.id as string}`
      const ended = await until(async () => [await get(path)].find(({ status }) => status === 'done'))
      expect(ended).toMatchObject({ matched: 1, done: 1, failed: 0 })
    })

    it('stops on request, and reports its progress', async () => {
      // So many that the bulk is still running when the request comes.
      await startMany(400, { do: 'wait', for: 'go' })
      const { json: begun } = await bulk({ action: 'cancel', filter: {} })
      const stop = await talk.call('POST', `/v1/bulk/${begun.id as string}/stop`)
      expect([stop.status, stop.json.status]).toEqual([202, 'stopped'])
      await until(async () => {
        const { done } = await talk.get(`/v1/bulk/${begun.id as string}`)
        const { cancelled, cancelling } = await counts()
        return done === cancelled + cancelling ? true : undefined
      })
      const { status, done, matched } = await talk.get(`/v1/bulk/${begun.id as string}`)
      expect([status, matched]).toEqual(['stopped', 400])
      expect(done).toBeLessThan(400)
      expect((await talk.call('POST', `/v1/bulk/${begun.id as string}/stop`)).json.status).toBe('stopped')
    })

    it('does not delay other requests', async () => {
      const seen = new Set<number>()
      // A busy machine may run the whole bulk between two requests. One that is done in one go is only seen at its ends.
      for (let round = 0; round < 5 && seen.size <= 2; round++) {
        seen.clear()
        await startMany(200, { do: 'wait', for: 'go' })
        const { json: begun } = await bulk({ action: 'cancel', filter: { status: ['queued', 'running', 'waiting'] } })
        for (let isRunning = true; isRunning;) {
          const { status, done } = await talk.get(`/v1/bulk/${begun.id as string}`)
          seen.add(done as number)
          isRunning = status === 'running'
        }
      }
      expect(seen.size).toBeGreaterThan(2)
    })

    it.each([
      [{ action: 'cancel' }, 'either "ids" or "filter"'],
      [{ action: 'cancel', ids: ['a'], filter: {} }, 'either "ids" or "filter"'],
      [{ action: 'explode', filter: {} }, 'body/action must be one of "cancel", "delete", "run-again"'],
      [{ filter: {} }, 'body must have "action"'],
      [{ action: 'cancel', ids: [] }, 'body/ids'],
      [{ action: 'cancel', ids: 'exe_1' }, 'body/ids'],
      [{ action: 'cancel', ids: [1] }, 'body/ids/0'],
      [{ action: 'delete', filter: { state: 'failed' } }, 'body/filter must not have "state"'],
      [{ action: 'delete', filter: { status: 'done' } }, 'body/filter/status'],
      [{ action: 'delete', filter: { status: [] } }, 'body/filter/status'],
      [{ action: 'delete', filter: { notProgramId: [] } }, 'body/filter/notProgramId'],
      [{ action: 'delete', filter: { version: '1' } }, 'body/filter/version'],
      [{ action: 'delete', filter: { needsAttention: 'true' } }, 'body/filter/needsAttention'],
      [
        { action: 'delete', filter: { createdAfter: 'yesterday' } },
        'body/filter/createdAfter must be an ISO 8601 time',
      ],
      [[], 'body'],
      [null, 'body'],
    ])('of %j is refused', async (json, message) => {
      const answer = await bulk(json)
      expectRefused(answer, 400, 'invalid_request')
      expect(answer.json.error.message).toContain(message)
    })

    it('ignores unknown members, like every body', async () => {
      expect((await run({ action: 'delete', ids: ['x'], more: 1 })).failed).toBe(1)
    })

    it.each(['blk_00000000000000000000000000', 'x', '%F0%9F%98%80', '%00', 'y'.repeat(5_000)])(
      '%s that there is not is 404',
      async (id) => {
        expectRefused(await talk.call('GET', `/v1/bulk/${id}`), 404, 'bulk_not_found')
        expectRefused(await talk.call('POST', `/v1/bulk/${id}/stop`), 404, 'bulk_not_found')
      },
    )
  })
}
