import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type ConnectionsRig, createConnectionsRig } from './connections-rig.test-support.ts'
import { HEALTH, sendJson, startService } from './scripted-service.test-support.ts'
import { createMemoryKeeper, type TokenKeeper, TokenLockedError } from './token-keeper.ts'

const TOKEN = 'wes_a-token-of-the-test'
const ACME = {
  name: 'Acme',
  address: 'https://wes.acme.example/',
  colour: 'teal',
  isProduction: true,
  token: TOKEN,
  keep: 'run',
}
const SHOWN = { id: 'acme', name: 'Acme', address: 'https://wes.acme.example', colour: 'teal', isProduction: true }

let rig: ConnectionsRig
beforeEach(() => {
  rig = createConnectionsRig()
})
afterEach(() => rig.dispose())

const listed = async (from: ConnectionsRig = rig) =>
  (JSON.parse((await from.call('GET', '/local/connections')).text) as { items: unknown }).items

describe('the list of connections', () => {
  it('is empty at first, and says that nothing is stored', async () => {
    const answer = await rig.call('GET', '/local/connections')
    expect([answer.status, JSON.parse(answer.text)]).toEqual([200, { items: [], storing: 'none' }])
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(existsSync(rig.file)).toBe(false)
  })

  it('has what was added, renamed and removed, and so has the next process, without tokens', async () => {
    const added = await rig.call('POST', '/local/connections', ACME)
    expect([added.status, JSON.parse(added.text)]).toEqual([201, { ...SHOWN, token: 'run' }])
    await rig.add('Other', 'http://localhost:8080')
    const changed = await rig.call('PATCH', '/local/connections/acme', { name: 'ACME', isProduction: false })
    expect(JSON.parse(changed.text)).toEqual({ ...SHOWN, name: 'ACME', isProduction: false, token: 'run' })
    expect((await rig.call('DELETE', '/local/connections/other')).status).toBe(204)
    expect(await rig.keeper.read('other')).toBeUndefined()
    const [acme, ...more] = (await rig.open().list()).items
    expect(more).toEqual([])
    expect(acme).toEqual({ ...SHOWN, name: 'ACME', isProduction: false, token: 'run' })
    expect(JSON.parse(readFileSync(rig.file, 'utf8'))).toEqual({
      connections: [{ ...SHOWN, name: 'ACME', isProduction: false }],
    })
  })

  it.skipIf(process.platform === 'win32')(
    'is a private file, also beside a draft that was left with another mode',
    async () => {
      writeFileSync(`${rig.file}.new`, '{"connec', { mode: 0o644 })
      await rig.add('Acme', 'https://wes.acme.example')
      expect(statSync(rig.file).mode & 0o777).toBe(0o600)
      expect(readdirSync(rig.folder)).toEqual(['connections.json'])
    },
  )

  it('is what it was if the process ends while the file is written', async () => {
    await rig.add('Acme', 'https://wes.acme.example')
    writeFileSync(`${rig.file}.new`, '{"connections": [{"id": "half')
    expect((await rig.open().list()).items).toHaveLength(1)
  })

  const at = (address: string): string =>
    JSON.stringify({ connections: [{ id: 'a', name: 'A', address, colour: 'blue', isProduction: false }] })

  it.each([
    '',
    'not JSON',
    '{}',
    '{"connections":[{"id":"../x"}]}',
    '[]',
    ...['acme.example', 'http://acme.example', 'https://acme.example/?a', 'https://ada:x@acme.example'].map(at),
  ])('is empty after its file was damaged: %j; the file is kept aside', async (text) => {
    writeFileSync(rig.file, text)
    expect((await rig.open().list()).items).toEqual([])
    expect(readFileSync(`${rig.file}.unreadable`, 'utf8')).toBe(text)
    expect(rig.damages).toEqual(['damaged'])
  })

  it('is not written over if it cannot be read', async () => {
    mkdirSync(join(rig.file, 'in-the-way'), { recursive: true })
    const unread = rig.open()
    expect(rig.damages).toEqual(['unread'])
    expect((await unread.list()).items).toEqual([])
    rmSync(rig.file, { recursive: true })
    const wanted = { name: 'A', address: 'https://a.example', colour: 'blue', isProduction: false } as const
    await expect(unread.add({ ...wanted, token: 'wes_a', keep: 'run' })).rejects.toThrow(/nothing is saved/)
    expect(existsSync(rig.file)).toBe(false)
  })

  it('does not change if it cannot be stored', async () => {
    await rig.add('Acme', 'https://wes.acme.example')
    rmSync(rig.file)
    mkdirSync(join(rig.file, 'in-the-way'), { recursive: true })
    const message = expect.stringContaining(`The saved connections cannot be stored in ${rig.file}: E`) as string
    expect(await rig.add('Other', 'https://other.example')).toMatchObject({ status: 500, code: 'internal', message })
    expect(await listed()).toHaveLength(1)
    expect(await rig.keeper.read('other')).toBeUndefined()
    expect(await rig.call('PATCH', '/local/connections/acme', { name: 'x' })).toMatchObject({ status: 500, message })
    expect(await listed()).toMatchObject([{ name: 'Acme' }])
  })

  it('has each of many that are added at once, under a limit, with names and ids of their own', async () => {
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) => rig.add(`Acme ${'!'.repeat(index % 30)}`.trim(), 'https://a.example')),
    )
    const count = (status: number) => answers.filter((answer) => answer.status === status).length
    expect([count(201), count(409)]).toEqual([30, 30])
    const rest = await Promise.all(Array.from({ length: 30 }, (_, index) => rig.add(`b${index}`, 'https://b.example')))
    expect(rest.filter(({ code }) => code === 'too_many_connections')).toHaveLength(10)
    const items = (await rig.open().list()).items
    expect(items).toHaveLength(50)
    expect(new Set(items.map(({ id }) => id)).size).toBe(50)
  })

  it('loses no change of several at once', async () => {
    await rig.add('Acme', 'https://wes.acme.example')
    await Promise.all([
      rig.call('PATCH', '/local/connections/acme', { name: 'New' }),
      rig.call('PATCH', '/local/connections/acme', { colour: 'pink' }),
      rig.call('PATCH', '/local/connections/acme', { isProduction: true }),
      rig.add('Other', 'https://other.example'),
    ])
    expect(await listed()).toMatchObject([{ name: 'New', colour: 'pink', isProduction: true }, { name: 'Other' }])
  })

  it('tells of its changes', async () => {
    const events: unknown[] = []
    const stop = rig.connections.onChange((event) => void events.push(event))
    await rig.add('Acme', 'https://wes.acme.example')
    await rig.call('PATCH', '/local/connections/acme', { colour: 'pink' })
    await rig.call('PUT', '/local/connections/acme/token', { token: 'wes_new', keep: 'run' })
    await rig.call('DELETE', '/local/connections/acme')
    stop()
    await rig.add('Acme', 'https://wes.acme.example')
    expect(events).toEqual(['added', 'changed', 'token', 'removed'].map((kind) => ({ id: 'acme', kind })))
  })
})

describe('a request to change connections', () => {
  it.each<[string, unknown, string?]>([
    ['no body', undefined],
    ['a list', []],
    ['null', null],
    ['no name', { ...ACME, name: undefined }],
    ['a name with U+0000', { ...ACME, name: 'a\0b' }],
    ['a name of spaces', { ...ACME, name: '  ' }],
    ['a name that is too long', { ...ACME, name: 'x'.repeat(61) }],
    ['a name that is a number', { ...ACME, name: 1 }],
    ['another colour', { ...ACME, colour: 'red' }],
    ['an address with credentials', { ...ACME, address: `https://user:${TOKEN}@wes.acme.example` }, 'invalid_address'],
    ['an address without https', { ...ACME, address: 'http://wes.acme.example' }, 'invalid_address'],
    ['no token', { ...ACME, token: undefined }],
    ['an empty token', { ...ACME, token: '' }],
    ['a token with a line end', { ...ACME, token: `${TOKEN}\n` }],
    ['a token with a header', { ...ACME, token: `${TOKEN}\r\nX-A: b` }],
    ['a token that is not ASCII', { ...ACME, token: `${TOKEN}é` }],
    ['a token with a space', { ...ACME, token: `a ${TOKEN}` }],
    ['a token that is too long', { ...ACME, token: TOKEN.repeat(200) }],
    ['a token that is an object', { ...ACME, token: { token: TOKEN } }],
    ['a member that there is not', { ...ACME, id: 'mine' }],
    ['a token that shall be stored where nothing is', { ...ACME, keep: 'stored' }],
    ['another way of keeping', { ...ACME, keep: 'forever' }],
  ])('is refused with %s, without the token', async (_what, body, code = 'invalid_request') => {
    const body_ = body === undefined ? null : JSON.stringify(body)
    const headers = { 'content-type': 'application/json' }
    const answer = await rig.request('POST', '/local/connections', { body: body_, headers })
    expect(answer.status).toBe(400)
    const text = await answer.text()
    expect(text).not.toContain(TOKEN)
    expect(JSON.parse(text)).toMatchObject({ error: { code, message: expect.stringMatching(/./) } })
    expect(await listed()).toEqual([])
    expect(rig.unexpected).toEqual([])
  })

  it('is refused with broken JSON, without a word of it', async () => {
    const bodies = [`{"token":"${TOKEN}`, `${TOKEN}`, `{"token":${TOKEN}}`, `{"${TOKEN}`]
    for (const body of bodies) {
      const headers = { 'content-type': 'application/json' }
      const answer = await rig.request('POST', '/local/connections', { body, headers })
      expect([answer.status, (await answer.text()).includes('wes_')]).toEqual([400, false])
    }
  })

  it('is refused when it is too long, or no JSON', async () => {
    const send = async (body: string, type: string) =>
      (await rig.request('POST', '/local/connections', { body, headers: { 'content-type': type } })).status
    expect(await send(`{"name":"${'x'.repeat(100_000)}"}`, 'application/json')).toBe(400)
    expect(await send(JSON.stringify(ACME), 'text/plain')).toBe(415)
    expect(await send(JSON.stringify(ACME), 'application/x-www-form-urlencoded')).toBe(415)
    expect(await listed()).toEqual([])
  })

  it('does not change the address or the id, and takes no name twice', async () => {
    await rig.call('POST', '/local/connections', ACME)
    await rig.add('Other', 'https://other.example')
    for (const change of [{ address: 'https://evil.example' }, { id: 'x' }, { token: 'x' }, {}]) {
      expect((await rig.call('PATCH', '/local/connections/acme', change)).code).toBe('invalid_request')
    }
    expect((await rig.call('PATCH', '/local/connections/other', { name: 'aCME' })).code).toBe('connection_exists')
    expect((await rig.add('ACME', 'https://x.example')).code).toBe('connection_exists')
    expect((await rig.call('PATCH', '/local/connections/acme', { name: 'ACME' })).status).toBe(200)
  })

  it.each<[string, string, number, string]>([
    ['DELETE', '/local/connections/none', 404, 'connection_not_found'],
    ['PATCH', '/local/connections/none', 404, 'connection_not_found'],
    ['PUT', '/local/connections/none/token', 404, 'connection_not_found'],
    ['DELETE', '/local/connections', 405, 'method_not_allowed'],
    ['GET', '/local/connections/test', 405, 'method_not_allowed'],
    ['GET', '/local/connections/acme/token', 405, 'method_not_allowed'],
    ['GET', '/local/connections/acme', 405, 'method_not_allowed'],
    ['GET', '/local/connections/', 404, 'not_found'],
    ['GET', '/local/connections/ACME', 404, 'not_found'],
    ['DELETE', '/local/connections/..%2f', 404, 'not_found'],
    ['DELETE', '/local/connections/acme/x', 404, 'not_found'],
    ['GET', '/hosted', 404, 'not_found'],
    ['GET', '/', 404, 'not_found'],
  ])('%s %s is %d', async (method, path, status, code) => {
    const body = method === 'PATCH' ? { name: 'x' } : method === 'PUT' ? { token: 'x', keep: 'run' } : undefined
    expect(await rig.call(method, path, body)).toMatchObject({ status, code })
  })
})

describe('the token of a connection', () => {
  it('is asked for again when it was kept for an earlier run', async () => {
    await rig.call('POST', '/local/connections', ACME)
    await rig.keeper.remove('acme')
    expect(await listed()).toMatchObject([{ id: 'acme', token: 'none' }])
    expect(await rig.call('GET', '/hosted/acme/v1/projects')).toMatchObject({ status: 401, code: 'token_missing' })
    expect(await rig.call('POST', '/local/connections/test', { id: 'acme' })).toMatchObject({ code: 'token_missing' })
    const replaced = await rig.call('PUT', '/local/connections/acme/token', { token: 'wes_new', keep: 'run' })
    expect(JSON.parse(replaced.text)).toMatchObject({ id: 'acme', token: 'run' })
  })

  it('cannot be used while the keychain is locked', async () => {
    const keeper: TokenKeeper = { ...createMemoryKeeper(), read: () => Promise.reject(new TokenLockedError('locked')) }
    const locked = createConnectionsRig({ keeper })
    await locked.call('POST', '/local/connections', ACME)
    const answer = await locked.call('GET', '/hosted/acme/v1/projects')
    expect(answer).toMatchObject({ status: 503, code: 'token_locked' })
    expect(answer.message).toContain('Acme')
    locked.dispose()
  })

  it('is not kept for a connection that cannot be kept, and the other way round', async () => {
    const keeper: TokenKeeper = {
      ...createMemoryKeeper(),
      keep: () => Promise.reject(new Error('the keychain is full')),
    }
    const full = createConnectionsRig({ keeper })
    expect(await full.call('POST', '/local/connections', ACME)).toMatchObject({ status: 500, code: 'internal' })
    expect(await listed(full)).toEqual([])
    expect((await full.open().list()).items).toEqual([])
    full.dispose()
  })

  it('is removed before its connection', async () => {
    const keeper: TokenKeeper = {
      ...createMemoryKeeper(),
      remove: () => Promise.reject(new Error('the keychain is shut')),
    }
    const shut = createConnectionsRig({ keeper })
    await shut.call('POST', '/local/connections', ACME)
    expect((await shut.call('DELETE', '/local/connections/acme')).status).toBe(500)
    expect(await listed(shut)).toHaveLength(1)
    shut.dispose()
  })

  it('is in no answer, no file and no error', async () => {
    const service = await startService((response, { headers }) =>
      sendJson(response, { error: { code: 'unauthorized', message: String(headers.authorization) } }, 401),
    )
    const answers = [
      await rig.call('POST', '/local/connections', { ...ACME, address: service.url }),
      await rig.call('GET', '/local/connections'),
      await rig.call('PATCH', '/local/connections/acme', { name: 'New' }),
      await rig.call('PUT', '/local/connections/acme/token', { token: TOKEN, keep: 'run' }),
      await rig.call('GET', '/hosted/acme/v1/projects'),
      await rig.call('POST', '/local/connections/test', { id: 'acme' }),
      await rig.call('POST', '/local/connections/test', { address: service.url, token: TOKEN }),
      await rig.call('DELETE', '/local/connections/acme'),
    ]
    await service.close()
    expect(service.meant().map(({ headers }) => headers.authorization)).toEqual(Array(3).fill(`Bearer ${TOKEN}`))
    const everything = answers.map(({ text, headers }) => text + JSON.stringify([...headers])).join()
    expect(everything).not.toContain(TOKEN)
    expect(readFileSync(rig.file, 'utf8')).not.toContain(TOKEN)
    expect(rig.unexpected).toEqual([])
  })
})

describe('a test of a connection', () => {
  const whoAmI = {
    workspace: { id: 'wsp_1', name: 'Acme' },
    token: { id: 'tok_1', name: 'mine', role: 'write', createdAt: '2026-01-01T00:00:00.000Z' },
    defaultProjectId: 'prj_1',
  }
  const project = { id: 'prj_1', name: 'Default', isDefault: true, createdAt: '2026-01-01T00:00:00.000Z' }

  it('says whose token it is, and saves nothing', async () => {
    const service = await startService((response, { url }) =>
      sendJson(response, url === '/v1/whoami' ? whoAmI : { items: [project], nextCursor: null }),
    )
    const answer = await rig.call('POST', '/local/connections/test', { address: `${service.url}/`, token: TOKEN })
    expect([answer.status, JSON.parse(answer.text)]).toEqual([
      200,
      { whoAmI, project: { id: 'prj_1', name: 'Default' } },
    ])
    expect(await listed()).toEqual([])
    await rig.add('Acme', service.url, TOKEN)
    expect((await rig.call('POST', '/local/connections/test', { id: 'acme', token: 'wes_new' })).status).toBe(200)
    expect((await rig.call('POST', '/local/connections/test', { id: 'acme' })).status).toBe(200)
    const tokens = service.meant().map(({ headers }) => headers.authorization)
    expect(tokens).toEqual([TOKEN, TOKEN, 'wes_new', 'wes_new', TOKEN, TOKEN].map((token) => `Bearer ${token}`))
    expect(existsSync(rig.file) && readFileSync(rig.file, 'utf8')).not.toContain(TOKEN)
    await service.close()
  })

  it.each<[string, number, string, unknown, number]>([
    ['refuses the token', 401, 'unauthorized', { error: { code: 'unauthorized', message: 'x' } }, 401],
    ['limits the rate', 429, 'rate_limited', { error: { code: 'rate_limited', message: 'x' } }, 429],
    ['answers other JSON', 502, 'not_the_service', { ok: true }, 200],
  ])('fails if the service %s', async (_what, status, code, answer, answeredStatus) => {
    const service = await startService((response) => sendJson(response, answer, answeredStatus))
    const tested = await rig.call('POST', '/local/connections/test', { address: service.url, token: TOKEN })
    expect(tested).toMatchObject({ status, code })
    await service.close()
  })

  it('looks at the service anew', async () => {
    let version = '9.0.0'
    const service = await startService(
      (response) => sendJson(response, {}, 401),
      (response) => sendJson(response, { ...HEALTH, version }),
    )
    const test = () => rig.call('POST', '/local/connections/test', { address: service.url, token: TOKEN })
    expect((await test()).code).toBe('newer_service')
    version = '0.1.9'
    expect((await test()).code).toBe('unauthorized')
    version = '9.0.0'
    expect((await test()).code).toBe('newer_service')
    await service.close()
  })

  it.each([
    { address: 'http://wes.example.com', token: 'x' },
    { address: 'https://a.example' },
    { id: 'none', address: 'https://a.example', token: 'x' },
    {},
  ])('is refused with %j', async (body) => {
    expect((await rig.call('POST', '/local/connections/test', body)).status).toBe(400)
  })
})
