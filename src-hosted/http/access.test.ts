import { connect } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { rawRequest, readRaw } from '../../src-runtime/http/raw-request.test-support.ts'
import { newTokenText, secretDigest } from '../tokens/token-text.ts'
import { ALLOWED_ORIGIN, hostedHttpRig } from './hosted-http-rig.test-support.ts'

const rig = hostedHttpRig()

const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` })

describe('a request without a valid token', () => {
  it.each([
    '/v1',
    '/v1/whoami',
    '/v1/programs',
    '/v1/nothing/here',
    '/v1/source',
    '/hosted/current/v1/programs',
    '/%761/programs',
    '/v1/executions/%zz',
  ])('is refused at %s, whether or not there is anything', async (path) => {
    for (const headers of [{}, bearer('wes_made_up'), bearer(newTokenText()), { authorization: 'Basic abc' }]) {
      const {
        status,
        json,
        headers: sent,
      } = await rig.call('GET', path, {
        headers: { ...headers, 'sec-fetch-site': 'same-origin' },
      })
      expect([status, json.error.code, sent['www-authenticate']]).toEqual([401, 'unauthorized', 'Bearer'])
    }
  })

  it('is refused where it has two Authorization headers, of which one is valid', async () => {
    const { secrets } = await rig.newTenant()
    for (const tokens of [
      [secrets.admin, newTokenText()],
      [newTokenText(), secrets.admin],
    ]) {
      const sent = tokens.map((token) => `authorization: Bearer ${token}\r\n`).join('')
      const answer = await rawRequest(
        Number(new URL(rig.origin).port),
        `GET /v1/whoami HTTP/1.1\r\nhost: localhost\r\n${sent}connection: close\r\n\r\n`,
      )
      expect(readRaw(answer)).toMatchObject({ status: 400, json: { error: { code: 'invalid_request' } } })
    }
  })

  it('reads what is open', async () => {
    expect((await rig.call('GET', '/healthz')).json).toMatchObject({ mode: 'hosted' })
    expect((await rig.call('GET', '/openapi.json')).json.paths).toHaveProperty('/v1/whoami')
    expect((await rig.call('GET', '/', { headers: { accept: 'text/html' } })).status).toBe(200)
  })
})

it.each([
  ['HTTP/1.1', [], 400],
  ['HTTP/1.1', ['a', 'b'], 400],
  ['HTTP/1.1', ['any.name'], 200],
  ['HTTP/1.0', [], 200],
] as const)('answers %s with the hosts %j with %i', async (version, hosts, status) => {
  const answerTo = (origin: string, target: string): Promise<string> => {
    const socket = connect(Number(new URL(origin).port), '127.0.0.1')
    const heads = [`${target} ${version}`, ...hosts.map((host) => `host: ${host}`), 'connection: close']
    socket.end(`${heads.join('\r\n')}\r\n\r\n`)
    return readText(socket)
  }
  const refusal = /^HTTP\/1\.1 400 .*"invalid_request","message":"A request must name /s
  const isRefused = status === 400
  expect(await answerTo(rig.origin, 'GET /healthz')).toMatch(isRefused ? refusal : /^HTTP\/1\.1 200 /)
  const atWebhook = await answerTo(rig.hooksOrigin, `POST /${'x'.repeat(32)}`)
  expect(atWebhook).toMatch(isRefused ? refusal : /^HTTP\/1\.1 404 .*"trigger_not_found"/s)
})

describe('a token', () => {
  it('says whose it is', async () => {
    const { call, workspaceId, projectId, tokenIds } = await rig.newTenant('Bakery')
    expect((await call('GET', '/v1/whoami', { as: 'read' })).json).toEqual({
      workspace: { id: workspaceId, name: 'Bakery' },
      token: { id: tokenIds.read, name: 'read of Bakery', role: 'read', createdAt: expect.any(String) },
      defaultProjectId: projectId,
    })
    expect((await call('GET', '/v1/workspaces/current')).json).toMatchObject({
      id: workspaceId,
      defaultProjectId: projectId,
      limits: { retentionDays: 30 },
    })
  })

  it('works in the default project, which has an id and an alias', async () => {
    const { call, deploy, projectId } = await rig.newTenant()
    const [project] = (await call('GET', '/v1/projects')).json.items
    expect(project).toMatchObject({ id: projectId, isDefault: true })
    await deploy('hello')
    const choices: readonly Record<string, string>[] = [
      {},
      { 'x-service-project-id': 'default' },
      { 'x-service-project-id': projectId },
    ]
    for (const headers of choices) {
      expect((await call('GET', '/v1/programs/hello', { headers })).json.projectId).toBe(projectId)
    }
  })

  it('may do what its role allows, and is told which role it needs', async () => {
    const { call } = await rig.newTenant()
    const refusal = async (as: 'read' | 'write', method: string, path: string, json: unknown = {}) => {
      const answer = await call(method, path, { as, json })
      return [answer.status, answer.json?.error?.code, /role "(\w+)"/.exec(answer.json?.error?.message ?? '')?.[1]]
    }
    expect(await refusal('read', 'POST', '/v1/executions')).toEqual([403, 'forbidden', 'write'])
    expect(await refusal('read', 'PUT', '/v1/projects/default/triggers')).toEqual([403, 'forbidden', 'write'])
    expect(await refusal('write', 'POST', '/v1/projects')).toEqual([403, 'forbidden', 'admin'])
    expect(await refusal('write', 'PUT', '/v1/projects/default/environment')).toEqual([403, 'forbidden', 'admin'])
    expect(await refusal('write', 'GET', '/v1/workspaces/current/tokens')).toEqual([403, 'forbidden', 'admin'])
    expect(await refusal('write', 'PATCH', '/v1/workspaces/current')).toEqual([403, 'forbidden', 'admin'])
    expect((await call('GET', '/v1/projects/default/environment', { as: 'read' })).status).toBe(200)
    expect((await call('PUT', '/v1/projects/default/triggers', { as: 'write', json: [] })).status).toBe(200)
    expect((await call('POST', '/v1/projects', { json: { name: 'Second' } })).status).toBe(201)
  })

  it('is made with a secret that one answer shows', async () => {
    const { call } = await rig.newTenant()
    const expiresAt = new Date(Date.now() + 60_000).toISOString()
    const made = await call('POST', '/v1/workspaces/current/tokens', { json: { name: 'ci', role: 'read', expiresAt } })
    expect(made.status).toBe(201)
    const { secret, ...token } = made.json
    expect(secret).toMatch(/^wes_[0-9A-Za-z]{49}$/)
    expect(token).toEqual({
      id: expect.stringMatching(/^tok_/),
      name: 'ci',
      role: 'read',
      createdAt: expect.any(String),
      expiresAt,
    })
    expect((await rig.call('GET', '/v1/whoami', { headers: bearer(secret) })).json.token).toEqual(token)
    await expect
      .poll(async () => (await call('GET', '/v1/workspaces/current/tokens?limit=1')).json.items[0])
      .toEqual({ ...token, lastUsedAt: expect.any(String) })
    const [{ createdAt, lastUsedAt }] = (await call('GET', '/v1/workspaces/current/tokens?limit=1')).json.items
    // A minute, but not the one that began before the token was created.
    expect(lastUsedAt === createdAt || lastUsedAt.endsWith(':00.000Z')).toBe(true)
    expect(lastUsedAt >= createdAt).toBe(true)
    const all = await call('GET', '/v1/workspaces/current/tokens')
    expect(all.text).not.toContain(secret)
    const { nextCursor } = (await call('GET', '/v1/workspaces/current/tokens?limit=1')).json
    const rest = (await call('GET', `/v1/workspaces/current/tokens?cursor=${nextCursor}`)).json
    expect(rest.items.map(({ id }: { id: string }) => id)).toEqual(
      all.json.items.slice(1).map(({ id }: { id: string }) => id),
    )
  })

  it.each([
    [{ name: '', role: 'read' }, 'body/name'],
    [{ name: ' \t', role: 'read' }, 'body/name'],
    [{ name: 'x', role: 'owner' }, 'body/role'],
    [{ name: 'x', role: 'read', expiresAt: 'soon' }, 'body/expiresAt'],
    [{ name: 'x', role: 'read', expiresAt: '9999-12-31T23:59:59-01:00' }, 'body/expiresAt'],
    [{ name: 'x', role: 'read', expiresAt: '2020-01-01T00:00:00.000Z' }, 'body/expiresAt must be in the future'],
  ])('is not made of %j', async (json, reason) => {
    const { call } = await rig.newTenant()
    const answer = await call('POST', '/v1/workspaces/current/tokens', { json })
    expect([answer.status, answer.json.error.code]).toEqual([400, 'invalid_request'])
    expect(answer.json.error.message).toContain(reason)
  })

  it('is refused at once by the process that revoked it, and can revoke itself', async () => {
    const { call, tokenIds } = await rig.newTenant()
    const revoke = (id: string) => call('DELETE', `/v1/workspaces/current/tokens/${id}`)
    expect((await call('GET', '/v1/programs', { as: 'write' })).status).toBe(200)
    expect((await revoke(tokenIds.write)).status).toBe(204)
    expect((await call('GET', '/v1/programs', { as: 'write' })).status).toBe(401)
    expect((await revoke(tokenIds.write)).json.error.code).toBe('token_not_found')
    expect((await revoke(tokenIds.admin)).status).toBe(204)
    expect((await call('GET', '/v1/programs')).status).toBe(401)
  })

  it('is soon refused by other processes, whose streams and held answers end', async () => {
    const { call, deploy, start, tokenIds, secrets, workspaceId } = await rig.newTenant()
    await deploy('hello')
    const id = await start('hello')
    const stream = await fetch(`${rig.origin}/v1/changes`, { headers: bearer(secrets.read) })
    const held = call('GET', `/v1/executions/${id}/result`, { as: 'read', headers: { prefer: 'wait=60' } })
    const begun = performance.now()
    // As another process does it.
    await rig.hosted.store.forWorkspace(workspaceId).tenant.tokens.revoke(tokenIds.read)
    await expect.poll(async () => (await call('GET', '/v1/programs', { as: 'read' })).status).toBe(401)
    expect(await stream.text()).toContain('retry: 1000')
    expect((await held).json).toEqual({ status: 'queued' })
    // It could have been held for a minute.
    expect(performance.now() - begun).toBeLessThan(50_000)
  })
})

describe('the session of the dashboard', () => {
  const page = () => ({ origin: rig.origin })
  const signIn = (token: string, headers: Readonly<Record<string, string>> = page()) =>
    rig.call('POST', '/session', { json: { token }, headers })
  const cookieOf = (answer: { readonly headers: Readonly<Record<string, unknown>> }) =>
    String(answer.headers['set-cookie']).split(';')[0]!
  const read = (
    path: string,
    cookie: string,
    headers: Readonly<Record<string, string>> = { 'sec-fetch-site': 'same-origin' },
  ) => rig.call('GET', path, { headers: { cookie, ...headers } })

  it('stands for its token under the dashboard’s own path, and nowhere else', async () => {
    const { secrets, workspaceId } = await rig.newTenant()
    const answer = await signIn(secrets.write)
    expect([answer.status, answer.text]).toEqual([204, ''])
    expect(String(answer.headers['set-cookie'])).toMatch(
      /^wes_session_\d+=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/,
    )
    const cookie = cookieOf(answer)
    expect((await read('/hosted/current/v1/whoami', cookie)).json.workspace.id).toBe(workspaceId)
    expect((await read('/v1/whoami', cookie)).status).toBe(401)
    const withToken = { ...bearer(secrets.write), 'sec-fetch-site': 'same-origin' }
    expect((await rig.call('GET', '/hosted/current/v1/whoami', { headers: withToken })).status).toBe(401)
    const made = await rig.call('POST', '/hosted/current/v1/projects', {
      json: { name: 'x' },
      headers: { cookie, ...page() },
    })
    expect(made.json.error.code).toBe('forbidden')
  })

  it('is for our own pages alone', async () => {
    const { secrets } = await rig.newTenant()
    const cookie = cookieOf(await signIn(secrets.admin))
    const elsewhere: readonly Record<string, string>[] = [
      {},
      { origin: 'https://evil.example.com' },
      { 'sec-fetch-site': 'cross-site' },
    ]
    for (const headers of elsewhere) {
      expect((await read('/hosted/current/v1/whoami', cookie, headers)).json.error.code).toBe('forbidden_origin')
      expect((await signIn(secrets.admin, headers)).json.error.code).toBe('forbidden_origin')
    }
    const post = await rig.call('POST', '/hosted/current/v1/projects', {
      json: { name: 'x' },
      headers: { cookie, 'sec-fetch-site': 'same-origin' },
    })
    expect(post.json.error.code).toBe('forbidden_origin')
  })

  it('ends when it is deleted', async () => {
    const { secrets } = await rig.newTenant()
    const cookie = cookieOf(await signIn(secrets.read))
    const gone = await rig.call('DELETE', '/session', { headers: { cookie, ...page() } })
    expect([gone.status, String(gone.headers['set-cookie'])]).toEqual([204, expect.stringContaining('Max-Age=0')])
    expect((await read('/hosted/current/v1/whoami', cookie)).status).toBe(401)
  })

  it('ends with its token', async () => {
    const { secrets, call, tokenIds } = await rig.newTenant()
    const cookie = cookieOf(await signIn(secrets.read))
    expect((await read('/hosted/current/v1/whoami', cookie)).status).toBe(200)
    await call('DELETE', `/v1/workspaces/current/tokens/${tokenIds.read}`)
    expect((await read('/hosted/current/v1/whoami', cookie)).status).toBe(401)
  })

  it('ends when its token expires', async () => {
    const { secrets, tokenIds } = await rig.newTenant()
    const cookie = cookieOf(await signIn(secrets.read))
    const expire = async (inMs: number) => {
      const update = 'UPDATE tokens SET expires_at = wes_now() + $2 WHERE id = $1 RETURNING expires_at'
      return (await rig.hosted.sql<{ expires_at: number }>(update, [tokenIds.read, inMs]))[0]!.expires_at
    }
    const expiresAt = await expire(60_000)
    const { access } = rig.hosted.store
    const digest = secretDigest(cookie.split('=')[1]!)
    expect((await access.findSession(digest))?.expiresAt).toBe(expiresAt)
    expect(await access.valid([digest])).toEqual([digest])
    await expire(0)
    expect(await access.valid([digest])).toEqual([])
    expect((await read('/hosted/current/v1/whoami', cookie)).status).toBe(401)
  })

  it.each(['GET', 'PUT', 'PATCH'])('is not asked for with %s, which is 405', async (method) => {
    const answer = await rig.call(method, '/session')
    expect([answer.status, answer.headers['allow']]).toEqual([405, 'DELETE, POST'])
  })

  it('is stored as a digest, like tokens', async () => {
    const { secrets } = await rig.newTenant()
    const cookie = cookieOf(await signIn(secrets.read))
    const stored = JSON.stringify(await rig.hosted.sql('SELECT * FROM sessions, tokens')) // as PostgreSQL holds them
    expect(stored).not.toContain(cookie.split('=')[1])
    expect(stored).not.toContain(secrets.read)
  })

  it('is not begun by trying often under made-up addresses before the one that the proxy appends', async () => {
    const signIn = async (made: string) => {
      const headers = { origin: rig.origin, 'x-forwarded-for': `${made}, 192.0.2.77` }
      return (await rig.call('POST', '/session', { headers, json: { token: newTokenText() } })).status
    }
    const statuses: number[] = []
    for (let tries = 0; tries < 30; tries += 1) statuses.push(await signIn(`198.51.100.${tries}`))
    expect(statuses.slice(0, 10)).not.toContain(429)
    expect(statuses).toContain(429)
  })

  it('is not begun by what is no token', async () => {
    expect((await signIn('wes_x')).json.error.code).toBe('unauthorized')
    expect((await rig.call('POST', '/session', { json: {}, headers: page() })).json.error.code).toBe('invalid_request')
  })
})

describe('pages of other origins', () => {
  const preflight = (path: string, origin: string) =>
    rig.call('OPTIONS', path, { headers: { origin, 'access-control-request-method': 'POST' } })

  it('read answers where the operator lists them, under /v1', async () => {
    const { secrets } = await rig.newTenant()
    const asked = await preflight('/v1/executions', ALLOWED_ORIGIN)
    expect([asked.status, asked.headers['access-control-allow-origin']]).toEqual([204, ALLOWED_ORIGIN])
    expect(asked.headers['access-control-allow-headers']).toContain('Authorization')
    const headers = { ...bearer(secrets.read), origin: ALLOWED_ORIGIN }
    const answer = await rig.call('GET', '/v1/programs', { headers })
    expect([answer.status, answer.headers['access-control-allow-origin'], answer.headers['vary']]).toEqual([
      200,
      ALLOWED_ORIGIN,
      'Origin',
    ])
    const stream = await fetch(`${rig.origin}/v1/changes`, { headers })
    expect(stream.headers.get('access-control-allow-origin')).toBe(ALLOWED_ORIGIN)
    await stream.body?.cancel()
  })

  it('read why their address cannot be read', async () => {
    const { secrets } = await rig.newTenant()
    expect((await preflight('/v1/executions/%zz', ALLOWED_ORIGIN)).status).toBe(204)
    for (const [status, token] of [
      [400, secrets.read],
      [401, 'wes_x'],
    ] as const) {
      const headers = { ...bearer(token), origin: ALLOWED_ORIGIN }
      const answer = await rig.call('GET', '/v1/executions/%zz', { headers })
      expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([status, ALLOWED_ORIGIN])
    }
  })

  it('get no such headers otherwise', async () => {
    for (const answer of [
      await preflight('/v1/executions', 'https://evil.example.com'),
      await preflight('/session', ALLOWED_ORIGIN),
      await preflight('/hosted/current/v1/executions', ALLOWED_ORIGIN),
    ]) {
      expect(answer.status).toBeGreaterThanOrEqual(400)
      expect(answer.headers).not.toHaveProperty('access-control-allow-origin')
    }
  })
})
