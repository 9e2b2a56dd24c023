import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { artifact, createHttpRig, type HttpRig } from './http-rig.test-support.ts'

let rig: HttpRig
beforeAll(async () => {
  rig = await createHttpRig()
  await rig.deploy('hello')
  await rig.deploy('typed', {
    manifest: {
      inputSchema: {
        type: 'object',
        properties: { orderId: { type: 'string' }, cents: { type: 'integer', minimum: 1 } },
        required: ['orderId', 'cents'],
      },
    },
  })
})
afterAll(() => rig.close())

const start = (json: unknown, headers: Record<string, string> = {}) =>
  rig.call('POST', '/v1/executions', { json, headers })
const codeOf = ({ status, json }: Awaited<ReturnType<typeof start>>) => [status, json.error?.code]
const settle = (id: string) => rig.call('GET', `/v1/executions/${id}/result`, { headers: { prefer: 'wait=10' } })

describe('starting an Execution', () => {
  it('answers 201 with the Execution and its path', async () => {
    const answer = await start({ programId: 'hello', input: { do: 'return', value: 1 } })
    expect(answer.status).toBe(201)
    expect(answer.headers['location']).toBe(`/v1/executions/${answer.json.id}`)
    expect(answer.json).toEqual({
      id: expect.stringMatching(/^exe_[0-9a-z]{26}$/) as string,
      projectId: 'default',
      programId: 'hello',
      versionId: expect.stringMatching(/^ver_[0-9a-z]{26}$/) as string,
      versionNumber: 1,
      status: 'queued',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
      waitingFor: [],
      inputPreview: '{"do":"return","value":1}',
      input: { do: 'return', value: 1 },
    })
  })

  it('stores the Execution that it runs again, and refuses an unknown one', async () => {
    const first = await rig.start('hello', { do: 'return', value: 1 })
    const again = await start({ programId: 'hello', againOf: first })
    expect([again.status, again.json.againOf]).toEqual([201, first])
    const { json: list } = await rig.call('GET', `/v1/executions?q=${again.json.id as string}`)
    expect(list.items[0]).toMatchObject({ id: again.json.id, againOf: first })
    for (const againOf of ['exe_00000000000000000000000000', '', 'nonsense']) {
      expect(codeOf(await start({ programId: 'hello', againOf }))).toEqual([404, 'execution_not_found'])
    }
    expect(codeOf(await start({ programId: 'hello', againOf: 7 }))).toEqual([400, 'invalid_request'])
  })

  it('shows the beginning of its input in lists', async () => {
    const { json } = await start({ programId: 'hello', input: { do: 'return', value: 'x'.repeat(3_000) } })
    const { json: list } = await rig.call('GET', `/v1/executions?q=${json.id as string}`)
    expect(list.items[0].inputPreview).toBe(JSON.stringify(json.input).slice(0, 200))
    expect(list.items[0].inputPreview).toBe(json.inputPreview)
    expect(list.items[0].input).toBeUndefined()
  })

  it.each([[null], [false], [0], ['text'], [[]], [{}], [{ a: { b: [1, 2.5, 'é😀\u2028'] } }]])(
    'takes %j as input, and gives it back',
    async (input) => {
      const { json } = await start({ programId: 'hello', input })
      const read = await rig.call('GET', `/v1/executions/${json.id}`)
      expect([json.input, read.json.input]).toEqual([input, input])
    },
  )

  it('leaves out a missing input', async () => {
    const { json } = await start({ programId: 'hello' })
    expect('input' in json).toBe(false)
    expect('input' in (await rig.call('GET', `/v1/executions/${json.id}`)).json).toBe(false)
  })

  it('uses the newest version, or the given one', async () => {
    await rig.deploy('pinned')
    await rig.deploy('pinned', { description: 'two' })
    expect((await start({ programId: 'pinned' })).json.versionNumber).toBe(2)
    expect((await start({ programId: 'pinned', version: 1 })).json.versionNumber).toBe(1)
    expect(codeOf(await start({ programId: 'pinned', version: 3 }))).toEqual([404, 'version_not_found'])
  })

  it.each(['nobody', 'no spaces please', '../x', '__proto__', 'x'.repeat(1_000)])(
    'of the unknown Program "%s" is 404',
    async (programId) => {
      expect(codeOf(await start({ programId }))).toEqual([404, 'program_not_found'])
      expect(codeOf(await start({ programId, version: 1 }))).toEqual([404, 'program_not_found'])
    },
  )

  it.each([
    [{ orderId: 'a' }, 'input'],
    [{ orderId: 1, cents: 1 }, 'input/orderId must be string'],
    [{ orderId: 'a', cents: 1.5 }, 'input/cents must be integer'],
    [{ orderId: 'a', cents: 0 }, 'input/cents'],
    ['text', 'input must be object'],
    [null, 'input must be object'],
    [undefined, 'input must be object'],
  ])('with the input %j is 400 with the path if it does not match the Program’s schema', async (input, message) => {
    const answer = await start({ programId: 'typed', input })
    expect(codeOf(answer)).toEqual([400, 'invalid_input'])
    expect(answer.json.error.message).toContain(message)
  })

  it('accepts an input that matches', async () => {
    expect((await start({ programId: 'typed', input: { orderId: 'a', cents: 1, more: true } })).status).toBe(201)
  })
})

describe('a start that waits', () => {
  const prefer = { prefer: 'wait=10' }

  it('answers 201 with the result if the Execution is quick', async () => {
    const answer = await start({ programId: 'hello', input: { do: 'return', value: 7 } }, prefer)
    expect([answer.status, answer.headers['preference-applied']]).toEqual([201, 'wait=10'])
    expect(answer.headers['location']).toBe(`/v1/executions/${answer.json.id as string}`)
    expect(answer.json).toMatchObject({ status: 'completed', result: 7, input: { do: 'return', value: 7 } })
  })

  it('answers after the time with the current Execution', async () => {
    const before = performance.now()
    const answer = await start({ programId: 'hello', input: { do: 'wait', for: 'go' } }, { prefer: 'wait=1' })
    expect(performance.now() - before).toBeGreaterThan(950)
    expect(answer.json).toMatchObject({ status: 'waiting', waitingFor: [{ kind: 'event', name: 'go' }] })
    const now = await start({ programId: 'hello', input: { do: 'wait', for: 'go' } }, { prefer: 'wait=0' })
    expect([now.status, now.headers['preference-applied']]).toEqual([201, 'wait=0'])
  })

  it('waits for the first Execution when it is repeated', async () => {
    const body = { programId: 'hello', input: { do: 'sleep', ms: 300 } }
    const first = await start(body, { 'idempotency-key': 'waits' })
    const again = await start(body, { 'idempotency-key': 'waits', ...prefer })
    expect([again.status, again.json.id, again.json.status]).toEqual([200, first.json.id, 'completed'])
  })

  it('does not wait if it is refused, or if the preference is invalid', async () => {
    expect(codeOf(await start({ programId: 'nobody' }, prefer))).toEqual([404, 'program_not_found'])
    const answer = await start({ programId: 'hello' }, { prefer: 'wait=soon' })
    expect([answer.status, answer.json.status, answer.headers['preference-applied']]).toEqual([
      201,
      'queued',
      undefined,
    ])
  })
})

describe('a repeated start', () => {
  const key = (name: string) => ({ 'idempotency-key': name })

  it('answers 200 with the first Execution’s current state, also if the body is formatted differently', async () => {
    const first = await start({ programId: 'hello', input: { a: 1, b: { c: [1], d: 2 } } }, key('k1'))
    await settle(first.json.id as string)
    const again = await rig.call('POST', '/v1/executions', {
      body: '{ "input": {"b":{"d":2,"c":[1.0]},"a":1e0}, "programId": "hello" }',
      headers: { 'content-type': 'application/json', ...key('k1') },
    })
    expect([first.status, again.status, again.json.id]).toEqual([201, 200, first.json.id])
    expect(again.headers['location']).toBe(`/v1/executions/${first.json.id}`)
    expect(again.json).toMatchObject({ status: 'completed', input: { a: 1, b: { c: [1], d: 2 } } })
  })

  it('with another body is 422', async () => {
    await start({ programId: 'hello', input: 1 }, key('k2'))
    for (const body of [
      { programId: 'hello', input: 2 },
      { programId: 'hello' },
      { programId: 'hello', input: 1, version: 1 },
      { programId: 'typed', input: 1 },
      { programId: 'nobody', input: 1 },
    ]) {
      expect(codeOf(await start(body, key('k2')))).toEqual([422, 'idempotency_conflict'])
    }
  })

  it('starts one Execution if both requests arrive at the same time', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => start({ programId: 'hello', input: 7 }, key('k3'))),
    )
    expect(new Set(answers.map(({ json }) => json.id)).size).toBe(1)
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 200, 200, 200, 201])
  })

  it('after a refusal counts as the first', async () => {
    expect(codeOf(await start({ programId: 'later' }, key('k4')))).toEqual([404, 'program_not_found'])
    await rig.deploy('later')
    expect((await start({ programId: 'later' }, key('k4'))).status).toBe(201)
  })

  it('is answered even if the Program would now refuse it', async () => {
    await rig.deploy('stricter')
    const body = { programId: 'stricter', input: 'anything' }
    const first = await start(body, key('k5'))
    await rig.deploy('stricter', { manifest: { inputSchema: { type: 'number' } } })
    expect(codeOf(await start(body, key('k6')))).toEqual([400, 'invalid_input'])
    const again = await start(body, key('k5'))
    expect([again.status, again.json.id, again.json.versionNumber]).toEqual([200, first.json.id, 1])
  })

  it('belongs to its project', async () => {
    const { json: project } = await rig.call('POST', '/v1/projects', { json: { name: 'other keys' } })
    const there = { 'x-service-project-id': project.id as string }
    await rig.deploy('hello', {}, there)
    const here = await start({ programId: 'hello' }, key('k7'))
    const other = await start({ programId: 'hello' }, { ...key('k7'), ...there })
    expect([other.status, other.json.id === here.json.id]).toEqual([201, false])
  })

  it('needs a key of 1 to 255 characters', async () => {
    expect((await start({ programId: 'hello' }, key('x'.repeat(255)))).status).toBe(201)
    expect(codeOf(await start({ programId: 'hello' }, key('x'.repeat(256))))).toEqual([400, 'invalid_request'])
    expect(codeOf(await start({ programId: 'hello' }, key('')))).toEqual([400, 'invalid_request'])
  })

  it('may have a key with an unpaired surrogate', async () => {
    const body = { programId: 'hello', input: '\ud800' }
    const first = await start(body, key('k8'))
    const again = await start(body, key('k8'))
    expect([first.json.input, again.status, again.json.id]).toEqual(['\ud800', 200, first.json.id])
  })
})

describe('reading an Execution', () => {
  it('shows what it waits for', async () => {
    const waiting = await rig.start('hello', { do: 'wait', for: 'go', timeoutMs: 60_000 })
    const sleeping = await rig.start('hello', { do: 'sleep', ms: 60_000 })
    const untilWaiting = async (id: string) => {
      for (let round = 0; round < 200; round += 1) {
        const { json } = await rig.call('GET', `/v1/executions/${id}`)
        if (json.status === 'waiting') return json
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
      throw new Error('it does not wait')
    }
    const time = expect.stringMatching(/Z$/) as string
    expect(await untilWaiting(waiting)).toMatchObject({
      startedAt: time,
      waitingFor: [{ kind: 'event', name: 'go', since: time, timeoutAt: time }],
    })
    expect((await untilWaiting(sleeping)).waitingFor).toEqual([{ kind: 'timer', wakeAt: time }])
  })

  it('shows its result, or its error', async () => {
    const good = await rig.start('hello', { do: 'return', value: { a: [null] } })
    const bad = await rig.start('hello', { do: 'fail', message: 'no "luck"' })
    await settle(good)
    await settle(bad)
    const completed = (await rig.call('GET', `/v1/executions/${good}`)).json
    expect(completed).toMatchObject({ status: 'completed', result: { a: [null] }, waitingFor: [] })
    expect(Object.keys(completed)).not.toContain('error')
    expect((await rig.call('GET', `/v1/executions/${bad}`)).json).toMatchObject({
      status: 'failed',
      error: { code: 'program_error', name: 'Error', message: 'no "luck"' },
    })
  })

  it.each(['exe_00000000000000000000000000', 'nobody', '1', '%00', 'exe_', 'ver_01h455vb4pex5vsknk084sn02q', '../x'])(
    '%s is 404 on every route',
    async (id) => {
      const escaped = id.startsWith('%') ? id : encodeURIComponent(id)
      for (const [method, rest, json] of [
        ['GET', '', undefined],
        ['GET', '/result', undefined],
        ['GET', '/history', undefined],
        ['POST', '/cancel', undefined],
        ['POST', '/events', { name: 'x' }],
      ] as const) {
        const answer = await rig.call(method, `/v1/executions/${escaped}${rest}`, json === undefined ? {} : { json })
        expect([rest, ...codeOf(answer)]).toEqual([rest, 404, 'execution_not_found'])
      }
    },
  )
})

describe('listing Executions', () => {
  let headers: Record<string, string>
  const ids: string[] = []
  beforeAll(async () => {
    const { json } = await rig.call('POST', '/v1/projects', { json: { name: 'listed' } })
    headers = { 'x-service-project-id': json.id as string }
    await rig.deploy('one', {}, headers)
    await rig.deploy('two', {}, headers)
    await rig.deploy('two', { description: 'again' }, headers)
    const inputs = [
      { programId: 'one', input: { do: 'return' } },
      { programId: 'one', input: { do: 'fail', message: 'Card DECLINED 100%_' } },
      { programId: 'two', input: { do: 'wait', for: 'go' } },
      { programId: 'two', input: { do: 'return' }, version: 1 },
    ]
    for (const input of inputs) {
      const { json: started } = await start(input, headers)
      ids.push(started.id as string)
      if (input.input.do !== 'wait') await settle(started.id as string)
    }
    const last = ids[2]!
    while ((await rig.call('GET', `/v1/executions/${last}`)).json.status !== 'waiting');
  })
  const list = async (query: string) => {
    const { json } = await rig.call('GET', `/v1/executions?${query}`, { headers })
    return json.items.map((item: { id: string }) => ids.indexOf(item.id)) as number[]
  }

  it('are summaries, newest first', async () => {
    const { json } = await rig.call('GET', '/v1/executions', { headers })
    expect(json.items.map((item: { id: string }) => item.id)).toEqual(ids.toReversed())
    expect(json.nextCursor).toBeNull()
    expect(Object.keys(json.items[0])).not.toContain('input')
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

  it('finds ids by prefix', async () => {
    expect(await list(`q=${ids[1]}`)).toEqual([1])
    expect(await list(`q=${ids[0]!.slice(0, 8)}`)).toEqual([3, 2, 1, 0])
  })

  it('excludes both times', async () => {
    const at = (await rig.call('GET', `/v1/executions/${ids[1]}`)).json.createdAt as string
    expect(await list(`createdAfter=${at}`)).not.toContain(1)
    expect(await list(`createdBefore=${at}`)).not.toContain(1)
    const before = new Date(Date.parse(at) - 1).toISOString()
    expect(await list(`createdAfter=${before}`)).toContain(1)
  })

  it('continues after the previous page while more are started', async () => {
    const first = await rig.call('GET', '/v1/executions?limit=3', { headers })
    await start({ programId: 'one', input: { do: 'return' } }, headers)
    const second = await rig.call('GET', `/v1/executions?limit=3&cursor=${first.json.nextCursor}`, { headers })
    const shown = [...first.json.items, ...second.json.items].map((item: { id: string }) => ids.indexOf(item.id))
    expect([shown, second.json.nextCursor]).toEqual([[3, 2, 1, 0], null])
  })

  it('refuses cursors of other lists', async () => {
    await rig.deploy('one', { description: 'second' }, headers)
    const { json } = await rig.call('GET', '/v1/programs/one/versions?limit=1', { headers })
    expect(json.nextCursor).not.toBeNull()
    expect(codeOf(await rig.call('GET', `/v1/executions?cursor=${json.nextCursor}`))).toEqual([400, 'invalid_request'])
  })

  it('shows 50 by default', async () => {
    const { json: project } = await rig.call('POST', '/v1/projects', { json: { name: 'crowded' } })
    const crowded = { 'x-service-project-id': project.id as string }
    await rig.call('POST', '/v1/programs/deploy', { json: artifact('p'), headers: crowded })
    await Promise.all(Array.from({ length: 60 }, () => start({ programId: 'p' }, crowded)))
    const counts = ['', '?limit=60', '?limit=200'].map(async (query) => {
      const { json } = await rig.call('GET', `/v1/executions${query}`, { headers: crowded })
      return [json.items.length, json.nextCursor === null] as const
    })
    expect(await Promise.all(counts)).toEqual([
      [50, false],
      [60, true],
      [60, true],
    ])
  })
})
