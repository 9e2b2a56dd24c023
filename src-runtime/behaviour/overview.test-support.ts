// Contract section 9: counts, what is awaited, failures by fingerprint, metrics.

import { beforeAll, describe, expect, it } from 'vitest'
import type { Part } from './part.test-support.ts'
import { codeOf, expectRefused, type Talk } from './talk.test-support.ts'

type Item = { readonly id: string }

export const overview: Part = (bench) => {
  let talk: Talk
  const ids: Record<string, string> = {}
  const idsOf = async (query: string): Promise<readonly string[]> =>
    (await talk.get(`/v1/executions?${query}`)).items.map(({ id }: Item) => id) as string[]
  const named = (...names: readonly string[]) => names.map((name) => ids[name]!).toSorted()
  const expectRefusal = async (path: string, message: string) => {
    const answer = await talk.call('GET', path)
    expect([...codeOf(answer), answer.json.error.message]).toEqual([
      400,
      'invalid_request',
      expect.stringContaining(message),
    ])
  }

  beforeAll(async () => {
    talk = await bench.talk.inProject()
    await talk.deploy('hello')
    await talk.deploy('other')
    ids['failed'] = await talk.start('hello', { do: 'fail', message: 'card 17 declined' })
    await talk.result(ids['failed'])
    ids['failedToo'] = await talk.start('hello', { do: 'fail', message: 'card 18 declined' })
    await talk.result(ids['failedToo'])
    ids['failedOther'] = await talk.start('other', { do: 'fail', message: 'no such order' })
    ids['completed'] = await talk.start('hello', { do: 'return', value: 1 })
    ids['waiting'] = await talk.start('hello', { do: 'wait', for: 'approved' })
    ids['sleeping'] = await talk.start('other', { do: 'sleep', ms: 3_600_000 })
    for (const name of ['failedOther', 'completed']) await talk.result(ids[name]!)
    await talk.waitsFor(ids['waiting'], 'approved')
    await talk.waitsFor(ids['sleeping'], 'timer')
  })

  describe('counts', () => {
    it('contain each status, and the Executions that need attention', async () => {
      expect(await talk.get('/v1/executions/counts')).toEqual({
        counts: { queued: 0, running: 0, waiting: 2, cancelling: 0, completed: 1, failed: 3, cancelled: 0 },
        needsAttention: 3,
      })
    })

    it('accept the filters of the list', async () => {
      const { counts, needsAttention } = await talk.get('/v1/executions/counts?programId=other&notStatus=waiting')
      expect([counts.failed, counts.waiting, counts.completed, needsAttention]).toEqual([1, 0, 0, 1])
      expect((await talk.get('/v1/executions/counts?q=card')).counts.failed).toBe(2)
      expect((await talk.get('/v1/executions/counts?needsAttention=true')).counts.failed).toBe(3)
    })

    it.each([
      ['status=done', 'query/status/0'],
      ['notStatus=', 'query/notStatus/0'],
      ['notProgramId=a%20b', 'query/notProgramId/0'],
      ['needsAttention=1', 'query/needsAttention must be boolean'],
      ['waitingKind=sleep', 'query/waitingKind must be one of "event", "timer", "effect"'],
      ['finishedAfter=yesterday', 'query/finishedAfter must be an ISO 8601 time'],
      ['finishedBefore=2026-13-01', 'query/finishedBefore must be an ISO 8601 time'],
      ['version=0', 'query/version'],
    ])('refuse %s', async (query, message) => {
      for (const path of ['/v1/executions/counts', '/v1/executions']) await expectRefusal(`${path}?${query}`, message)
    })

    it('are of the selected project', async () => {
      const empty = await bench.talk.inProject()
      expect((await empty.get('/v1/executions/counts')).needsAttention).toBe(0)
    })
  })

  describe('the filters', () => {
    it.each<[string, readonly string[]]>([
      ['notStatus=failed&notStatus=waiting', ['completed']],
      ['notStatus=failed&status=failed', []],
      ['status=failed&notProgramId=hello', ['failedOther']],
      ['notProgramId=hello&notProgramId=other', []],
      ['status=failed&notQ=CARD', ['failedOther']],
      ['needsAttention=true', ['failed', 'failedToo', 'failedOther']],
      ['needsAttention=false', ['failed', 'failedToo', 'failedOther', 'completed', 'waiting', 'sleeping']],
      ['waitingKind=event', ['waiting']],
      ['waitingKind=event&waitingName=approved', ['waiting']],
      ['waitingKind=event&waitingName=paid', []],
      ['waitingName=approved', ['waiting']],
      ['waitingKind=timer', ['sleeping']],
      ['waitingKind=timer&waitingName=', ['sleeping']],
      ['waitingName=', ['sleeping']],
      ['waitingKind=event&waitingName=', []],
      ['waitingKind=effect', []],
      ['finishedAfter=2020-01-01', ['failed', 'failedToo', 'failedOther', 'completed']],
      ['finishedBefore=2020-01-01', []],
      ['finishedAfter=2020-01-01&status=completed', ['completed']],
      ['errorFingerprint=0', []],
    ])('find with %s the expected Executions', async (query, names) => {
      expect([...(await idsOf(query))].toSorted()).toEqual(named(...names))
    })

    it('are paged like the list', async () => {
      const first = await talk.get('/v1/executions?needsAttention=true&limit=2')
      const second = await talk.get(`/v1/executions?needsAttention=true&limit=2&cursor=${first.nextCursor as string}`)
      const all = [...first.items, ...second.items].map(({ id }: Item) => id)
      expect(all.toSorted()).toEqual(named('failed', 'failedToo', 'failedOther'))
      expect(second.nextCursor).toBeNull()
    })
  })

  describe('failures by fingerprint', () => {
    it('are grouped, with an example, and filter the list of Executions', async () => {
      const { items, nextCursor } = await talk.get('/v1/errors')
      expect(nextCursor).toBeNull()
      const group = items.find(({ count }: { count: number }) => count === 2)
      expect(group).toMatchObject({
        programId: 'hello',
        code: 'program_error',
        name: 'Error',
        message: 'card 18 declined',
        exampleExecutionId: ids['failedToo'],
      })
      expect(Date.parse(group.firstAt as string)).toBeLessThanOrEqual(Date.parse(group.lastAt as string))
      const found = await idsOf(`errorFingerprint=${group.fingerprint as string}`)
      expect([...found].toSorted()).toEqual(named('failed', 'failedToo'))
    })

    it('page, the group that failed last first, and can be of one Program', async () => {
      const first = await talk.get('/v1/errors?limit=1')
      const second = await talk.get(`/v1/errors?limit=1&cursor=${first.nextCursor as string}`)
      expect([first.items[0].programId, second.items[0].programId, second.nextCursor]).toEqual(['other', 'hello', null])
      expect((await talk.get('/v1/errors?programId=other')).items).toHaveLength(1)
      expect((await talk.get('/v1/errors?programId=nobody')).items).toEqual([])
    })

    it('do not count deleted Executions', async () => {
      const apart = await bench.talk.inProject()
      await apart.deploy('hello')
      const failing = { do: 'fail', message: 'gone' }
      const [one, other] = [await apart.start('hello', failing), await apart.start('hello', failing)]
      for (const id of [one, other]) await apart.result(id)
      const countsOf = async () => (await apart.get('/v1/errors')).items.map(({ count }: { count: number }) => count)
      expect(await countsOf()).toEqual([2])
      await apart.call('DELETE', `/v1/executions/${other}`)
      expect(await countsOf()).toEqual([1])
      await apart.call('DELETE', `/v1/executions/${one}`)
      expect(await countsOf()).toEqual([])
    })

    it.each(['cursor=x', 'cursor=ZToxLjI', 'limit=0', 'limit=201', 'programId=a%20b'])('refuse %s', async (query) => {
      expectRefused(await talk.call('GET', `/v1/errors?${query}`), 400, 'invalid_request')
    })
  })

  describe('waiting groups', () => {
    it('are by kind, name and Program, page by page', async () => {
      const all = await talk.get('/v1/waiting')
      const since = expect.stringMatching(/Z$/) as string
      expect(all.items).toEqual([
        {
          kind: 'event',
          name: 'approved',
          programId: 'hello',
          count: 1,
          oldestSince: since,
          exampleExecutionId: ids['waiting'],
        },
        {
          kind: 'timer',
          name: '',
          programId: 'other',
          count: 1,
          oldestSince: since,
          exampleExecutionId: ids['sleeping'],
        },
      ])
      const first = await talk.get('/v1/waiting?limit=1')
      const second = await talk.get(`/v1/waiting?limit=1&cursor=${first.nextCursor as string}`)
      expect([...first.items, ...second.items]).toEqual(all.items)
      expect(second.nextCursor).toBeNull()
    })

    it('count Executions, and are sorted by the code points of their names', async () => {
      const apart = await bench.talk.inProject()
      await apart.deploy('hello')
      for (const name of ['b', 'a', 'B', '😀', '～', 'é', 'a']) {
        await apart.waitsFor(await apart.start('hello', { do: 'wait', for: name }), name)
      }
      const groups = (await apart.get('/v1/waiting')).items as { name: string; count: number }[]
      expect(groups.map(({ name, count }) => [name, count])).toEqual([
        ['B', 1],
        ['a', 2],
        ['b', 1],
        ['é', 1],
        ['～', 1],
        ['😀', 1],
      ])
    })

    const places = ['event/a/b/c', 'event/%/a', 'event/a/b\0', 'event/a/b%00', 'event/a/', 'event/%61/b']
    const cursors = places.map((place) => `cursor=${Buffer.from(`w:${place}`).toString('base64url')}`)
    it.each(['cursor=x', 'limit=many', ...cursors])('refuses %s', async (query) => {
      expectRefused(await talk.call('GET', `/v1/waiting?${query}`), 400, 'invalid_request')
    })
  })

  describe('metrics', () => {
    type Point = { readonly at: string } & Readonly<
      Record<'started' | 'completed' | 'failed' | 'cancelled' | 'p50Ms' | 'p95Ms', number>
    >

    it('are of the last hour by default', async () => {
      const { stepMs, points, queued } = (await talk.get('/v1/metrics')) as {
        stepMs: number
        points: Point[]
        queued: number
      }
      expect([stepMs, queued]).toEqual([30_000, 0])
      expect(points.length).toBeGreaterThanOrEqual(120)
      expect(points.length).toBeLessThanOrEqual(121)
      expect(points.every(({ at }) => Date.parse(at) % stepMs === 0)).toBe(true)
      const sum = (name: Exclude<keyof Point, 'at'>) => points.reduce((total, point) => total + point[name], 0)
      expect([sum('started'), sum('completed'), sum('failed'), sum('cancelled')]).toEqual([6, 1, 3, 0])
      const last = points.findLast((point) => point.completed + point.failed > 0)!
      expect(last.p95Ms).toBeGreaterThanOrEqual(last.p50Ms)
      expect(points[0]).toMatchObject({ p50Ms: null, p95Ms: null })
    })

    it('begin at the given time, and may be of one Program', async () => {
      const from = new Date(Date.now() - 3_000_000).toISOString()
      const { points, stepMs } = await talk.get(`/v1/metrics?from=${from}&step=30m&programId=other`)
      expect([points[0].at, stepMs, points.length]).toEqual([from, 1_800_000, 2])
      expect([points[1].started, points[1].failed, points[1].completed]).toEqual([2, 1, 0])
    })

    it.each([
      ['2026-01-01T00:00:00.000Z', '2026-01-01T00:01:00.000Z', 1_000],
      ['2026-01-01', '2026-01-02', 900_000],
      ['2026-01-01', '2026-01-08', 7_200_000],
      ['2020-01-01', '2026-01-01', 30 * 86_400_000],
    ])('choose a step for %s to %s', async (from, to, stepMs) => {
      expect((await talk.get(`/v1/metrics?from=${from}&to=${to}`)).stepMs).toBe(stepMs)
    })

    it.each([
      'step=1000&from=2026-01-01T00:00:00Z&to=2026-01-01T00:16:40Z',
      'step=1%20h',
      'step=90s',
      'step=30d',
      'step=2592000000',
    ])('accept %s', async (query) => {
      expect((await talk.call('GET', `/v1/metrics?${query}`)).status).toBe(200)
    })

    it.each([
      ['step=999', 'query/step must be milliseconds'],
      ['step=31d', 'query/step must be milliseconds'],
      ['step=soon', 'query/step must be milliseconds'],
      ['step=-5', 'query/step must be milliseconds'],
      ['step=1e9', 'query/step must be milliseconds'],
      ['step=1000', 'there may be 1000 at most'],
      ['from=1900-01-01', 'query/from must be at most 30000 days before query/to'],
      ['from=2026-01-02&to=2026-01-01', 'query/from must be before query/to'],
      ['from=2026-01-01&to=2026-01-01', 'query/from must be before query/to'],
      ['from=now', 'query/from must be an ISO 8601 time'],
      ['to=2026-02-30', 'query/to must be an ISO 8601 time'],
      ['programId=%20', 'query/programId'],
    ])('refuse %s', async (query, message) => {
      await expectRefusal(`/v1/metrics?${query}`, message)
    })
  })
}
