import { afterEach, describe, expect, expectTypeOf, it, onTestFinished, vi } from 'vitest'
import { createClient, executionHandle, type ServiceClient } from './create-client.ts'
import type { ProgramArtifact } from './contract-types.ts'
import type { ProgramContext } from './define-program.ts'
import type { EventReference, ProgramReference } from './definitions.ts'
import type { ExecutionHandle } from './execution-handle.ts'
import { startScriptedServer } from './scripted-server.test-support.ts'
import { ServiceRuntimeError } from './service-runtime-error.ts'
import type { CallOptions } from './transport.ts'
import type { TestExecution } from './testing/create-test-execution.ts'
import type { FetchFunction, FetchInit, FetchResponse, ReadResponse } from './web-platform.ts'

const BASE = 'http://service.test:1'

type Sent = { readonly url: string; readonly init: FetchInit }

/** Has a member of each answer of the API by which the client knows it. */
const anyAnswer = {
  id: 'exe_1',
  status: 'waiting',
  items: [],
  points: [],
  lines: [],
  counts: {},
  workspace: {},
  secret: 's',
  folder: '/f',
  version: '1',
  executionId: 'exe_1',
}

/** A client whose fetch returns `body` and records its calls. */
const recorded = (body: unknown = anyAnswer, options: Parameters<typeof createClient>[0] = {}) => {
  const sent: Sent[] = []
  const fetch: FetchFunction = (url, init) => {
    sent.push({ url, init })
    return Promise.resolve(Response.json(body))
  }
  return { sent, client: createClient({ url: BASE, fetch, ...options }) }
}

const answering = (status: number, body: string, headers: Record<string, string> = {}): ServiceClient =>
  createClient({ url: BASE, maxRetries: 0, fetch: () => Promise.resolve(new Response(body, { status, headers })) })

const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect.fail('it did not reject'),
    (error: unknown) => error,
  )

afterEach(() => {
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
})

const page = { limit: 2, cursor: 'c' }
const artifact = { format: 'wes.program/1', id: 'p', program: { code: '({ run() {} })' } } as const

describe('each method sends exactly its request', () => {
  it.each<[string, (client: ServiceClient) => Promise<unknown>, string, string, unknown?]>([
    ['whoAmI', (client) => client.whoAmI(), 'GET', '/v1/whoami'],
    ['listProjects', (client) => client.listProjects(), 'GET', '/v1/projects'],
    ['createProject', (client) => client.createProject({ name: 'n' }), 'POST', '/v1/projects', { name: 'n' }],
    ['deployProgram', (client) => client.deployProgram(artifact), 'POST', '/v1/programs/deploy', artifact],
    ['listPrograms', (client) => client.listPrograms(), 'GET', '/v1/programs'],
    ['listPrograms of a page', (client) => client.listPrograms(page), 'GET', '/v1/programs?limit=2&cursor=c'],
    ['programs', (client) => client.programs(page), 'GET', '/v1/programs?limit=2&cursor=c'],
    ['getProgram', (client) => client.getProgram('a/b'), 'GET', '/v1/programs/a%2Fb'],
    ['listProgramVersions', (client) => client.listProgramVersions('a b'), 'GET', '/v1/programs/a%20b/versions'],
    [
      'listProgramVersions of a page',
      (client) => client.listProgramVersions('a', page),
      'GET',
      '/v1/programs/a/versions?limit=2&cursor=c',
    ],
    ['start', (client) => client.start('p'), 'POST', '/v1/executions', { programId: 'p' }],
    ['start with null', (client) => client.start('p', null), 'POST', '/v1/executions', { programId: 'p', input: null }],
    [
      'start of a definition',
      (client) => client.start({ id: 'p' }, { a: [1] }),
      'POST',
      '/v1/executions',
      { programId: 'p', input: { a: [1] } },
    ],
    [
      'start of a version',
      (client) => client.start('p', undefined, { version: 3 }),
      'POST',
      '/v1/executions',
      { programId: 'p', version: 3 },
    ],
    ['getExecution', (client) => client.getExecution('e?'), 'GET', '/v1/executions/e%3F'],
    ['listExecutions', (client) => client.listExecutions(page), 'GET', '/v1/executions?limit=2&cursor=c'],
    ['listExecutions with a filter', (client) => client.listExecutions({ q: 'x' }), 'GET', '/v1/executions?q=x'],
    ['executions', (client) => client.executions({ status: 'failed' }), 'GET', '/v1/executions?status=failed'],
    ['sendEvent', (client) => client.sendEvent('e', 'go'), 'POST', '/v1/executions/e/events', { name: 'go' }],
    [
      'sendEvent with a payload',
      (client) => client.sendEvent('e', 'go', false),
      'POST',
      '/v1/executions/e/events',
      { name: 'go', payload: false },
    ],
    ['cancelExecution', (client) => client.cancelExecution('e'), 'POST', '/v1/executions/e/cancel'],
    ['getResult', (client) => client.getResult('e'), 'GET', '/v1/executions/e/result'],
    ['getHistory', (client) => client.getHistory('e', page), 'GET', '/v1/executions/e/history?limit=2&cursor=c'],
    [
      'countExecutions',
      (client) => client.countExecutions({ notStatus: ['failed', 'waiting'], needsAttention: true }),
      'GET',
      '/v1/executions/counts?notStatus=failed&notStatus=waiting&needsAttention=true',
    ],
    ['fireCommand', (client) => client.fireCommand('e/x', 3), 'POST', '/v1/executions/e%2Fx/commands/3/fire'],
    ['retryCommand', (client) => client.retryCommand('e', 12), 'POST', '/v1/executions/e/commands/12/retry'],
    ['deleteExecution', (client) => client.deleteExecution('e/x'), 'DELETE', '/v1/executions/e%2Fx'],
    [
      'startBulk of ids',
      (client) => client.startBulk({ action: 'delete', ids: ['a', 'b'] }),
      'POST',
      '/v1/bulk',
      { action: 'delete', ids: ['a', 'b'] },
    ],
    [
      'startBulk of a filter',
      (client) => client.startBulk({ action: 'cancel', filter: { status: 'waiting', createdAfter: new Date(0) } }),
      'POST',
      '/v1/bulk',
      { action: 'cancel', filter: { status: 'waiting', createdAfter: '1970-01-01T00:00:00.000Z' } },
    ],
    [
      'startBulk of a filter with an unknown member, which the service refuses',
      (client) => client.startBulk({ action: 'cancel', filter: { programID: 'p', q: 'x' } as object }),
      'POST',
      '/v1/bulk',
      { action: 'cancel', filter: { programID: 'p', q: 'x' } },
    ],
    ['getBulk', (client) => client.getBulk('blk_1'), 'GET', '/v1/bulk/blk_1'],
    ['stopBulk', (client) => client.stopBulk('blk_1'), 'POST', '/v1/bulk/blk_1/stop'],
    ['listWaiting', (client) => client.listWaiting(page), 'GET', '/v1/waiting?limit=2&cursor=c'],
    ['listErrors', (client) => client.listErrors({ programId: 'p' }), 'GET', '/v1/errors?programId=p'],
    [
      'getMetrics',
      (client) => client.getMetrics({ from: new Date(0), to: '2026-01-01', step: '5m', programId: 'p' }),
      'GET',
      '/v1/metrics?from=1970-01-01T00%3A00%3A00.000Z&to=2026-01-01&step=5m&programId=p',
    ],
    ['getMetrics of the last hour', (client) => client.getMetrics(), 'GET', '/v1/metrics'],
    ['getSource', (client) => client.getSource(), 'GET', '/v1/source'],
    ['getRuntime', (client) => client.getRuntime(), 'GET', '/v1/runtime'],
    [
      'getProgramArtifact',
      (client) => client.getProgramArtifact('a b', 3),
      'GET',
      '/v1/programs/a%20b/versions/3/artifact',
    ],
    [
      'send of a handle',
      (client) => executionHandle(client, 'e').send('go', { a: 1 }),
      'POST',
      '/v1/executions/e/events',
      { name: 'go', payload: { a: 1 } },
    ],
    [
      'send of a handle, with a definition',
      (client) => executionHandle(client, 'e').send({ name: 'go' }),
      'POST',
      '/v1/executions/e/events',
      { name: 'go' },
    ],
    [
      'sendEvent with a definition',
      (client) => client.sendEvent('e', { name: 'go' }, 1),
      'POST',
      '/v1/executions/e/events',
      { name: 'go', payload: 1 },
    ],
    ['cancel of a handle', (client) => executionHandle(client, 'e').cancel(), 'POST', '/v1/executions/e/cancel'],
  ])('%s', async (_name, call, method, path, body) => {
    const { client, sent } = recorded()
    await call(client)
    expect(sent).toHaveLength(1)
    expect(sent[0]?.url).toBe(BASE + path)
    const { headers, body: text, ...init } = sent[0]?.init ?? { headers: {} }
    expect(init).toEqual({ method, redirect: 'manual', cache: 'no-store', signal: expect.any(AbortSignal) })
    expect(text === undefined ? undefined : (JSON.parse(text) as unknown)).toEqual(body)
    expect(headers).toEqual({
      Accept: 'application/json',
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    })
  })

  it('refuses a bulk without ids or a filter, or with a member that has no value, which would select more', async () => {
    const sent: string[] = []
    const client = createClient({
      url: 'http://x',
      fetch: async (url) => {
        sent.push(url)
        throw new Error('sent')
      },
    })
    for (const request of [{ action: 'delete' }, { action: 'cancel', ids: undefined, filter: undefined }]) {
      await expect(client.startBulk(request as never)).rejects.toThrow(/needs ids or a filter/)
    }
    for (const filter of [{ programId: undefined }, { status: 'waiting', createdAfter: undefined } as const]) {
      await expect(client.startBulk({ action: 'delete', filter })).rejects.toThrow(/is undefined/)
    }
    expect(sent).toEqual([])
  })

  it('refuses an empty list in a filter, which would select all', async () => {
    const { client, sent } = recorded()
    for (const filter of [{ status: [] }, { notStatus: [] }, { notProgramId: [] }]) {
      await expect(client.listExecutions(filter)).rejects.toThrow(/is an empty list/)
      await expect(client.countExecutions(filter)).rejects.toThrow(TypeError)
    }
    expect(sent).toEqual([])
  })

  it('returns the service’s answer', async () => {
    const list = { items: [{ id: 'p' }], nextCursor: null }
    expect(await recorded(list).client.listPrograms()).toEqual(list)
  })

  it('returns nothing for an empty answer', async () => {
    const client = createClient({ url: BASE, fetch: () => Promise.resolve(new Response(null, { status: 204 })) })
    expect(await client.deleteExecution('e')).toBeUndefined()
  })

  it('keeps members with dangerous names', async () => {
    const { client, sent } = recorded({ id: 'exe_1' })
    await client.start('p', JSON.parse('{"__proto__":{"a":1},"constructor":2}'))
    expect(sent[0]?.init.body).toBe('{"programId":"p","input":{"__proto__":{"a":1},"constructor":2}}')
  })

  it('sends an idempotency key as the bytes of UTF-8, and refuses one that a header would change', async () => {
    const { client, sent } = recorded({ id: 'exe_1' })
    await client.start('p', 1, { idempotencyKey: '\ufeffé\t日' })
    expect(Buffer.from(sent[0]!.init.headers['Idempotency-Key']!, 'latin1').toString()).toBe('\ufeffé\t日')
    // JavaScript passes null for a value that is missing, which as text would be one key for all.
    const noText = [null, 7] as unknown as readonly string[]
    for (const idempotencyKey of ['', ' k', 'k\t', 'k\n', 'a\nb', 'a\x7f', '\ud800', ...noText]) {
      await expect(client.start('p', 1, { idempotencyKey })).rejects.toThrow(TypeError)
      await expect(client.sendEvent('exe_1', 'e', 1, { idempotencyKey })).rejects.toThrow(TypeError)
    }
    expect(sent).toHaveLength(1)
  })

  it('sends an idempotency key only if it is given', async () => {
    const { client, sent } = recorded({ id: 'exe_1' })
    await client.start('p', 1, { idempotencyKey: 'order-7' })
    await client.start('p', 1)
    expect(sent[0]?.init.headers['Idempotency-Key']).toBe('order-7')
    expect(sent[1]?.init.headers).not.toHaveProperty('Idempotency-Key')
  })

  it('sends token and project with each request', async () => {
    const { client, sent } = recorded(anyAnswer, { token: 'wes_x', projectId: 'prj_1' })
    await client.listProjects()
    await (await client.start('p')).cancel()
    for (const { init } of sent) {
      expect(init.headers).toMatchObject({ Authorization: 'Bearer wes_x', 'X-Service-Project-Id': 'prj_1' })
    }
    expect(sent).toHaveLength(3)
  })

  it('reads address and token from the environment when it is created', async () => {
    vi.stubEnv('SERVICE_TOKEN', 'wes_env')
    vi.stubEnv('SERVICE_API_BASE_URL', 'https://api.test/x/')
    const { client, sent } = recorded(undefined, { url: undefined })
    vi.stubEnv('SERVICE_TOKEN', 'another')
    await client.listProjects()
    expect(sent[0]?.url).toBe('https://api.test/x/v1/projects')
    expect(sent[0]?.init.headers['Authorization']).toBe('Bearer wes_env')
  })

  it('calls the platform’s current fetch', async () => {
    const client = createClient({ url: BASE })
    const fetch = vi.fn<FetchFunction>(() => Promise.resolve(Response.json({ items: [], nextCursor: null })))
    vi.stubGlobal('fetch', fetch)
    await client.listProjects()
    expect(fetch).toHaveBeenCalledExactlyOnceWith(`${BASE}/v1/projects`, expect.objectContaining({ method: 'GET' }))
  })

  it('reads answers that have only a status and JSON, as those of a replaced fetch in tests', async () => {
    const clientOf = (status: number, value: unknown) => {
      const answer: ReadResponse = { status, json: () => Promise.resolve(value) }
      return createClient({ url: BASE, fetch: () => Promise.resolve(answer as FetchResponse) })
    }
    expect(await clientOf(200, { items: [], nextCursor: null }).programs()).toEqual({ items: [], nextCursor: null })
    const error = { code: 'program_not_found', message: 'There is no Program.' }
    expect(await rejection(clientOf(404, { error }).getProgram('hello'))).toMatchObject({ status: 404, ...error })
  })

  it('parses answers with the given parser', async () => {
    const exact = (text: string): unknown => JSON.parse(text.replace(/:(\d{16,})/g, ':"$1"'))
    const fetch: FetchFunction = () =>
      Promise.resolve(new Response('{"id":"exe_1","status":"queued","input":90071992547409931}'))
    const exactly = await createClient({ url: BASE, fetch, parseJson: exact }).getExecution('exe_1')
    expect(exactly.input).toBe('90071992547409931')
    expect((await createClient({ url: BASE, fetch }).getExecution('exe_1')).input).toBe(90071992547409931)
  })

  it('treats an error of the given parser as an invalid answer', async () => {
    const fetch: FetchFunction = () => Promise.resolve(new Response('{}'))
    const parseJson = () => {
      throw new SyntaxError('no')
    }
    const error = await rejection(createClient({ url: BASE, fetch, parseJson }).getExecution('exe_1'))
    expect(error).toMatchObject({ status: 200, code: 'invalid_response' })
  })

  it('lists no other Executions where a service ignores the filters by label or by what is run again', async () => {
    const items = [{ id: 'exe_1', label: 'Order 7, Žofie', againOf: 'exe_0' }, { id: 'exe_2' }]
    const client = createClient({ url: BASE, fetch: () => Promise.resolve(Response.json({ items, nextCursor: null })) })
    expect((await client.listExecutions({ label: '' })).items).toHaveLength(2)
    const refusal = { code: 'invalid_response', message: expect.stringContaining('older than this client') }
    expect(await rejection(client.listExecutions({ label: 'order 7' }))).toMatchObject(refusal)
    expect(await rejection(client.listExecutions({ againOf: 'exe_0' }))).toMatchObject(refusal)
    items.pop()
    expect((await client.listExecutions({ label: 'ORDER 7, Žof', againOf: ['exe_9', 'exe_0'] })).items).toEqual(items)
    expect(await rejection(client.listExecutions({ label: 'žofie' }))).toMatchObject(refusal)
    expect(await rejection(client.listExecutions({ againOf: ['exe_9'] }))).toMatchObject(refusal)
  })

  it('has methods that work without their object', async () => {
    const { client, sent } = recorded({ id: 'exe_1' })
    const { start } = client
    const { cancel } = await start('p')
    await cancel()
    expect(sent.map(({ url }) => url)).toEqual([`${BASE}/v1/executions`, `${BASE}/v1/executions/exe_1/cancel`])
  })
})

/** Each method with its options, the last argument. */
const CALLS: Readonly<
  Record<
    Exclude<keyof ServiceClient, 'streamChanges'>,
    (client: ServiceClient, options: CallOptions) => Promise<unknown>
  >
> = {
  whoAmI: (client, options) => client.whoAmI(options),
  listProjects: (client, options) => client.listProjects(options),
  createProject: (client, options) => client.createProject({ name: 'n' }, options),
  deployProgram: (client, options) => client.deployProgram(artifact, options),
  listPrograms: (client, options) => client.listPrograms(page, options),
  programs: (client, options) => client.programs(undefined, options),
  getProgram: (client, options) => client.getProgram('p', options),
  listProgramVersions: (client, options) => client.listProgramVersions('p', page, options),
  start: (client, options) => client.start('p', 1, options),
  run: (client, options) => client.run('p', 1, options),
  getExecution: (client, options) => client.getExecution('e', options),
  listExecutions: (client, options) => client.listExecutions(page, options),
  executions: (client, options) => client.executions({}, options),
  sendEvent: (client, options) => client.sendEvent('e', 'go', 1, options),
  cancelExecution: (client, options) => client.cancelExecution('e', options),
  getResult: (client, options) => client.getResult('e', options),
  getHistory: (client, options) => client.getHistory('e', page, options),
  getWorkspace: (client, options) => client.getWorkspace(options),
  updateWorkspace: (client, options) => client.updateWorkspace({ name: 'n' }, options),
  listTokens: (client, options) => client.listTokens(page, options),
  createToken: (client, options) => client.createToken({ name: 'n', role: 'read' }, options),
  revokeToken: (client, options) => client.revokeToken('t', options),
  getEnvironment: (client, options) => client.getEnvironment('default', options),
  changeEnvironment: (client, options) => client.changeEnvironment('default', {}, options),
  listProgramTriggers: (client, options) => client.listProgramTriggers('p', options),
  listTriggers: (client, options) => client.listTriggers('default', options),
  replaceTriggers: (client, options) => client.replaceTriggers('default', [], options),
  fireTrigger: (client, options) => client.fireTrigger('default', 't', 1, options),
  getUsage: (client, options) => client.getUsage({}, options),
  getBillingPlan: (client, options) => client.getBillingPlan(options),
  listInvoices: (client, options) => client.listInvoices(page, options),
  getUpcomingInvoice: (client, options) => client.getUpcomingInvoice(options),
  getProgramArtifact: (client, options) => client.getProgramArtifact('p', 1, options),
  deleteProgramVersion: (client, options) => client.deleteProgramVersion('p', 1, options),
  countExecutions: (client, options) => client.countExecutions({}, options),
  fireCommand: (client, options) => client.fireCommand('e', 1, options),
  retryCommand: (client, options) => client.retryCommand('e', 1, options),
  deleteExecution: (client, options) => client.deleteExecution('e', options),
  startBulk: (client, options) => client.startBulk({ action: 'cancel', filter: {} }, options),
  getBulk: (client, options) => client.getBulk('b', options),
  stopBulk: (client, options) => client.stopBulk('b', options),
  listWaiting: (client, options) => client.listWaiting(page, options),
  listErrors: (client, options) => client.listErrors(page, options),
  getMetrics: (client, options) => client.getMetrics({}, options),
  getSource: (client, options) => client.getSource(options),
  getRuntime: (client, options) => client.getRuntime(options),
}

describe('a signal', () => {
  const ofHandle = {
    'send of a handle': (client: ServiceClient, options: CallOptions) =>
      executionHandle(client, 'e').send('go', 1, options),
    'cancel of a handle': (client: ServiceClient, options: CallOptions) => executionHandle(client, 'e').cancel(options),
  }

  it.each(Object.entries({ ...CALLS, ...ofHandle }))(
    'ends %s with its reason, whatever fetch does, and sends nothing if it was aborted before',
    async (_name, call) => {
      const fetch = vi.fn<FetchFunction>(() => new Promise(() => {}))
      const client = createClient({ url: BASE, fetch })
      const stop = new AbortController()
      const reason = new Error('no longer shown')
      const outcome = rejection(call(client, { signal: stop.signal }))
      await vi.waitFor(() => expect(fetch).toHaveBeenCalledOnce())
      stop.abort(reason)
      expect(await outcome).toBe(reason)
      expect(fetch.mock.calls[0]?.[1].signal?.aborted).toBe(true)
      expect(await rejection(call(client, { signal: stop.signal }))).toBe(reason)
      expect(fetch).toHaveBeenCalledOnce()
    },
  )

  it('keeps no listeners after an answer, so that one may serve many calls', async () => {
    const { signal } = new AbortController()
    const [added, removed] = [vi.spyOn(signal, 'addEventListener'), vi.spyOn(signal, 'removeEventListener')]
    await recorded().client.listPrograms({}, { signal })
    expect(added).toHaveBeenCalledOnce()
    expect(removed.mock.calls).toEqual(added.mock.calls)
  })
})

describe('a handle', () => {
  it('has a read-only id', async () => {
    const handle = await recorded({ id: 'exe_1' }).client.start('p')
    expect(handle.id).toBe('exe_1')
    expect(() => Object.assign(handle, { id: 'other' })).toThrow(TypeError)
  })

  it('is refused for a client that createClient did not create', () => {
    expect(() => executionHandle({} as ServiceClient, 'exe_1')).toThrow(TypeError)
  })

  it.each([undefined, {}, 5])('is refused %j in place of a Program or an event, and sends nothing', async (given) => {
    const { client, sent } = recorded({ id: 'exe_1' })
    const handle = await client.start('p')
    sent.length = 0
    await expect(client.start(given as never)).rejects.toThrow('start and run take a Program, or its id')
    await expect(client.run(given as never)).rejects.toThrow('start and run take a Program, or its id')
    await expect(handle.send(given as never)).rejects.toThrow('send takes an event')
    expect(sent).toEqual([])
  })

  it.each([
    [() => 1, 'it is a function'],
    [Symbol('s'), 'it is a symbol'],
    [{ toJSON: () => undefined }, 'its toJSON() returned undefined'],
  ])('is refused an input or a payload that JSON lacks, and sends nothing: %s', async (given, reason) => {
    const { client, sent } = recorded({ id: 'exe_1' })
    const refused = (what: string) => ({
      status: 0,
      code: 'invalid_request',
      message: `The ${what} is not JSON: ${reason}`,
    })
    expect(await rejection(client.start('p', given))).toMatchObject(refused('input'))
    expect(await rejection(client.run('p', given))).toMatchObject(refused('input'))
    expect(await rejection(client.sendEvent('e', 'go', given))).toMatchObject(refused('payload'))
    expect(await rejection(executionHandle(client, 'e').send('go', given))).toMatchObject(refused('payload'))
    expect(await rejection(client.fireTrigger('default', 't', given))).toMatchObject(refused('input'))
    expect(sent).toEqual([])
  })

  it('is refused a body that cannot be JSON, and sends nothing', async () => {
    const { client, sent } = recorded({ id: 'exe_1' })
    const cycle: Record<string, unknown> = {}
    cycle['self'] = cycle
    const refused = (message: string) => ({ name: 'ServiceRuntimeError', status: 0, code: 'invalid_request', message })
    expect(await rejection(client.start('p', { cents: 5n }))).toMatchObject(
      refused('The body of POST /v1/executions cannot be JSON: Do not know how to serialize a BigInt'),
    )
    for (const call of [
      client.run('p', cycle),
      client.sendEvent('e', 'go', cycle),
      client.deployProgram(cycle as never),
    ]) {
      const error = await rejection(call)
      expect(error).toMatchObject({ name: 'ServiceRuntimeError', status: 0, code: 'invalid_request' })
      expect(error).toMatchObject({ message: expect.stringContaining('circular'), cause: expect.any(TypeError) })
    }
    expect(sent).toEqual([])
  })

  it('types input, result and payload from definitions', () => {
    const program: ProgramReference<{ cents: number }, { receipt: string }> = { id: 'refund' }
    const event: EventReference<{ by: string }> = { name: 'approved' }
    const use = async (client: ServiceClient) => {
      const handle = await client.start(program, { cents: 5 })
      expectTypeOf(handle.result).returns.resolves.toEqualTypeOf<{ receipt: string }>()
      // @ts-expect-error the input is missing
      await client.start(program)
      // @ts-expect-error the input has another type
      await client.start(program, { cents: '5' })
      await handle.send(event, { by: 'ada' })
      // @ts-expect-error the payload is missing
      await handle.send(event)
      await handle.send('anything')
      const untyped = await client.start('refund')
      expectTypeOf(untyped.result).returns.resolves.toBeUnknown()
      const typed = await client.start<number>('refund', {})
      expectTypeOf(typed.result).returns.resolves.toBeNumber()
    }
    expectTypeOf(use).toBeFunction()
  })
})

describe('deployProgram takes', () => {
  it('an artifact as TypeScript types an imported JSON file, with further members in the manifest', async () => {
    // TypeScript widens the texts of a JSON module, as it does here.
    const file = {
      format: 'wes.program/1',
      id: 'hello',
      program: { code: '({ run() {} })' },
      manifest: { inputSchema: { type: 'object' }, events: [{ name: 'go', payloadSchema: true }], owner: 'me' },
    }
    const { client, sent } = recorded({ id: 'hello' })
    await client.deployProgram(file)
    await client.deployProgram({ ...artifact, manifest: { owner: 'me' } })
    expect(JSON.parse(sent[0]?.init.body ?? '')).toEqual(file)
    expectTypeOf<ProgramArtifact>().toExtend<Parameters<ServiceClient['deployProgram']>[0]>()
    // @ts-expect-error the code is missing
    await client.deployProgram({ format: 'wes.program/1', id: 'hello' })
  })
})

describe('a failure is a ServiceRuntimeError', () => {
  it('with the service’s status, code and message', async () => {
    const body = JSON.stringify({ error: { code: 'program_not_found', message: 'no Program "p"' } })
    const error = await rejection(answering(404, body).getProgram('p'))
    expect(error).toBeInstanceOf(ServiceRuntimeError)
    expect(error).toBeInstanceOf(Error)
    expect(error).toMatchObject({
      name: 'ServiceRuntimeError',
      status: 404,
      code: 'program_not_found',
      message: 'no Program "p"',
    })
  })

  it.each([
    [400, 'invalid_request'],
    [401, 'unauthorized'],
    [404, 'not_found'],
    [413, 'payload_too_large'],
    [500, 'internal'],
    [502, 'unavailable'],
    [504, 'unavailable'],
    [418, 'http_418'],
  ])('with a code for the status %i without the API’s JSON', async (status, code) => {
    for (const body of ['<html>Bad Gateway</html>', '', '[]', '"x"', 'null', '{"error":"x"}', '{"error":{"code":7}}']) {
      const error = await rejection(answering(status, body).listPrograms())
      expect(error).toMatchObject({ status, code })
      expect((error as Error).message).toBe(`GET ${BASE}/v1/programs answered ${status}`)
    }
  })

  it('with status 0 without an answer', async () => {
    const cause = new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:1') })
    const client = createClient({ url: BASE, fetch: () => Promise.reject(cause) })
    const error = await rejection(client.listPrograms())
    expect(error).toMatchObject({ status: 0, code: 'network_error', cause })
    expect((error as Error).message).toBe(`GET ${BASE}/v1/programs got no answer: connect ECONNREFUSED 127.0.0.1:1`)
  })

  it('with the code of a cause without a message, as for a name with several addresses', async () => {
    const refused = Object.assign(new Error('x'), { message: '', code: 'ECONNREFUSED' })
    const cause = new TypeError('fetch failed', { cause: refused })
    const client = createClient({ url: BASE, fetch: () => Promise.reject(cause) })
    expect(await rejection(client.listPrograms())).toMatchObject({ message: expect.stringMatching(/ECONNREFUSED$/) })
  })

  it.each(['', '<html></html>', '5', 'null', '[]'])(
    'when an answer of %j is not what the API answers',
    async (body) => {
      expect(await rejection(answering(200, body).listPrograms())).toMatchObject({
        status: 200,
        code: 'invalid_response',
      })
    },
  )

  const { sendEvent, cancelExecution, deleteExecution, deleteProgramVersion, revokeToken, ...withAnswer } = CALLS
  it.each(Object.entries(withAnswer))('when %s gets JSON of another API', async (_name, call) => {
    const error = await rejection(call(answering(200, '{"hello":"world"}'), {}))
    expect(error).toMatchObject({ status: 200, code: 'invalid_response' })
    const said =
      /^[A-Z]+ http:\/\/service\.test:1\/v1\/\S+ answered 200 with \{"hello":"world"\}, which is no answer of the API;/
    expect((error as Error).message).toMatch(said)
  })

  it('that shows how an answer begins, on one line', async () => {
    const error = await rejection(answering(200, `<!doctype html>\n${' '.repeat(1_000_000)}`).getProgram('p'))
    expect((error as Error).message).toContain(String.raw` answered 200 with "<!doctype html>\n  `)
    expect((error as Error).message.length).toBeLessThan(300)
    expect((await rejection(answering(200, 'null').getProgram('p'))) as Error).toHaveProperty(
      'message',
      expect.stringContaining(' answered 200 with null, which'),
    )
  })

  it.each(['{}', '[]', '{"id":1}'])('with the status of the answer if a start answers %s', async (body) => {
    const invalid = { status: 201, code: 'invalid_response' }
    expect(await rejection(answering(201, body).start('p'))).toMatchObject(invalid)
    expect(await rejection(answering(201, body).run('p'))).toMatchObject(invalid)
  })

  it.each(['[]', '5', 'null', '"ok"'])('if an acknowledgement is %s', async (body) => {
    const invalid = { status: 202, code: 'invalid_response' }
    expect(await rejection(answering(202, body).cancelExecution('e'))).toMatchObject(invalid)
    expect(await rejection(answering(202, body).sendEvent('e', 'go'))).toMatchObject(invalid)
  })

  it('with the status of the answer if a list is none', async () => {
    expect(await rejection(answering(203, '[]').listPrograms())).toMatchObject({
      status: 203,
      code: 'invalid_response',
      message: expect.stringContaining("check that the address is the service's"),
    })
  })

  it('but members and values that the client does not know are returned', async () => {
    const execution = { id: 'e', status: 'paused', mood: 'good' }
    expect(await answering(200, JSON.stringify(execution)).getExecution('e')).toEqual(execution)
    const receipt = { id: 'e', status: 'pausing' }
    expect(await answering(202, JSON.stringify(receipt)).cancelExecution('e')).toEqual(receipt)
  })

  it('if the answer is a redirect, which is not followed', async () => {
    const server = await startScriptedServer((_request, response) => {
      response.writeHead(301, { location: '/elsewhere' }).end()
    })
    onTestFinished(server.close)
    const client = createClient({ url: server.url, token: 'wes_x' })
    const message = expect.stringContaining('with a redirect to /elsewhere, and redirects are not followed')
    for (const attempt of [
      () => client.start('p'),
      () => client.run('p'),
      () => executionHandle(client, 'e').result(),
    ]) {
      expect(await rejection(attempt())).toMatchObject({ status: 301, code: 'http_301', message })
    }
    expect(server.seen.map(({ url }) => url)).toEqual(['/v1/executions', '/v1/executions', '/v1/executions/e/result'])
    // As in a browser, which hides the status.
    const fetch = () => Promise.resolve({ status: 0, headers: new Headers(), text: () => Promise.resolve('') })
    const hidden = createClient({ url: BASE, fetch })
    expect(await rejection(executionHandle(hidden, 'e').result())).toMatchObject({
      code: 'http_302',
      message: expect.stringContaining('with a redirect, and redirects are not followed'),
    })
    const unchanged = () => Promise.resolve(new Response(null, { status: 304 }))
    expect(await rejection(createClient({ url: BASE, fetch: unchanged }).programs())).toMatchObject({
      code: 'http_304',
      message: `GET ${BASE}/v1/programs answered 304`,
    })
  })

  it('but an acknowledgement may be empty', async () => {
    await expect(answering(202, '').cancelExecution('e')).resolves.toBeUndefined()
    await expect(answering(202, '').sendEvent('e', 'go')).resolves.toBeUndefined()
  })

  it('and no request is repeated whose connection failed', async () => {
    const fetch = vi.fn<FetchFunction>(() => Promise.reject(new TypeError('fetch failed')))
    const client = createClient({ url: BASE, fetch })
    await rejection(client.start('p', 1, { idempotencyKey: 'k' }))
    await rejection(client.sendEvent('e', 'go'))
    await rejection(client.getResult('e'))
    expect(fetch).toHaveBeenCalledTimes(3)
  })
})

it('has types by which linters let its functions be taken from their object', () => {
  type Bound<Type> = {
    [Name in keyof Type]: Type[Name] extends (...args: never[]) => unknown
      ? unknown extends ThisParameterType<Type[Name]>
        ? Name
        : never
      : never
  }[keyof Type]
  expectTypeOf<Bound<ServiceClient>>().toEqualTypeOf<never>()
  expectTypeOf<Bound<ExecutionHandle>>().toEqualTypeOf<never>()
  expectTypeOf<Bound<ProgramContext>>().toEqualTypeOf<never>()
  expectTypeOf<Bound<TestExecution>>().toEqualTypeOf<never>()
})
