import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createClient } from './create-client.ts'
import { ServiceRuntimeError } from './service-runtime-error.ts'

type Answer = { readonly status: number; readonly code?: string; readonly retryAfter?: string }

const OK: Answer = { status: 200 }
const LIMITED: Answer = { status: 429, code: 'rate_limited', retryAfter: '2' }
const AWAY: Answer = { status: 503, code: 'unavailable', retryAfter: '1' }

beforeEach(() => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
})

/** A client whose service gives these answers in turn, and then the last one again; `times` of its requests in milliseconds. */
const answering = (answers: readonly Answer[], options: Parameters<typeof createClient>[0] = {}) => {
  const begun = performance.now()
  const times: number[] = []
  const fetch = async () => {
    const { status, code, retryAfter } = answers[Math.min(times.length, answers.length - 1)]!
    times.push(performance.now() - begun)
    const headers = retryAfter === undefined ? {} : { 'retry-after': retryAfter }
    const body =
      code === undefined ? { id: 'exe_1', items: [], status: 'completed' } : { error: { code, message: 'm' } }
    return Response.json(body, { status, headers })
  }
  return { times, client: createClient({ url: 'http://service.test:1', fetch, ...options }) }
}

const outcome = async (call: Promise<unknown>): Promise<unknown> => {
  const settled = call.then(
    () => 'ok',
    (error: unknown) => (error instanceof ServiceRuntimeError ? `${error.status} ${error.code}` : error),
  )
  await vi.runAllTimersAsync()
  return settled
}

describe('a request that the service refuses for the moment is sent again', () => {
  it.each<[string, Answer, (client: ReturnType<typeof createClient>) => Promise<unknown>]>([
    ['a read, by the rate', LIMITED, (client) => client.listPrograms()],
    ['a start, by the rate', LIMITED, (client) => client.start('p')],
    ['an event, by the rate', LIMITED, (client) => client.sendEvent('e', 'go')],
    ['a run, by the rate', LIMITED, (client) => client.run('p')],
    ['a read, while the service is away', AWAY, (client) => client.getExecution('e')],
    ['a start with a key, while it is away', AWAY, (client) => client.start('p', 1, { idempotencyKey: 'k' })],
    [
      'an event with a key, while it is away',
      AWAY,
      (client) => client.sendEvent('e', 'go', 1, { idempotencyKey: 'k' }),
    ],
    ['a run, while it is away', AWAY, (client) => client.run('p')],
    ['a read through a gateway', { status: 502 }, (client) => client.listPrograms()],
  ])('%s', async (_what, refusal, call) => {
    const answer = { code: 'http', ...refusal }
    const { client, times } = answering([answer, answer, OK])
    expect(await outcome(call(client))).toBe('ok')
    expect(times).toHaveLength(3)
    const atLeast = Number(refusal.retryAfter ?? 0) * 1000
    const [first = 0, second = 0] = [times[1]! - times[0]!, times[2]! - times[1]!].map((pause) => pause - atLeast)
    expect(first).toBeGreaterThanOrEqual(249)
    expect(first).toBeLessThanOrEqual(751)
    expect(second).toBeGreaterThanOrEqual(499)
    expect(second).toBeLessThanOrEqual(1501)
  })

  it('as often as maxRetries says, by default four times', async () => {
    for (const [maxRetries, requests] of [
      [undefined, 5],
      [0, 1],
      [1, 2],
    ] as const) {
      for (const kind of ['read', 'run'] as const) {
        const { client, times } = answering([LIMITED], { maxRetries })
        expect(await outcome(kind === 'read' ? client.listPrograms() : client.run('p'))).toBe('429 rate_limited')
        expect(times).toHaveLength(requests)
      }
    }
    for (const maxRetries of [-1, 1.5, NaN]) expect(() => answering([OK], { maxRetries })).toThrow(/maxRetries/)
  })
})

describe('a request is not sent again', () => {
  it.each<[string, Answer, (client: ReturnType<typeof createClient>) => Promise<unknown>]>([
    ['that may have done its work', AWAY, (client) => client.start('p')],
    ['of a workspace that stores too much', { ...LIMITED, code: 'quota_exceeded' }, (client) => client.run('p')],
    ['that is to wait for hours', { ...LIMITED, retryAfter: '3600' }, (client) => client.listPrograms()],
    ['that met a fault of the service', { status: 500, code: 'internal' }, (client) => client.listPrograms()],
  ])('%s', async (_what, refusal, call) => {
    const { client, times } = answering([refusal, OK], { timeout: 1e9 })
    expect(await outcome(call(client))).toBe(`${refusal.status} ${refusal.code}`)
    expect(times).toEqual([0])
  })

  it('beyond the time limit: the refusal is thrown at once', async () => {
    // The second pause is 2.5 s or more, after 2.25 or more.
    const { client, times } = answering([LIMITED], { timeout: 4700 })
    const refused = client.listPrograms().catch(() => performance.now())
    const begun = performance.now()
    await vi.advanceTimersByTimeAsync(4700)
    expect(times).toHaveLength(2)
    expect(((await refused) as number) - begun).toBeLessThan(3000)

    const run = answering([LIMITED])
    expect(await outcome(run.client.run('p', 1, { timeout: 2000 }))).toBe('429 rate_limited')
    expect(run.times).toHaveLength(1)
  })

  it('once its signal is aborted, and leaves no timer', async () => {
    for (const kind of ['read', 'run'] as const) {
      const { client, times } = answering([LIMITED])
      const controller = new AbortController()
      const options = { signal: controller.signal }
      const call = kind === 'run' ? client.run('p', 1, options) : client.listPrograms({}, options)
      const aborted = call.catch((error: unknown) => error)
      await vi.advanceTimersByTimeAsync(1000)
      controller.abort('enough')
      expect(await aborted).toBe('enough')
      await vi.advanceTimersByTimeAsync(0)
      expect(vi.getTimerCount()).toBe(0)
      expect(times).toHaveLength(1)
    }
  })
})
