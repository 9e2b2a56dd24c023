import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHttpRig, type HttpRig } from './http-rig.test-support.ts'

let rig: HttpRig
let isFull = false
beforeAll(async () => {
  rig = await createHttpRig({
    worker: (real) => ({
      ...real,
      sendEvent: (key, event) => (isFull ? Promise.resolve({ kind: 'buffer_full' }) : real.sendEvent(key, event)),
    }),
  })
  await rig.deploy('hello', {
    manifest: {
      events: [
        { name: 'typed', payloadSchema: { type: 'object', properties: { by: { type: 'string' } }, required: ['by'] } },
        { name: 'free' },
      ],
    },
  })
})
afterAll(() => rig.close())

const codeOf = ({ status, json }: Awaited<ReturnType<HttpRig['call']>>) => [status, json.error?.code]
const send = (id: string, json: unknown) => rig.call('POST', `/v1/executions/${id}/events`, { json })
const cancel = (id: string) => rig.call('POST', `/v1/executions/${id}/cancel`)
const result = (id: string, wait = 10) =>
  rig.call('GET', `/v1/executions/${id}/result`, { headers: { prefer: `wait=${wait}` } })

describe('sending an event', () => {
  it('answers 202 with a receipt, and the Program gets the payload', async () => {
    const id = await rig.start('hello', { do: 'wait', for: 'go' })
    const answer = await send(id, { name: 'go', payload: { a: ['é', null] } })
    expect(answer.status).toBe(202)
    expect(answer.json).toEqual({
      id: expect.stringMatching(/^evt_[0-9a-z]{26}$/) as string,
      executionId: id,
      name: 'go',
      receivedAt: expect.stringMatching(/Z$/) as string,
    })
    expect((await result(id)).json).toEqual({ status: 'completed', result: { a: ['é', null] } })
  })

  it('may come without a payload', async () => {
    const id = await rig.start('hello', { do: 'wait', for: 'go' })
    expect((await send(id, { name: 'go' })).status).toBe(202)
    expect((await result(id)).json).toEqual({ status: 'completed' })
  })

  it('keeps null and members of any name', async () => {
    const body = '{"name":"go","payload":{"__proto__":{"a":null},"constructor":1}}'
    const id = await rig.start('hello', { do: 'wait', for: 'go' })
    await rig.call('POST', `/v1/executions/${id}/events`, { body, headers: { 'content-type': 'application/json' } })
    expect((await result(id)).text).toContain('{"__proto__":{"a":null},"constructor":1}')
  })

  it.each([
    {},
    { name: '' },
    { name: 'x'.repeat(201) },
    { name: 1 },
    { name: null },
    { payload: 1 },
    { name: '\ud800' },
    [],
  ])('with %j is 400', async (body) => {
    const id = await rig.start('hello', { do: 'wait', for: 'go' })
    expect(codeOf(await send(id, body))).toEqual([400, 'invalid_request'])
  })

  it('accepts names of 200 characters', async () => {
    const name = '😀'.repeat(200)
    const id = await rig.start('hello', { do: 'wait', for: name })
    expect((await send(id, { name, payload: 1 })).status).toBe(202)
    expect((await result(id)).json.result).toBe(1)
  })

  it('is checked if the Program declares a schema', async () => {
    const id = await rig.start('hello', { do: 'wait', for: 'never' })
    const refused = await send(id, { name: 'typed', payload: { by: 1 } })
    expect(codeOf(refused)).toEqual([400, 'invalid_input'])
    expect(refused.json.error.message).toContain('payload/by must be string')
    expect(codeOf(await send(id, { name: 'typed' }))).toEqual([400, 'invalid_input'])
    for (const event of [
      { name: 'typed', payload: { by: 'me' } },
      { name: 'free', payload: 1 },
      { name: 'other', payload: [] },
    ]) {
      expect((await send(id, event)).status).toBe(202)
    }
  })

  it.each([{ do: 'return' }, { do: 'fail', message: 'x' }])(
    'to an Execution that ended (%j) is 409',
    async (script) => {
      const id = await rig.start('hello', script)
      await result(id)
      expect(codeOf(await send(id, { name: 'go' }))).toEqual([409, 'execution_finished'])
    },
  )

  it('is 429 if too many are undelivered, with the time of a retry', async () => {
    const id = await rig.start('hello', { do: 'wait', for: 'go' })
    isFull = true
    const answer = await send(id, { name: 'other' })
    isFull = false
    expect(codeOf(answer)).toEqual([429, 'rate_limited'])
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
  })
})

describe('cancelling', () => {
  it('is 202, also when repeated', async () => {
    const id = await rig.start('hello', { do: 'wait', for: 'go' })
    const first = await cancel(id)
    expect([first.status, first.json.id]).toEqual([202, id])
    expect(['cancelling', 'cancelled']).toContain(first.json.status)
    expect((await result(id)).json).toEqual({ status: 'cancelled' })
    const again = await cancel(id)
    expect([again.status, again.json]).toEqual([202, { id, status: 'cancelled' }])
    const { json } = await rig.call('GET', `/v1/executions/${id}`)
    expect(json.cancelRequestedAt).toMatch(/Z$/)
    expect(Object.keys(json)).not.toContain('result')
    expect(codeOf(await send(id, { name: 'go' }))).toEqual([409, 'execution_finished'])
  })

  it.each([{ do: 'return' }, { do: 'fail', message: 'x' }])('an Execution that ended (%j) is 409', async (script) => {
    const id = await rig.start('hello', script)
    await result(id)
    expect(codeOf(await cancel(id))).toEqual([409, 'execution_finished'])
  })
})

describe('reading the result', () => {
  it('answers at once in any status', async () => {
    const id = await rig.start('hello', { do: 'wait', for: 'go' })
    const answer = await rig.call('GET', `/v1/executions/${id}/result`)
    expect(['queued', 'running', 'waiting']).toContain(answer.json.status)
    expect(Object.keys(answer.json)).toEqual(['status'])
    expect(answer.headers['preference-applied']).toBeUndefined()
  })

  it('is held until the Execution ends, and then answered at once', async () => {
    const id = await rig.start('hello', { do: 'wait', for: 'go' })
    const held = result(id, 60)
    const others = [result(id, 60), result(id, 60)]
    await send(id, { name: 'go', payload: 'done' })
    for (const answer of await Promise.all([held, ...others])) {
      expect(answer.json).toEqual({ status: 'completed', result: 'done' })
      expect(answer.headers['preference-applied']).toBe('wait=60')
    }
  })

  it('is not held longer than requested', async () => {
    const id = await rig.start('hello', { do: 'wait', for: 'go' })
    const before = performance.now()
    const answer = await result(id, 1)
    expect(performance.now() - before).toBeGreaterThan(950)
    expect([answer.status, answer.json.status, answer.headers['preference-applied']]).toEqual([
      200,
      'waiting',
      'wait=1',
    ])
  })

  it('is held for at most a minute, and says so', async () => {
    const id = await rig.start('hello', { do: 'return' })
    expect((await result(id, 3_600)).headers['preference-applied']).toBe('wait=60')
  })

  it('is not held for an invalid preference', async () => {
    const id = await rig.start('hello', { do: 'wait', for: 'go' })
    const path = `/v1/executions/${id}/result`
    for (const prefer of ['wait=soon', 'wait=-1', 'respond-async', 'wait']) {
      const answer = await rig.call('GET', path, { headers: { prefer } })
      expect([answer.status, answer.headers['preference-applied']]).toEqual([200, undefined])
    }
    expect((await rig.call('GET', path, { headers: { prefer: 'wait=0' } })).headers['preference-applied']).toBe(
      'wait=0',
    )
  })

  it('holds nothing for a caller that disconnected', async () => {
    const id = await rig.start('hello', { do: 'wait', for: 'go' })
    const controllers = Array.from({ length: 5 }, () => new AbortController())
    const gone = controllers.map(({ signal }) =>
      fetch(`${rig.origin}/v1/executions/${id}/result`, { headers: { prefer: 'wait=60' }, signal }).catch(() => 'gone'),
    )
    await rig.call('GET', '/healthz')
    for (const controller of controllers) controller.abort()
    expect(await Promise.all(gone)).toEqual(Array(5).fill('gone'))
    await send(id, { name: 'go' })
    expect((await result(id)).json.status).toBe('completed')
  })

  it('shows the error of a failed Execution', async () => {
    const id = await rig.start('hello', { do: 'fail', message: 'boom' })
    expect((await result(id)).json).toEqual({
      status: 'failed',
      error: { code: 'program_error', name: 'Error', message: 'boom' },
    })
  })
})

describe('reading the history', () => {
  it('shows every entry, oldest first, with its data', async () => {
    const id = await rig.start('hello', { do: 'wait', for: 'go' })
    await send(id, { name: 'go', payload: { __proto__: null, a: 1 } })
    await result(id)
    const { json } = await rig.call('GET', `/v1/executions/${id}/history`)
    expect(json.nextCursor).toBeNull()
    expect(json.items.map((entry: { position: number }) => entry.position)).toEqual(
      json.items.map((_: unknown, index: number) => index + 1),
    )
    expect(json.items[0]).toMatchObject({ type: 'execution_started', data: { input: { do: 'wait', for: 'go' } } })
    expect(json.items.at(-1)).toMatchObject({ type: 'execution_completed', data: { result: { a: 1 } } })
    const received = json.items.find((entry: { type: string }) => entry.type === 'event_received')
    expect(received).toMatchObject({
      name: 'go',
      data: { id: expect.stringMatching(/^evt_/) as string, payload: { a: 1 } },
    })
  })

  it('continues page by page while it grows', async () => {
    const id = await rig.start('hello', { do: 'wait', for: 'go' })
    const path = `/v1/executions/${id}/history`
    for (let sent = 0; sent < 70; sent += 1) await send(id, { name: 'other', payload: sent })
    const positions: number[] = []
    let cursor: string | null = null
    do {
      const query: string = cursor === null ? '' : `&cursor=${cursor}`
      const { json } = await rig.call('GET', `${path}?limit=30${query}`)
      positions.push(...json.items.map((entry: { position: number }) => entry.position))
      cursor = json.nextCursor as string | null
      if (positions.length === 30) await send(id, { name: 'other', payload: 'late' })
    } while (cursor !== null)
    expect(positions).toEqual(positions.map((_, index) => index + 1))
    expect(positions.length).toBeGreaterThan(72)
    expect(codeOf(await rig.call('GET', `${path}?cursor=nonsense`))).toEqual([400, 'invalid_request'])
  })

  it('ends a page early to limit its size', async () => {
    const id = await rig.start('hello', { do: 'wait', for: 'go' })
    for (let sent = 0; sent < 12; sent += 1) await send(id, { name: 'other', payload: 'x'.repeat(900_000) })
    const first = await rig.call('GET', `/v1/executions/${id}/history?limit=200`)
    expect(first.text.length).toBeLessThan(10_000_000)
    expect(first.json.nextCursor).not.toBeNull()
    const second = await rig.call('GET', `/v1/executions/${id}/history?limit=200&cursor=${first.json.nextCursor}`)
    expect(second.json.items[0].position).toBe(first.json.items.at(-1).position + 1)
  })
})
