import { getEventListeners } from 'node:events'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createClient, executionHandle } from './create-client.ts'
import { ServiceRuntimeError } from './service-runtime-error.ts'
import {
  type Answer,
  inTurn,
  json,
  reset,
  type ScriptedServer,
  silent,
  startScriptedServer,
  until,
} from './scripted-server.test-support.ts'
import type { FetchFunction, FetchInit } from './web-platform.ts'

const ID = 'exe_1'
const waiting = json(200, { status: 'waiting' })
const completed = json(200, { status: 'completed', result: { ok: true } })

/** Holds the request for `ms`, as a long-polling service does. */
const held =
  (ms: number, answer: unknown): Answer =>
  (_request, response) => {
    const timer = setTimeout(
      () =>
        response
          .writeHead(200, { 'content-type': 'application/json', 'preference-applied': 'wait=1' })
          .end(JSON.stringify(answer)),
      ms,
    )
    response.on('close', () => clearTimeout(timer))
  }

const serve = async (answer: Answer, port?: number): Promise<ScriptedServer> => {
  const server = await startScriptedServer(answer, port)
  onTestFinished(server.close)
  return server
}

/** Ends in the middle, as an answer of a proxy that lost its connection to the service: nothing but the JSON tells. */
const cutOff: Answer = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end('{"id":"exe_1","status":"comp')
}

const handleOn = (url: string) => executionHandle(createClient({ url }), ID)

const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length

const rejection = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect.fail('it did not reject'),
    (error: unknown) => error,
  )

describe('result()', () => {
  it('resolves with the result, with one request with Prefer: wait', async () => {
    const server = await serve(completed)
    expect(await handleOn(server.url).result()).toEqual({ ok: true })
    expect(server.seen).toHaveLength(1)
    expect(server.seen[0]).toMatchObject({ method: 'GET', url: `/v1/executions/${ID}/result` })
    expect(server.seen[0]?.headers['prefer']).toBe('wait=50')
  })

  it('resolves with undefined when the Program returned nothing', async () => {
    const server = await serve(json(200, { status: 'completed' }))
    expect(await handleOn(server.url).result()).toBeUndefined()
  })

  it('repeats the request if a held one returns before the end', async () => {
    const server = await serve(inTurn(held(1_050, { status: 'waiting' }), held(20, { status: 'completed', result: 1 })))
    expect(await handleOn(server.url).result()).toBe(1)
    expect(server.seen).toHaveLength(2)
  })

  it.each([
    ['in a page without TLS, for which browsers have six connections', 'location', { protocol: 'http:' }, 2],
    ['in Bun, which sends 256 requests at once', 'Bun', {}, 200],
  ])('leaves connections to other calls %s', async (_where, name, value, most) => {
    vi.stubGlobal(name, value)
    onTestFinished(() => void vi.unstubAllGlobals())
    let ends = false
    const server = await serve(async (request, response) => {
      if (request.headers['prefer'] === 'wait=50') await until(() => ends)
      return (ends ? completed : waiting)(request, response)
    })
    const waits = Array.from({ length: most + 2 }, () => handleOn(server.url).result())
    await until(() => server.seen.length >= most + 4)
    const preferred = server.seen.map(({ headers }) => headers['prefer'])
    expect(preferred.filter((one) => one !== 'wait=0')).toEqual(Array(most).fill('wait=50'))
    ends = true
    await Promise.all(waits)
    await handleOn(server.url).result()
    expect(server.seen.at(-1)?.headers['prefer']).toBe('wait=50')
  })

  it('does not loop if held requests return at once, as from a stopping service', async () => {
    const server = await serve(held(0, { status: 'waiting' }))
    const error = await rejection(handleOn(server.url).result({ timeout: 1_000 }))
    expect(error).toMatchObject({ code: 'wait_timeout' })
    expect(server.seen.length).toBeGreaterThan(1)
    expect(server.seen.length).toBeLessThan(10)
  })

  it('polls with growing delays if the service does not hold requests', async () => {
    const at: number[] = []
    const answer = inTurn(waiting, waiting, waiting, waiting, completed)
    const server = await serve((request, response) => {
      at.push(Date.now())
      return answer(request, response)
    })
    expect(await handleOn(server.url).result()).toEqual({ ok: true })
    const pauses = at.slice(1).map((time, index) => time - (at[index] ?? 0))
    expect(pauses).toHaveLength(4)
    // Timers are never early; how late they are depends on the machine.
    for (const [index, least] of [75, 112, 168, 253].entries()) expect(pauses[index]).toBeGreaterThanOrEqual(least - 2)
  })

  it('rejects if the Execution failed, with its error as cause and its message', async () => {
    const error = { code: 'program_error', message: 'no stock', name: 'StockError' }
    const server = await serve(json(200, { status: 'failed', error }))
    const thrown = await rejection(handleOn(server.url).result())
    expect(thrown).toBeInstanceOf(ServiceRuntimeError)
    expect(thrown).toMatchObject({ status: 200, code: 'execution_failed', cause: error })
    expect((thrown as Error).message).toContain('no stock')
  })

  it('rejects if the Execution was cancelled', async () => {
    const server = await serve(json(200, { status: 'cancelled' }))
    const thrown = await rejection(handleOn(server.url).result())
    expect(thrown).toMatchObject({ status: 200, code: 'execution_cancelled' })
    expect((thrown as Error).cause).toBeUndefined()
    expect((thrown as Error).message).toContain(ID)
  })

  it.each([
    [502, 'a proxy without its service'],
    [503, 'a service that shuts down'],
    [504, 'a proxy that timed out'],
    [429, 'a service that is asked too often'],
    [408, 'a proxy that this computer kept waiting'],
  ])('continues after %i from %s', async (status) => {
    const server = await serve(inTurn(json(status, { error: { code: 'unavailable', message: 'later' } }), completed))
    expect(await handleOn(server.url).result()).toEqual({ ok: true })
    expect(server.seen).toHaveLength(2)
  })

  it('continues after a status that only a gateway sends', async () => {
    const server = await serve(inTurn(json(521, {}), completed))
    expect(await handleOn(server.url).result()).toEqual({ ok: true })
    const refusing = await serve(json(521, { error: { code: 'some_code', message: 'no' } }))
    expect(await rejection(handleOn(refusing.url).result())).toMatchObject({ status: 521, code: 'some_code' })
  })

  it('waits for the time of Retry-After', async () => {
    const busy = json(503, { error: { code: 'unavailable', message: 'later' } }, { 'retry-after': '1' })
    const server = await serve(inTurn(busy, completed))
    const startedAt = Date.now()
    await handleOn(server.url).result()
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(990)
  })

  it('continues after broken connections', async () => {
    const half: Answer = (_request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{"status":')
      response.destroy()
    }
    const server = await serve(inTurn(reset, half, cutOff, completed))
    expect(await handleOn(server.url).result()).toEqual({ ok: true })
    expect(server.seen).toHaveLength(4)
  })

  it('continues after a restart of the service', async () => {
    const before = await serve(held(30_000, { status: 'waiting' }))
    const result = handleOn(before.url).result()
    await until(() => before.seen.length === 1)
    await before.close()
    const after = await serve(inTurn(held(10, { status: 'completed', result: 'still here' })), before.port)
    expect(await result).toBe('still here')
    expect(after.seen).toHaveLength(1)
  })

  it.each([400, 401, 403, 404, 500])('ends at once on %i', async (status) => {
    const server = await serve(json(status, { error: { code: 'some_code', message: 'no' } }))
    expect(await rejection(handleOn(server.url).result())).toMatchObject({ status, code: 'some_code', message: 'no' })
    expect(server.seen).toHaveLength(1)
  })

  it.each([[{}], [[]], [null], ['text'], [{ status: 1 }]])(
    'gives up on an answer that is no result: %j',
    async (body) => {
      const server = await serve(json(200, body))
      expect(await rejection(handleOn(server.url).result())).toMatchObject({ status: 200, code: 'invalid_response' })
    },
  )

  it('continues for unknown statuses', async () => {
    const server = await serve(inTurn(json(200, { status: 'paused' }), completed))
    expect(await handleOn(server.url).result()).toEqual({ ok: true })
  })
})

describe('an outage', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  const SECOND = 1_000
  const after = (ms: number, status: number, body: unknown, headers = {}): Promise<Response> =>
    new Promise((resolve) => setTimeout(() => resolve(Response.json(body, { status, headers })), ms))
  const holdOf = (init: FetchInit): number => Number(/wait=(\d+)/.exec(init.headers['Prefer'] ?? '')?.[1])
  const handleWith = (fetch: FetchFunction) => executionHandle(createClient({ url: 'http://service.test', fetch }), ID)

  /** Passes the time until the promise settles. Resolves with the passed time. */
  const timeOf = async (promise: Promise<unknown>): Promise<number> => {
    const startedAt = performance.now()
    let isSettled = false
    const settle = () => (isSettled = true)
    promise.then(settle, settle)
    while (!isSettled) await vi.advanceTimersByTimeAsync(100)
    return performance.now() - startedAt
  }

  it('ends after about two minutes if the service accepts requests and does not answer', async () => {
    const mute: FetchFunction = () => new Promise(() => {})
    const result = rejection(handleWith(mute).result())
    // The service may have held the first request, and 15 s longer than asked.
    expect(await timeOf(result)).toBeLessThan((65 + 120 + 30) * SECOND)
    expect(await result).toMatchObject({ code: 'network_error' })
    const run = rejection(createClient({ url: 'http://service.test', fetch: mute }).run('p'))
    expect(await timeOf(run)).toBeLessThan((20 + 120 + 30) * SECOND)
    expect(await run).toMatchObject({ code: 'network_error' })
  })

  it('ends after about two minutes if each answer of a proxy takes long', async () => {
    const result = rejection(handleWith(() => after(10 * SECOND, 504, {})).result())
    expect(await timeOf(result)).toBeLessThan((10 + 120 + 20) * SECOND)
    expect(await result).toMatchObject({ status: 504 })
  })

  it('waits for a minute at most before it asks again, whatever Retry-After says', async () => {
    const answers = [after(10, 503, {}, { 'retry-after': '86400' }), after(10, 200, { status: 'completed', result: 1 })]
    const result = handleWith(() => answers.shift()!).result()
    expect(await timeOf(result)).toBeLessThan(62 * SECOND)
    expect(await result).toBe(1)
  })

  it('is awaited until the date of Retry-After, which counts from the date of the answer', async () => {
    const dates = { date: 'Wed, 21 Oct 2026 07:28:00 GMT', 'retry-after': 'Wed, 21 Oct 2026 07:28:40 GMT' }
    const answers = [after(10, 503, {}, dates), after(10, 200, { status: 'completed', result: 1 })]
    const passed = await timeOf(handleWith(() => answers.shift()!).result())
    expect(passed).toBeGreaterThanOrEqual(40 * SECOND)
    expect(passed).toBeLessThan(42 * SECOND)
    const list = (headers: Record<string, string>) =>
      createClient({
        url: 'http://service.test',
        maxRetries: 0,
        fetch: () => after(0, 503, {}, headers),
      }).listPrograms()
    const refusals = [dates, { 'retry-after': dates.date }, { ...dates, 'retry-after': '-1' }].map(list).map(rejection)
    await timeOf(Promise.all(refusals))
    const delays = (await Promise.all(refusals)).map((error) => (error as ServiceRuntimeError).retryAfterMs)
    expect(delays).toEqual([40_000, undefined, undefined])
  })

  it('is none while the service asks for a pause', async () => {
    const busy = Array.from({ length: 10 }, () => after(10, 503, {}, { 'retry-after': '60' }))
    const answers = [...busy, after(10, 200, { status: 'completed', result: 1 })]
    const result = handleWith(() => answers.shift()!).result()
    expect(await timeOf(result)).toBeGreaterThanOrEqual(600 * SECOND)
    expect(await result).toBe(1)
  })

  it('is none if a proxy ends held requests early, and the service answers', async () => {
    const hour = 3_600 * SECOND
    const endsAt = performance.now() + hour
    const result = handleWith((_url, init) => {
      if (performance.now() >= endsAt) return after(10, 200, { status: 'completed', result: 'in the end' })
      const hold = holdOf(init)
      if (hold > 30) return after(30 * SECOND, 504, {})
      return after(hold * SECOND, 200, { status: 'waiting' }, { 'preference-applied': `wait=${hold}` })
    }).result()
    expect(await timeOf(result)).toBeGreaterThanOrEqual(hour)
    expect(await result).toBe('in the end')
  })

  it('is over with each answer, so that many short ones do not end a wait', async () => {
    const endsAt = performance.now() + 600 * SECOND
    let asked = 0
    const result = handleWith((_url, init) => {
      if (performance.now() >= endsAt) return after(10, 200, { status: 'completed', result: 'in the end' })
      asked += 1
      if (asked % 2 === 1) return after(10 * SECOND, 504, {})
      const hold = holdOf(init)
      return after(hold * SECOND, 200, { status: 'waiting' }, { 'preference-applied': `wait=${hold}` })
    }).result()
    expect(await timeOf(result)).toBeGreaterThanOrEqual(600 * SECOND)
    expect(await result).toBe('in the end')
  })

  it('ends no wait before its own timeout', async () => {
    const result = rejection(handleWith(() => after(10 * SECOND, 504, {})).result({ timeout: 300 * SECOND }))
    expect(await timeOf(result)).toBeGreaterThanOrEqual(300 * SECOND)
    expect(await result).toMatchObject({ code: 'wait_timeout', cause: { status: 504 } })
  })
})

describe('result() with a timeout', () => {
  it('asks again after a computer’s sleep beyond it, because the Execution may have ended', async () => {
    let slept = 0
    const now = performance.now.bind(performance)
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + slept)
    onTestFinished(() => clock.mockRestore())
    const sleep: Answer = (request, response) => {
      slept += 3_600_000
      return reset(request, response)
    }
    const server = await serve(inTurn(waiting, sleep, reset, completed))
    expect(await handleOn(server.url).result({ timeout: 60_000 })).toEqual({ ok: true })
    expect(server.seen.at(-1)?.headers['prefer']).toBe('wait=1')

    const asleep = await serve(sleep)
    expect(await rejection(handleOn(asleep.url).result({ timeout: 60_000 }))).toMatchObject({ code: 'wait_timeout' })
    expect(asleep.seen).toHaveLength(2)
  })

  it('rejects in time even if the service does not answer', async () => {
    const server = await serve(silent)
    const error = await rejection(handleOn(server.url).result({ timeout: 200 }))
    expect(error).toBeInstanceOf(ServiceRuntimeError)
    expect(error).toMatchObject({ status: 0, code: 'wait_timeout' })
    expect((error as Error).message).toContain('0.2 s')
    expect(server.seen[0]?.headers['prefer']).toBe('wait=0')
  })

  it('reports why the last attempt failed', async () => {
    const server = await serve(silent)
    await server.close()
    const error = await rejection(handleOn(server.url).result({ timeout: 300 }))
    expect(error).toMatchObject({ code: 'wait_timeout', cause: { code: 'network_error' } })
    expect((error as Error).message).toMatch(
      /^The service gave no answer about Execution exe_1 within 0\.3 s; the last attempt failed: .*ECONNREFUSED/,
    )
  })

  it.each([
    [7_300, 7],
    [7_000, 6],
    [7_001, 6],
    [7_240, 6],
  ])('asks the service to answer before %i ms have passed', async (timeout, seconds) => {
    const server = await serve(completed)
    await handleOn(server.url).result({ timeout })
    expect(server.seen[0]?.headers['prefer']).toBe(`wait=${seconds}`)
  })

  it('says that the Execution had not ended, after a service that holds requests as long as it is asked', async () => {
    const server = await serve((request, response) => {
      const seconds = Number(/\d+/.exec(String(request.headers['prefer']))?.[0])
      return held(seconds * 1_000, { status: 'waiting' })(request, response)
    })
    const error = await rejection(handleOn(server.url).result({ timeout: 300 }))
    expect(error).toMatchObject({ code: 'wait_timeout', message: 'Execution exe_1 had not ended after 0.3 s' })
  })

  it('does not say that the Execution runs if it is too short to ask', async () => {
    const error = await rejection(handleOn((await serve(completed)).url).result({ timeout: 0 }))
    expect(error).toMatchObject({ code: 'wait_timeout' })
    expect((error as Error).message).toBe('The service gave no answer about Execution exe_1 within 0 s')
  })

  it('may be longer than the limit of a timer', async () => {
    const server = await serve(inTurn(waiting, completed))
    expect(await handleOn(server.url).result({ timeout: 365 * 86_400_000 })).toEqual({ ok: true })
    expect(server.seen).toHaveLength(2)
  })

  it.each([NaN, -1, 'soon'])('refuses %s', async (timeout) => {
    await expect(handleOn('http://localhost:1').result({ timeout: timeout as number })).rejects.toThrow(TypeError)
  })
})

describe('result() with a signal', () => {
  it('rejects with the signal’s reason before the first request', async () => {
    const server = await serve(completed)
    const reason = new Error('not needed any more')
    expect(await rejection(handleOn(server.url).result({ signal: AbortSignal.abort(reason) }))).toBe(reason)
    expect(server.seen).toHaveLength(0)
  })

  it('rejects at once during a held request, and closes the connection', async () => {
    const server = await serve(silent)
    const controller = new AbortController()
    const result = rejection(handleOn(server.url).result({ signal: controller.signal }))
    await until(() => server.seen.length === 1)
    controller.abort()
    expect(await result).toMatchObject({ name: 'AbortError' })
    await until(async () => (await server.connections()) === 0)
  })

  it('rejects at once during a delay', async () => {
    const server = await serve(json(503, {}, { 'retry-after': '30' }))
    const controller = new AbortController()
    const result = rejection(handleOn(server.url).result({ signal: controller.signal }))
    await until(() => server.seen.length === 1)
    setTimeout(() => controller.abort(), 50)
    expect(await result).toMatchObject({ name: 'AbortError' })
  })

  it('rejects even if the fetch function ignores its signal', async () => {
    const client = createClient({ url: 'http://localhost:1', fetch: () => new Promise(() => {}) })
    const error = await rejection(executionHandle(client, ID).result({ signal: AbortSignal.timeout(30) }))
    expect(error).toMatchObject({ name: 'TimeoutError' })
  })

  it('leaves no timers or listeners', async () => {
    const before = timers()
    const { signal } = new AbortController()
    const good = await serve(inTurn(waiting, completed))
    await handleOn(good.url).result({ signal, timeout: 60_000 })
    const failing = await serve(json(404, {}))
    await rejection(handleOn(failing.url).result({ signal, timeout: 60_000 }))
    const slow = await serve(silent)
    await rejection(handleOn(slow.url).result({ signal, timeout: 50 }))
    const controller = new AbortController()
    const aborted = rejection(handleOn(slow.url).result({ signal: controller.signal }))
    controller.abort()
    await aborted
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0)
    await until(() => timers() <= before)
  })
})

describe('run()', () => {
  const started = (status: string, more: object = {}) => json(201, { id: ID, status, ...more })
  const failed = { status: 'failed', error: { code: 'program_error', message: 'no stock' } }

  it('is one request if the Execution is quick', async () => {
    const server = await serve(started('completed', { result: [1] }))
    expect(await createClient({ url: server.url }).run('p', { a: 1 }, { idempotencyKey: 'k', version: 2 })).toEqual([1])
    expect(server.seen).toHaveLength(1)
    expect(server.seen[0]).toMatchObject({ method: 'POST', url: '/v1/executions', headers: { prefer: 'wait=1' } })
    expect(server.seen[0]?.headers['idempotency-key']).toBe('k')
    expect(JSON.parse(server.seen[0]?.body ?? '')).toEqual({ programId: 'p', input: { a: 1 }, version: 2 })
  })

  it('repeats the start if its connection breaks, with a key, so that it starts one Execution', async () => {
    const away = json(503, { error: { code: 'unavailable', message: 'starting' } })
    const server = await serve(
      inTurn(reset, json(502, '<html>'), json(521, '<html>'), cutOff, away, started('running'), completed),
    )
    expect(await createClient({ url: server.url }).run('p', { a: 1 })).toEqual({ ok: true })
    expect(server.seen.map(({ method }) => method)).toEqual([...Array.from({ length: 6 }, () => 'POST'), 'GET'])
    const keys = server.seen.slice(0, 6).map(({ headers }) => headers['idempotency-key'])
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/)
    expect(new Set(keys).size).toBe(1)
    expect(new Set(server.seen.slice(0, 6).map(({ body }) => body)).size).toBe(1)
  })

  it('uses another key for each run', async () => {
    const server = await serve(started('completed'))
    for (let n = 0; n < 2; n++) await createClient({ url: server.url }).run('p')
    expect(server.seen[0]?.headers['idempotency-key']).not.toBe(server.seen[1]?.headers['idempotency-key'])
  })

  it('rejects at once if no server listens', async () => {
    const gone = await serve(silent)
    await gone.close()
    expect(await rejection(createClient({ url: gone.url }).run('p'))).toMatchObject({ code: 'network_error' })
  })

  it('rejects in time if the start is not answered', async () => {
    const mute = createClient({ url: (await serve(silent)).url })
    expect(await rejection(mute.run('p', 1, { timeout: 200 }))).toMatchObject({
      code: 'wait_timeout',
      message: expect.stringContaining('may have been started'),
    })
    const breaking = createClient({ url: (await serve(reset)).url })
    expect(await rejection(breaking.run('p', 1, { timeout: 400 }))).toMatchObject({
      code: 'wait_timeout',
      cause: { code: 'network_error' },
    })
    const unasked = await serve(completed)
    expect(await rejection(createClient({ url: unasked.url }).run('p', 1, { timeout: 0 }))).toMatchObject({
      code: 'wait_timeout',
      message: 'The start was not sent within 0 ms: no Execution was started',
    })
    expect(unasked.seen).toHaveLength(0)
  })

  it('waits for the result if it is not quick, or the service does not hold its answer', async () => {
    const server = await serve(inTurn(started('queued'), waiting, completed))
    expect(await createClient({ url: server.url }).run('p')).toEqual({ ok: true })
    expect(server.seen.map(({ method }) => method)).toEqual(['POST', 'GET', 'GET'])
  })

  it('rejects like result(): failed at once or later, refused, timed out, aborted', async () => {
    const atOnce = createClient({ url: (await serve(started('failed', failed))).url })
    const later = createClient({ url: (await serve(inTurn(started('running'), json(200, failed)))).url })
    for (const client of [atOnce, later]) {
      expect(await rejection(client.run('p'))).toMatchObject({
        status: 200,
        code: 'execution_failed',
        cause: failed.error,
        executionId: 'exe_1',
      })
    }
    const refusing = createClient({ url: (await serve(json(404, { error: { code: 'program_not_found' } }))).url })
    expect(await rejection(refusing.run('p'))).toMatchObject({ status: 404, code: 'program_not_found' })
    const slow = createClient({ url: (await serve(inTurn(started('running'), waiting))).url })
    expect(await rejection(slow.run('p', 1, { timeout: 300 }))).toMatchObject({
      code: 'wait_timeout',
      executionId: 'exe_1',
      message: expect.stringMatching(/had not ended after 0\.3 s$/),
    })
    const deleted = createClient({ url: (await serve(inTurn(started('running'), json(404, {})))).url })
    expect(await rejection(deleted.run('p'))).toMatchObject({ code: 'not_found', executionId: 'exe_1' })
    const mute = createClient({ url: (await serve(silent)).url })
    const controller = new AbortController()
    const aborted = rejection(mute.run('p', 1, { signal: controller.signal }))
    controller.abort(new Error('enough'))
    expect(await aborted).toMatchObject({ message: 'enough' })
    await expect(mute.run('p', 1, { timeout: -1 })).rejects.toThrow(TypeError)
  })
})
