import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createHttpRig, type HttpRig } from './http-rig.test-support.ts'

let rig: HttpRig
const ids: Record<string, string> = {}

const settle = (id: string) => rig.call('GET', `/v1/executions/${id}/result`, { headers: { prefer: 'wait=10' } })
const get = async (path: string) => (await rig.call('GET', path)).json
const refusalOf = async (path: string) => {
  const { status, json } = await rig.call('GET', path)
  return [status, json.error?.code, json.error?.message]
}
const idsOf = async (query: string): Promise<readonly string[]> =>
  (await get(`/v1/executions?${query}`)).items.map(({ id }: { id: string }) => id)
const named = (...names: readonly string[]) => names.map((name) => ids[name]!).toSorted()

beforeAll(async () => {
  rig = await createHttpRig()
  await rig.deploy('hello')
  await rig.deploy('other')
  ids['failed'] = await rig.start('hello', { do: 'fail', message: 'card 17 declined' })
  ids['failedToo'] = await rig.start('hello', { do: 'fail', message: 'card 18 declined' })
  ids['failedOther'] = await rig.start('other', { do: 'fail', message: 'no such order' })
  ids['completed'] = await rig.start('hello', { do: 'return', value: 1 })
  ids['waiting'] = await rig.start('hello', { do: 'wait', for: 'approved' })
  ids['sleeping'] = await rig.start('other', { do: 'sleep', ms: 3_600_000 })
  for (const name of ['failed', 'failedToo', 'failedOther', 'completed']) await settle(ids[name]!)
  await vi.waitFor(async () => expect(await idsOf('status=waiting')).toHaveLength(2))
})
afterAll(() => rig.close())

describe('counts', () => {
  it('contain each status, and what needs attention', async () => {
    expect(await get('/v1/executions/counts')).toEqual({
      counts: { queued: 0, running: 0, waiting: 2, cancelling: 0, completed: 1, failed: 3, cancelled: 0 },
      needsAttention: 3,
    })
  })

  it('accept the filters of the list', async () => {
    const { counts, needsAttention } = await get('/v1/executions/counts?programId=other&notStatus=waiting')
    expect([counts.failed, counts.waiting, counts.completed, needsAttention]).toEqual([1, 0, 0, 1])
    expect((await get('/v1/executions/counts?q=card')).counts.failed).toBe(2)
    expect((await get('/v1/executions/counts?needsAttention=true')).counts.failed).toBe(3)
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
    for (const path of ['/v1/executions/counts', '/v1/executions']) {
      expect(await refusalOf(`${path}?${query}`)).toEqual([400, 'invalid_request', expect.stringContaining(message)])
    }
  })

  it('are of the selected project', async () => {
    const { json } = await rig.call('POST', '/v1/projects', { json: { name: 'empty' } })
    const { json: counts } = await rig.call('GET', '/v1/executions/counts', {
      headers: { 'x-service-project-id': json.id },
    })
    expect(counts.needsAttention).toBe(0)
    const unknown = await rig.call('GET', '/v1/executions/counts', { headers: { 'x-service-project-id': 'prj_no' } })
    expect(unknown.json.error.code).toBe('project_not_found')
  })
})

describe('the filters beyond the contract', () => {
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
    ['waitingKind=effect', []],
    ['finishedAfter=2020-01-01', ['failed', 'failedToo', 'failedOther', 'completed']],
    ['finishedBefore=2020-01-01', []],
    ['finishedAfter=2020-01-01&status=completed', ['completed']],
    ['errorFingerprint=0', []],
  ])('find with %s the expected Executions', async (query, names) => {
    expect([...(await idsOf(query))].toSorted()).toEqual(named(...names))
  })

  it('are paged like the list', async () => {
    const first = await get('/v1/executions?needsAttention=true&limit=2')
    const second = await get(`/v1/executions?needsAttention=true&limit=2&cursor=${first.nextCursor}`)
    const all = [...first.items, ...second.items].map(({ id }: { id: string }) => id)
    expect(all.toSorted()).toEqual(named('failed', 'failedToo', 'failedOther'))
    expect(second.nextCursor).toBeNull()
  })
})

describe('failures by fingerprint', () => {
  it('are grouped, with an example, and lead to their Executions', async () => {
    const { items, nextCursor } = await get('/v1/errors')
    expect(nextCursor).toBeNull()
    const group = items.find(({ count }: { count: number }) => count === 2)
    expect(group).toMatchObject({
      programId: 'hello',
      code: 'program_error',
      name: 'Error',
      message: 'card 18 declined',
    })
    expect(group.exampleExecutionId).toBe(ids['failedToo'])
    expect([...(await idsOf(`errorFingerprint=${group.fingerprint}`))].toSorted()).toEqual(named('failed', 'failedToo'))
  })

  it('are paged, and may be of one Program', async () => {
    const first = await get('/v1/errors?limit=1')
    const second = await get(`/v1/errors?limit=1&cursor=${first.nextCursor}`)
    expect(first.items[0].fingerprint).not.toBe(second.items[0].fingerprint)
    expect(second.nextCursor).toBeNull()
    expect((await get('/v1/errors?programId=other')).items).toHaveLength(1)
    expect((await get('/v1/errors?programId=nobody')).items).toEqual([])
  })

  it.each(['cursor=x', 'cursor=ZToxLjI', 'limit=0', 'limit=201', 'programId=a%20b'])('refuse %s', async (query) => {
    expect((await refusalOf(`/v1/errors?${query}`)).slice(0, 2)).toEqual([400, 'invalid_request'])
  })
})

describe('waiting groups', () => {
  it('are by kind, name and Program, page by page', async () => {
    const all = await get('/v1/waiting')
    expect(all.items).toEqual([
      {
        kind: 'event',
        name: 'approved',
        programId: 'hello',
        count: 1,
        oldestSince: expect.stringMatching(/Z$/) as string,
        exampleExecutionId: ids['waiting'],
      },
      {
        kind: 'timer',
        name: '',
        programId: 'other',
        count: 1,
        oldestSince: expect.stringMatching(/Z$/) as string,
        exampleExecutionId: ids['sleeping'],
      },
    ])
    const first = await get('/v1/waiting?limit=1')
    const second = await get(`/v1/waiting?limit=1&cursor=${first.nextCursor}`)
    expect([...first.items, ...second.items]).toEqual(all.items)
    expect(second.nextCursor).toBeNull()
  })

  it.each(['cursor=x', 'cursor=dzpldmVudC9hL2IvYw', 'cursor=dzpldmVudC8lL2E', 'limit=many'])(
    'refuses %s',
    async (query) => {
      expect((await refusalOf(`/v1/waiting?${query}`)).slice(0, 2)).toEqual([400, 'invalid_request'])
    },
  )
})

describe('metrics', () => {
  it('are of the last hour by default', async () => {
    const { stepMs, points, queued } = await get('/v1/metrics')
    expect([stepMs, queued]).toEqual([30_000, 0])
    expect(points.length).toBeGreaterThanOrEqual(120)
    expect(points.length).toBeLessThanOrEqual(121)
    expect(points.every(({ at }: { at: string }) => Date.parse(at) % stepMs === 0)).toBe(true)
    type Point = Readonly<Record<'started' | 'completed' | 'failed' | 'cancelled' | 'p50Ms' | 'p95Ms', number>>
    const sum = (name: keyof Point) => points.reduce((total: number, point: Point) => total + point[name], 0)
    expect([sum('started'), sum('completed'), sum('failed'), sum('cancelled')]).toEqual([6, 1, 3, 0])
    const last = points.findLast((point: Point) => point.completed + point.failed > 0)
    expect(last.p95Ms).toBeGreaterThanOrEqual(last.p50Ms)
    expect(points[0]).toMatchObject({ p50Ms: null, p95Ms: null })
  })

  it('begin at the given time, and may be of one Program', async () => {
    const from = new Date(Date.now() - 3_000_000).toISOString()
    const { points, stepMs } = await get(`/v1/metrics?from=${from}&step=30m&programId=other`)
    expect([points[0].at, stepMs, points.length]).toEqual([from, 1_800_000, 2])
    expect([points[1].started, points[1].failed, points[1].completed]).toEqual([2, 1, 0])
  })

  it.each([
    ['2026-01-01T00:00:00.000Z', '2026-01-01T00:01:00.000Z', 1_000],
    ['2026-01-01', '2026-01-02', 900_000],
    ['2026-01-01', '2026-01-08', 7_200_000],
    ['2020-01-01', '2026-01-01', 30 * 86_400_000],
  ])('choose a step for %s to %s', async (from, to, stepMs) => {
    expect((await get(`/v1/metrics?from=${from}&to=${to}`)).stepMs).toBe(stepMs)
  })

  it.each([
    'step=1000&from=2026-01-01T00:00:00Z&to=2026-01-01T00:16:40Z',
    'step=1%20h',
    'step=90s',
    'step=30d',
    'step=2592000000',
  ])('accept %s', async (query) => {
    expect((await rig.call('GET', `/v1/metrics?${query}`)).status).toBe(200)
  })

  it.each([
    ['step=999', 'query/step must be milliseconds'],
    ['step=31d', 'query/step must be milliseconds'],
    ['step=soon', 'query/step must be milliseconds'],
    ['step=-5', 'query/step must be milliseconds'],
    ['step=1e9', 'query/step must be milliseconds'],
    ['step=1000', 'there may be 1000 at most'],
    ['from=2026-01-02&to=2026-01-01', 'query/from must be before query/to'],
    ['from=2026-01-01&to=2026-01-01', 'query/from must be before query/to'],
    ['from=now', 'query/from must be an ISO 8601 time'],
    ['to=2026-02-30', 'query/to must be an ISO 8601 time'],
    ['programId=%20', 'query/programId'],
  ])('refuse %s', async (query, message) => {
    expect(await refusalOf(`/v1/metrics?${query}`)).toEqual([400, 'invalid_request', expect.stringContaining(message)])
  })
})

describe('the runtime', () => {
  it('describes itself and its processes', async () => {
    expect(await get('/v1/runtime')).toEqual({
      version: '0.0.0-test',
      pid: process.pid,
      port: rig.port,
      dataDir: expect.any(String) as string,
      dataBytes: expect.any(Number) as number,
      startedAt: expect.stringMatching(/Z$/) as string,
      eventLoopDelayP99Ms: 1.5,
      hosts: [{ kind: 'program', role: 'shared', state: 'ready', pid: process.pid, rssBytes: 1024, busy: 1 }],
    })
  })

  it('describes the project folder', async () => {
    expect(await get('/v1/source')).toMatchObject({
      watching: false,
      programs: [{ id: 'hello', path: 'programs/hello.ts' }],
      errors: [],
    })
  })
})
