import { createHmac } from 'node:crypto'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import pino from 'pino'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { ApiError } from '../../src-runtime/contract/errors.ts'
import type { NewTriggers } from '../../src-runtime/contract/trigger-models.ts'
import type { CallOptions } from '../../src-runtime/behaviour/send-request.test-support.ts'
import { pause } from '../../src-runtime/shared/pause.ts'
import { readSecretKeys } from '../environment/secret-keys.ts'
import type { FireDue } from '../store/tenancy.ts'
import { createFire, fireSchedule } from '../triggers/fire-schedule.ts'
import { replaceTriggers } from '../triggers/triggers.ts'
import { findNextTimesAgain } from '../triggers/next-times.ts'
import { startTakingDue } from '../upkeep/take-due.ts'
import { hostedHttpRig, READ_AGAIN_MS, type Tenant } from './hosted-http-rig.test-support.ts'

const rig = hostedHttpRig({ default: { hooksPerSecond: 1, hookBurst: 20 } })

const PATH = '/v1/projects/default/triggers'

/** A workspace with the Programs `hello`, which takes anything, and `orders`, which takes an object with an id. */
const newShop = async () => {
  const shop = await rig.newTenant()
  await shop.deploy('hello')
  await shop.deploy('orders', { manifest: { inputSchema: { type: 'object', required: ['orderId'] } } })
  const put = (json: unknown, headers: Readonly<Record<string, string>> = {}) =>
    shop.call('PUT', PATH, { json, headers })
  const one = async (item: Readonly<Record<string, unknown>>) => (await put([item])).json.items[0]
  const read = async (id: string) => shop.call('GET', `/v1/executions/${id}`).then(({ json }) => json)
  const trigger = async () => (await shop.call('GET', PATH)).json.items[0]
  return { ...shop, put, one, read, trigger }
}

describe('Triggers over HTTP', () => {
  it('are replaced by a list, or by an object that holds one, and read again', async () => {
    const { put, call, projectId } = await newShop()
    const made = await put({ triggers: [{ programId: 'hello', type: 'webhook', name: 'shop' }] })
    expect([made.status, made.json.nextCursor]).toEqual([200, null])
    const [webhook] = made.json.items
    expect(webhook).toEqual({
      id: expect.stringMatching(/^trg_/),
      programId: 'hello',
      projectId,
      type: 'webhook',
      name: 'shop',
      enabled: true,
      publicId: expect.stringMatching(/^[0-9A-Za-z]{32}$/),
      url: `${rig.hooksOrigin}/${webhook.publicId}`,
      signed: false,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    })
    const both = await put([
      ...made.json.items,
      { programId: 'orders', type: 'schedule', cron: '0 3 * * *', input: null },
    ])
    expect(both.json.items[0]).toEqual(webhook)
    expect(both.json.items[1]).toMatchObject({
      cron: '0 3 * * *',
      timezone: 'UTC',
      input: null,
      nextFireAt: expect.any(String),
    })
    expect((await call('GET', PATH)).json).toEqual(both.json)
    expect((await call('GET', `/v1/projects/${projectId}/triggers`)).json).toEqual(both.json)
    expect((await call('GET', '/v1/programs/orders/triggers')).json.items).toEqual([both.json.items[1]])
    expect((await put([])).json.items).toEqual([])
  })

  it('hide the addresses of webhooks from the role read, which may not start Executions', async () => {
    const { put, call } = await newShop()
    const [webhook] = (await put([{ programId: 'hello', type: 'webhook' }])).json.items
    const { publicId: _, url: __, ...shown } = webhook
    for (const path of [PATH, '/v1/programs/hello/triggers']) {
      expect((await call('GET', path, { as: 'read' })).json.items).toEqual([shown])
      expect((await call('GET', path, { as: 'write' })).json.items).toEqual([webhook])
    }
  })

  it('change all or nothing, and name the item that is wrong', async () => {
    const { put, call } = await newShop()
    const before = (await put([{ programId: 'hello', type: 'webhook' }])).json
    const refused = async (json: unknown) => {
      const { status, json: answer } = await put(json)
      return [status, answer.error.code, answer.error.message]
    }
    const good = { programId: 'hello', type: 'webhook' }
    expect(await refused([good, { ...good, type: 'mail' }])).toEqual([
      400,
      'invalid_request',
      expect.stringContaining('body/1/type'),
    ])
    expect(await refused({ triggers: [good, { ...good, type: 'schedule', cron: 'x' }] })).toEqual([
      400,
      'invalid_request',
      expect.stringContaining('body/triggers/1/cron'),
    ])
    expect(await refused([good, { ...good, programId: 'none' }])).toEqual([
      404,
      'program_not_found',
      expect.stringContaining('none'),
    ])
    expect(await refused([good, { ...good, id: 'trg_none' }])).toEqual([
      404,
      'trigger_not_found',
      expect.stringContaining('trg_none'),
    ])
    expect(await refused(Array(1_001).fill(good))).toEqual([400, 'invalid_request', expect.stringContaining('1000')])
    expect((await call('GET', PATH)).json).toEqual(before)
  })

  it('are replaced only as they were read, with If-Match', async () => {
    const { put, call } = await newShop()
    const { etag = '' } = (await call('GET', PATH)).headers
    const first = await put([{ programId: 'hello', type: 'webhook' }], { 'if-match': etag })
    expect(first.status).toBe(200)
    const late = await put([], { 'if-match': etag })
    expect([late.status, late.json.error.code]).toEqual([412, 'precondition_failed'])
    expect((await put(first.json.items, { 'if-match': `"x", ${first.headers['etag']}` })).status).toBe(200)
    expect((await put([], { 'if-match': '*' })).status).toBe(200)
  })

  it('are replaced as often as one likes, however many they are', async () => {
    const { put } = await newShop()
    const input = { text: 'x'.repeat(700) }
    const one = { programId: 'hello', type: 'schedule', cron: '0 3 * * *', input }
    const first = await put(Array.from({ length: 1_000 }, () => one))
    expect([first.status, first.json.items.length]).toEqual([200, 1_000])
    const again = await put(first.json.items)
    expect([again.status, again.json.items.length]).toEqual([200, 1_000])
    expect(again.json.items[999].nextFireAt).toBe(first.json.items[999].nextFireAt)
  })

  it('are replaced with an ETag that a proxy made weak, too', async () => {
    const { put, call } = await newShop()
    const weak = `W/${(await call('GET', PATH)).headers['etag']}`
    expect((await put([{ programId: 'hello', type: 'webhook' }], { 'if-match': weak })).status).toBe(200)
    expect((await put([], { 'if-match': weak })).status).toBe(412)
  })

  it('refuse a header that names another project than the path', async () => {
    const { call, projectId } = await newShop()
    const other = (await call('POST', '/v1/projects', { json: { name: 'Other' } })).json.id as string
    const ask = async (id: string) => (await call('GET', PATH, { headers: { 'x-service-project-id': id } })).status
    expect([await ask('default'), await ask(projectId), await ask(other)]).toEqual([200, 200, 400])
  })

  it('fire by hand, also when they are not enabled', async () => {
    const { one, call, read, trigger } = await newShop()
    const schedule = await one({
      programId: 'hello',
      type: 'schedule',
      cron: '0 3 * * *',
      input: { a: 1 },
      enabled: false,
    })
    expect(schedule).not.toHaveProperty('nextFireAt')
    const fire = (json: unknown) => call('POST', `${PATH}/${schedule.id}/fire`, { json, as: 'write' })
    const fired = await fire({})
    expect(fired.status).toBe(202)
    expect(await read(fired.json.executionId)).toMatchObject({
      input: { a: 1 },
      trigger: { id: schedule.id, type: 'schedule' },
    })
    const bare = await call('POST', `${PATH}/${schedule.id}/fire`, { as: 'write' })
    expect(bare.status).toBe(202)
    expect((await read(bare.json.executionId)).input).toEqual({ a: 1 })
    const other = await fire({ input: 7 })
    expect((await read(other.json.executionId)).input).toBe(7)
    expect(await trigger()).toMatchObject({ lastExecutionId: other.json.executionId, lastFiredAt: expect.any(String) })
    const listed = await call('GET', `/v1/executions?triggerId=${schedule.id}`)
    expect(listed.json.items.map(({ id }: { id: string }) => id)).toEqual([
      other.json.executionId,
      bare.json.executionId,
      fired.json.executionId,
    ])
    expect((await call('GET', `/v1/executions/counts?triggerId=${schedule.id}`)).json.counts.queued).toBe(3)
    expect((await call('GET', '/v1/executions?triggerId=trg_none')).json.items).toEqual([])
  })

  it('answer with the Execution that started, even if it cannot be noted', async () => {
    const { one, call, read } = await newShop()
    const { id } = await one({ programId: 'hello', type: 'schedule', cron: '0 3 * * *' })
    await rig.hosted.sql(
      `ALTER TABLE triggers ADD CONSTRAINT never_fired CHECK (id <> '${id}' OR last_fired_at IS NULL)`,
    )
    onTestFinished(() => rig.hosted.sql('ALTER TABLE triggers DROP CONSTRAINT never_fired').then(() => undefined))
    const fired = await call('POST', `${PATH}/${id}/fire`, { as: 'write' })
    expect(fired.status).toBe(202)
    expect(await read(fired.json.executionId)).toMatchObject({ trigger: { id } })
  })
})

describe('a webhook', () => {
  const hookOf = async (more: Readonly<Record<string, unknown>> = {}) => {
    const shop = await newShop()
    const trigger = await shop.one({ programId: 'hello', type: 'webhook', ...more })
    return {
      ...shop,
      made: trigger,
      hook: (options: Parameters<typeof rig.hook>[1] = {}) => rig.hook(trigger.publicId, options),
    }
  }

  it('starts its Program with the body as input', async () => {
    const { hook, read, made, trigger } = await hookOf()
    const answer = await hook({ json: { orderId: 'ø-1' } })
    expect([answer.status, answer.json]).toEqual([202, { executionId: expect.stringMatching(/^exe_/) }])
    expect(await read(answer.json.executionId)).toMatchObject({
      programId: 'hello',
      status: 'queued',
      input: { orderId: 'ø-1' },
      trigger: { id: made.id, type: 'webhook' },
    })
    await expect.poll(trigger).toMatchObject({ lastExecutionId: answer.json.executionId })
  })

  it('shows what it started last, not what a repeated call has started before', async () => {
    const { hook, trigger } = await hookOf()
    const call = (key: string) => hook({ json: {}, headers: { 'idempotency-key': key } })
    const first = await call('1')
    const last = await call('2')
    await expect.poll(trigger).toMatchObject({ lastExecutionId: last.json.executionId })
    expect((await call('1')).json).toEqual(first.json)
    await call('1')
    expect(await trigger()).toMatchObject({ lastExecutionId: last.json.executionId })
  })

  it('takes any kind of JSON, and no body as no input', async () => {
    const { hook, read } = await hookOf()
    for (const type of [
      'application/json',
      'application/cloudevents+json; charset=utf-8',
      'APPLICATION/VND.X+JSON',
      'image/x+json',
    ]) {
      const { json } = await hook({ body: 'null', headers: { 'content-type': type } })
      expect(await read(json.executionId)).toHaveProperty('input', null)
    }
    for (const headers of [{}, { 'content-type': 'text/plain' }, { 'content-type': 'nonsense' }] as readonly Record<
      string,
      string
    >[]) {
      const { json } = await hook({ headers })
      expect(await read(json.executionId)).not.toHaveProperty('input')
    }
  })

  it.each<[string, Parameters<typeof rig.hook>[1], number, string]>([
    [
      'text',
      { body: 'a=1', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      415,
      'unsupported_media_type',
    ],
    ['a body without a type', { body: '{}' }, 415, 'unsupported_media_type'],
    [
      'compressed JSON',
      { body: '{}', headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' } },
      415,
      'unsupported_media_type',
    ],
    ['what is not JSON', { body: '{', headers: { 'content-type': 'application/json' } }, 400, 'invalid_request'],
    [
      'too much',
      { body: `"${'x'.repeat(1024 * 1024)}"`, headers: { 'content-type': 'application/json' } },
      413,
      'payload_too_large',
    ],
    [
      'deep JSON',
      { body: '['.repeat(300) + ']'.repeat(300), headers: { 'content-type': 'application/json' } },
      400,
      'invalid_request',
    ],
    ['GET', { method: 'GET' }, 405, 'method_not_allowed'],
    ['OPTIONS', { method: 'OPTIONS' }, 405, 'method_not_allowed'],
  ])('refuses %s', async (_what, options, status, code) => {
    const { hook } = await hookOf()
    const answer = await hook(options)
    expect([answer.status, answer.json.error.code]).toEqual([status, code])
    if (status === 405) expect(answer.headers['allow']).toBe('POST')
  })

  it('refuses what the Program does not take, and what cannot run', async () => {
    const { hook } = await hookOf({ programId: 'orders' })
    const answer = await hook({ json: { order: 1 } })
    expect([answer.status, answer.json.error.code]).toEqual([400, 'invalid_input'])
    expect((await hook()).json.error.code).toBe('invalid_input')
    expect((await hook({ json: { orderId: 1 } })).status).toBe(202)
  })

  it.each<[string, Parameters<typeof rig.hook>[1], string]>([
    ['holds no JSON', { body: '{', headers: { 'content-type': 'application/json' } }, 'body is not JSON'],
    ['does not match the schema', { json: { order: 1 } }, 'orderId'],
    ['is too large', { json: 'x'.repeat(1024 * 1024) }, 'larger than 1 MiB'],
    ['is no JSON by its type', { body: 'a=1', headers: { 'content-type': 'text/plain' } }, 'content-type'],
    ['has a key that is too long', { json: {}, headers: { 'webhook-id': 'x'.repeat(256) } }, 'webhook-id'],
  ])('shows why a call started nothing that %s, until the next one starts something', async (_what, call, reason) => {
    const { hook, trigger } = await hookOf({ programId: 'orders' })
    const refused = await hook(call)
    expect(refused.json.error.message).toContain(reason)
    await expect.poll(trigger).toMatchObject({ lastError: refused.json.error.message, lastFiredAt: expect.any(String) })
    const { executionId } = (await hook({ json: { orderId: 1 } })).json
    await expect.poll(trigger).toMatchObject({ lastExecutionId: executionId })
    expect(await trigger()).not.toHaveProperty('lastError')
  })

  it('shows that the connection ended before the whole body arrived', async () => {
    const { made, trigger } = await hookOf()
    const { hostname, port } = new URL(rig.hooksOrigin)
    const head = `POST /${made.publicId} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n`
    const callAndLeave = async () => {
      const socket = connect(Number(port), hostname)
      socket.write(`${head}{`)
      // A call that ends before its Trigger is found is no call of it.
      await trigger()
      socket.destroy()
      return (await trigger()).lastError
    }
    await expect.poll(callAndLeave).toBe('The connection ended before the whole body arrived.')
  })

  it('shows that a call was not signed', async () => {
    const { hook, trigger } = await hookOf({ secret: 'generate' })
    const refused = await hook({ json: 1 })
    expect(refused.status).toBe(401)
    await expect.poll(trigger).toMatchObject({ lastError: refused.json.error.message })
  })

  it('is not there when it is unknown, not enabled, or removed: all alike', async () => {
    const { one, put, made, hook } = await hookOf()
    const { id, publicId } = made
    await one({ id, programId: 'hello', type: 'webhook', enabled: false })
    const disabled = await hook({ json: 1 })
    await one({ id, programId: 'hello', type: 'webhook' })
    expect((await hook({ json: 1 })).status).toBe(202)
    await put([])
    const answers = [
      disabled,
      await hook({ json: 1 }),
      await rig.hook('x'.repeat(32), { json: 1 }),
      await rig.hook('short'),
    ]
    answers.push(await rig.hook(`${publicId}/more`), await rig.hook(''), await rig.hook(id), await rig.hook('%00'))
    for (const { status, text } of answers) expect([status, text]).toEqual([404, disabled.text])
    expect(disabled.json.error.code).toBe('trigger_not_found')
  })

  it.each([
    ['was disabled', { enabled: false }, 404],
    ['was given a secret', { secret: 'generate' }, 401],
    ['was renamed', { name: 'slow' }, 202],
  ])('counts as it is when the body of a call has arrived: it %s meanwhile', async (_what, change, status) => {
    const { made, one, call, trigger } = await hookOf()
    const { hostname, port } = new URL(rig.hooksOrigin)
    const find = vi.spyOn(rig.hosted.store.schedules, 'findWebhook')
    onTestFinished(() => find.mockRestore())
    const socket = connect(Number(port), hostname)
    onTestFinished(() => void socket.destroy())
    const answer = text(socket)
    const head = 'host: x\r\ncontent-type: application/json\r\ncontent-length: 2\r\nconnection: close\r\n\r\n'
    socket.write(`POST /${made.publicId} HTTP/1.1\r\n${head}{`)
    await expect.poll(() => find.mock.settledResults.length).toBe(1)
    await one({ ...made, ...change })
    await pause(2 * READ_AGAIN_MS)
    socket.write('}')
    expect(await answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect((await call('GET', '/v1/executions')).json.items).toHaveLength(status === 202 ? 1 : 0)
    if (status === 404) expect(await trigger()).not.toHaveProperty('lastError')
  })

  it('starts one Execution for calls with the same key, whatever they hold', async () => {
    const { hook, one, made } = await hookOf()
    const send = async (headers: Readonly<Record<string, string>>, json: unknown) =>
      (await hook({ headers, json })).json.executionId as string
    const first = await send({ 'idempotency-key': 'k' }, 1)
    expect(await send({ 'idempotency-key': 'k' }, 2)).toBe(first)
    expect(await send({ 'webhook-id': 'k', 'idempotency-key': 'other' }, 3)).toBe(first)
    expect(await send({ 'webhook-id': 'm', 'idempotency-key': 'k' }, 4)).not.toBe(first)
    const together = await Promise.all(Array.from({ length: 5 }, (_, n) => send({ 'webhook-id': 'many' }, n)))
    expect(new Set(together).size).toBe(1)
    expect((await hook({ headers: { 'idempotency-key': 'x'.repeat(256) } })).json.error.code).toBe('invalid_request')
    for (const name of ['webhook-id', 'idempotency-key']) {
      expect((await hook({ headers: { [name]: ['k', 'm'] } })).json.error.message).toBe(
        `headers/${name} must come once`,
      )
    }
    const utf8 = Buffer.from('日'.repeat(255)).toString('latin1')
    expect(await send({ 'idempotency-key': utf8 }, 6)).toBe(await send({ 'webhook-id': utf8 }, 7))
    expect(await one({ id: made.id, programId: 'hello', type: 'webhook' })).toMatchObject({ publicId: made.publicId })
  })

  it('does not share its keys with another one, nor with callers of the API', async () => {
    const { hook, call, put, made } = await hookOf()
    const other = (await put([made, { programId: 'hello', type: 'webhook' }])).json.items[1]
    const headers = { 'idempotency-key': 'k' }
    const ids = [
      (await hook({ headers })).json.executionId,
      (await rig.hook(other.publicId, { headers })).json.executionId,
      (await call('POST', '/v1/executions', { headers, json: { programId: 'hello' } })).json.id,
    ]
    expect(new Set(ids).size).toBe(3)
  })

  it('may ask for signatures', async () => {
    const { hook, made, trigger, one } = await hookOf({ secret: 'generate' })
    expect(made).toMatchObject({ signed: true, secret: expect.stringMatching(/^whsec_/) })
    const sentBack = await one(made)
    expect(sentBack).toMatchObject({ id: made.id, signed: true })
    expect([sentBack, await trigger()].filter((shown) => 'secret' in shown)).toEqual([])
    const body = '{"n":1}'
    const signed = (at = Math.floor(Date.now() / 1_000), secret: string = made.secret) => ({
      'content-type': 'application/json',
      'webhook-id': `msg_${at}`,
      'webhook-timestamp': String(at),
      'webhook-signature': `v1,${createHmac('sha256', Buffer.from(secret.slice(6), 'base64'))
        .update(`msg_${at}.${at}.${body}`)
        .digest('base64')}`,
    })
    expect((await hook({ body, headers: signed() })).status).toBe(202)
    const bySvixNames = Object.fromEntries(
      Object.entries(signed()).map(([name, text]) => [name.replace('webhook-', 'svix-'), text]),
    )
    const bySvix = await Promise.all([1, 2].map(() => hook({ body, headers: bySvixNames })))
    expect(bySvix.map(({ status }) => status)).toEqual([202, 202])
    expect(new Set(bySvix.map(({ json }) => json.executionId)).size, 'one svix-id starts one Execution').toBe(1)
    const unsigned = await hook({ body, headers: { 'content-type': 'application/json' } })
    expect([unsigned.status, unsigned.json.error.code]).toEqual([401, 'invalid_signature'])
    const old = Math.floor(Date.now() / 1_000) - 400
    expect((await hook({ body, headers: signed(old) })).status).toBe(401)
    expect((await hook({ body: '{"n":2}', headers: signed() })).status).toBe(401)
    const again = await one({ id: made.id, programId: 'hello', type: 'webhook', secret: 'generate' })
    expect((await hook({ body, headers: signed() })).status).toBe(401)
    expect((await hook({ body, headers: signed(undefined, again.secret) })).status).toBe(202)
    await one({ id: made.id, programId: 'hello', type: 'webhook', secret: made.secret })
    expect((await hook({ body, headers: signed() })).status).toBe(202)
    await one({ id: made.id, programId: 'hello', type: 'webhook', secret: null })
    expect((await hook({ body, headers: { 'content-type': 'application/json' } })).status).toBe(202)
  })

  it('is to be called again when its secret is sealed with a key that this process does not have', async () => {
    const { hook, made } = await hookOf({ secret: 'generate' })
    await rig.hosted.sql(`UPDATE triggers SET secret = replace(secret, 'tests:', 'lost:') WHERE id = $1`, [made.id])
    const at = String(Math.floor(Date.now() / 1_000))
    const headers = { 'webhook-id': 'msg', 'webhook-timestamp': at, 'webhook-signature': 'v1,x' }
    const before = rig.logged.length
    const { status, json } = await hook({ headers })
    expect([status, json.error.code]).toEqual([503, 'unavailable'])
    expect(rig.logged.slice(before).map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ level: 40, reason: expect.stringContaining('key lost, which WES_SECRET_KEY') }),
    ])
  })

  it('may be called so often, and says when to try again', async () => {
    const { hook } = await hookOf()
    let last = await hook()
    for (let count = 0; count < 40 && last.status === 202; count += 1) last = await hook()
    expect([last.status, last.json.error.code, last.headers['retry-after']]).toEqual([429, 'rate_limited', '1'])
  })

  it('may be called so often with a signature, however often it was called without one', async () => {
    const { hook, made } = await hookOf({ secret: 'generate' })
    const at = String(Math.floor(Date.now() / 1_000))
    const mac = createHmac('sha256', Buffer.from(made.secret.slice(6), 'base64')).update(`msg.${at}.`)
    const signature = `v1,${mac.digest('base64')}`
    const headers = { 'webhook-id': 'msg', 'webhook-timestamp': at, 'webhook-signature': signature }
    const untilRefused = async (options: CallOptions, status: number) => {
      for (let count = 0; count < 40; count += 1) {
        const { status: answered } = await hook(options)
        if (answered !== status) return answered
      }
      return status
    }
    expect(await untilRefused({}, 401)).toBe(429)
    expect((await hook({ headers })).status).toBe(202)
    expect(await untilRefused({ headers }, 202)).toBe(429)
  })

  it('has its address and its secret in no log and, sealed, in no row', async () => {
    const { hook, made } = await hookOf({ secret: 'generate' })
    await hook({ json: 1 })
    await rig.hook(made.publicId, { body: '{', headers: { 'content-type': 'application/json' } })
    expect(rig.logged.join('')).not.toContain(made.publicId)
    const rows = JSON.stringify(await rig.hosted.sql('SELECT * FROM triggers WHERE id = $1', [made.id]))
    expect(rows).not.toContain(made.secret.slice(6))
    expect(rows).toContain('tests:')
  })
})

describe('a schedule', () => {
  const minute = 60_000

  const dueAt = async (shop: Tenant & { trigger(): Promise<Record<string, string>> }, id: string, at: number) => {
    await rig.hosted.sql('UPDATE triggers SET next_fire_at = $2 WHERE id = $1', [id, at])
    return shop
  }
  const noFault = (triggerId: string, error: unknown): never => {
    throw new Error(triggerId, { cause: error })
  }
  const fire = (id: string, at: number) =>
    fireSchedule({ schedules: rig.hosted.store.schedules, portsOf: rig.portsOf }, id, at)
  const startedBy = async ({ call }: Tenant, id: string) =>
    (await call('GET', `/v1/executions?triggerId=${id}`)).json.items as readonly Record<string, unknown>[]

  const scheduled = async (more: Readonly<Record<string, unknown>> = {}) => {
    const shop = await newShop()
    const made = await shop.one({ programId: 'hello', type: 'schedule', cron: '* * * * *', input: { a: 1 }, ...more })
    return { shop, id: made.id as string, now: rig.hosted.store.now() }
  }

  it.each([
    ['disabled', 'hello', { enabled: false }, []],
    ['removed', 'hello', undefined, []],
    ['changed', 'hello', { programId: 'orders', input: { orderId: 'o-1' } }, ['orders']],
    ['mended', 'orders', { input: { orderId: 'o-1' } }, ['orders']],
  ])('starts nothing of what it was, if it is %s as it fires', async (_change, programId, change, programs) => {
    const { shop, id, now } = await scheduled({ programId })
    const at = Math.floor(now / minute) * minute
    await dueAt(shop, id, at)
    const { schedules } = rig.hosted.store
    const changeOnce = vi.fn<() => Promise<unknown>>().mockResolvedValue(undefined)
    changeOnce.mockImplementationOnce(async () => shop.put(change ? [{ ...(await shop.trigger()), ...change }] : []))
    const findSchedule: typeof schedules.findSchedule = async (triggerId) => {
      const found = await schedules.findSchedule(triggerId)
      await changeOnce()
      return found
    }
    await fireSchedule({ schedules: { ...schedules, findSchedule }, portsOf: rig.portsOf }, id, at)
    expect((await startedBy(shop, id)).map((started) => started['programId'])).toEqual(programs)
    expect((await shop.trigger())?.['lastError']).toBeUndefined()
  })

  it('fires again if too much was being checked', async () => {
    const { shop, id, now } = await scheduled()
    const at = Math.floor(now / minute) * minute
    await dueAt(shop, id, at)
    const busy = new ApiError('rate_limited', 'too much')
    const portsOf: typeof rig.portsOf = (owner) => ({
      ...rig.portsOf(owner),
      schemas: { ...rig.portsOf(owner).schemas, checkInput: () => Promise.reject(busy) },
    })
    await expect(fireSchedule({ schedules: rig.hosted.store.schedules, portsOf }, id, at)).rejects.toBe(busy)
    expect(await shop.trigger()).not.toHaveProperty('lastError')
    expect(await fire(id, at)).toBe(at + minute)
    expect(await startedBy(shop, id)).toHaveLength(1)
  })

  it('starts one Execution for each time, however many fire it', async () => {
    const { shop, id, now } = await scheduled()
    const at = Math.floor(now / minute) * minute
    await dueAt(shop, id, at)
    const nexts = await Promise.all(Array.from({ length: 6 }, () => fire(id, at)))
    expect(new Set(nexts.filter((next) => next !== undefined))).toEqual(new Set([at + minute]))
    expect(await startedBy(shop, id)).toMatchObject([{ programId: 'hello', trigger: { id, type: 'schedule' } }])
    expect(await shop.trigger()).toMatchObject({ nextFireAt: new Date(at + minute).toISOString() })
  })

  it('makes up each time of the last hour, and leaves out what is older', async () => {
    const { shop, id, now } = await scheduled({ cron: '*/20 * * * *' })
    const step = 20 * minute
    const oldest = Math.floor(now / step) * step - 5 * step
    await dueAt(shop, id, oldest)
    let next: number | undefined = oldest
    const fired: number[] = []
    while (next !== undefined && next <= rig.hosted.store.now()) {
      fired.push(next)
      next = await fire(id, next)
    }
    expect(next).toBe(Math.floor(now / step) * step + step)
    expect(await startedBy(shop, id)).toHaveLength(3)
    expect(fired.length).toBe(4)
  })

  it('has its next time found again once the clock was set back, and starts nothing twice', async () => {
    const { shop, id } = await scheduled()
    const { schedules, now } = rig.hosted.store
    const first = Math.floor(now() / minute) * minute
    await dueAt(shop, id, first)
    const second = (await fire(id, first))!
    await findNextTimesAgain(schedules, () => false, noFault)
    expect(await shop.trigger()).toMatchObject({ nextFireAt: new Date(second).toISOString() })
    // The clock was a year ahead, and the schedule fired by it.
    const year = 525_600 * minute
    await dueAt(shop, id, second + year)
    await rig.hosted.sql(
      'UPDATE triggers SET claimed_time = $2, claimed_until = $3, last_fired_at = $3 WHERE id = $1',
      [id, second, second + year],
    )
    // It does not change when the next time was found.
    expect((await shop.call('POST', `${PATH}/${id}/fire`, { json: {} })).status).toBe(202)
    await findNextTimesAgain(schedules, () => false, noFault)
    const next = Date.parse((await shop.trigger()).nextFireAt)
    expect([second, second + minute]).toContain(next)
    const { due } = await schedules.claimDue({ aheadMs: 2 * minute, limit: 1_000, limitOfOne: 1_000, busy: [] })
    expect(due.map(({ triggerId }) => triggerId)).toContain(id)
    await dueAt(shop, id, first)
    await fire(id, first)
    expect(await startedBy(shop, id)).toHaveLength(2)
  })

  it('has its next time found by the clock as it is, where that was set back while it fired', async () => {
    const { shop, id, now } = await scheduled()
    const at = Math.floor(now / minute) * minute
    await dueAt(shop, id, at)
    const { schedules } = rig.hosted.store
    let ahead = 525_600 * minute
    const findSchedule: typeof schedules.findSchedule = async (triggerId) => {
      const found = await schedules.findSchedule(triggerId)
      const read = found && { ...found, now: found.now + ahead }
      ahead = 0
      return read
    }
    await fireSchedule({ schedules: { ...schedules, findSchedule }, portsOf: rig.portsOf }, id, at)
    expect(await shop.trigger()).toMatchObject({ nextFireAt: new Date(at + minute).toISOString() })
    expect(await shop.trigger()).not.toHaveProperty('lastError')
    expect(await startedBy(shop, id)).toHaveLength(1)
  })

  it('has its first time found by the clock as it is, where its process does not know that it was set back', async () => {
    const { workspaceId, projectId, call } = await newShop()
    const { store } = rig.hosted
    const principal = {
      workspaceId,
      defaultProjectId: projectId,
      tokenId: 'tok_1',
      role: 'write',
      credential: '',
    } as const
    const ports = {
      ...rig.portsOf(principal),
      principal,
      hooksUrl: rig.hooksOrigin,
      secrets: readSecretKeys(rig.secretKeys),
      now: () => store.now() + 525_600 * minute,
    }
    const body: NewTriggers = [{ programId: 'hello', type: 'schedule', cron: '* * * * *' }]
    await replaceTriggers(ports, { path: projectId, header: undefined, ifMatch: undefined, body })
    const [made] = (await call('GET', PATH)).json.items
    expect(Date.parse(made.nextFireAt)).toBeLessThanOrEqual(store.now() + minute)
  })

  it('has its next time found again although another one has a time zone that is not known', async () => {
    const { schedules, now } = rig.hosted.store
    const year = now() + 525_600 * minute
    const both = [await scheduled(), await scheduled()]
    const ids = both.map(({ id }) => id).toSorted()
    await rig.hosted.sql('UPDATE triggers SET next_fire_at = $2, updated_at = $2 WHERE id = ANY ($1)', [ids, year])
    await rig.hosted.sql("UPDATE triggers SET timezone = 'Nowhere/Atlantis' WHERE id = $1", [ids[0]])
    const faults: string[] = []
    await findNextTimesAgain(
      schedules,
      () => false,
      (id) => void faults.push(id),
    )
    expect(faults).toEqual([ids[0]])
    const { shop } = both.find(({ id }) => id === ids[1])!
    expect(Date.parse((await shop.trigger()).nextFireAt)).toBeLessThan(year)
  })

  it('says that a time was missed by too much to be made up', async () => {
    // None of its times is in the last hour.
    const hour = (new Date(rig.hosted.store.now()).getUTCHours() + 12) % 24
    const { shop, id, now } = await scheduled({ cron: `0 ${hour} * * *` })
    const at = now - 61 * minute
    await dueAt(shop, id, at)
    expect(await fire(id, at)).toBeGreaterThan(now)
    const lastError = `The time ${new Date(at).toISOString()} was missed by more than an hour, so it started nothing.`
    expect(await shop.trigger()).toMatchObject({ lastError, lastFiredAt: expect.any(String) })
    expect(await startedBy(shop, id)).toEqual([])
  })

  it('makes up several missed times for one claim', async () => {
    const { shop, id, now } = await scheduled()
    const at = Math.floor(now / minute) * minute - 4 * minute
    await dueAt(shop, id, at)
    const { store } = rig.hosted
    await createFire(
      { schedules: store.schedules, portsOf: rig.portsOf },
      store.now,
    )({ triggerId: id, dueAt: at, workspace: 1 })
    const { nextFireAt } = await shop.trigger()
    expect(Date.parse(nextFireAt)).toBeGreaterThan(now)
    expect(await startedBy(shop, id)).toHaveLength((Date.parse(nextFireAt) - at) / minute)
  })

  it('fires each time once, of a quiet workspace among the first of a busy one, with two workers, and when one dies', async () => {
    const [busy, quiet] = [await newShop(), await scheduled()]
    const item = { programId: 'hello', type: 'schedule', cron: '* * * * *' }
    const made: readonly { readonly id: string }[] = (await busy.put(Array.from({ length: 40 }, () => item))).json.items
    const ids = new Set([...made.map(({ id }) => id), quiet.id])
    const at = Math.floor(quiet.now / minute) * minute
    await rig.hosted.sql('UPDATE triggers SET next_fire_at = $2 WHERE id = ANY ($1)', [[...ids], at])
    const { schedules, now } = rig.hosted.store
    expect(await schedules.nextFireAt()).toBeLessThanOrEqual(at)
    const fire = createFire({ schedules, portsOf: rig.portsOf }, now)
    const order: string[] = []
    const startWorker = (act: FireDue) =>
      startTakingDue({
        name: 'schedules',
        sizes: { most: 16, mostOfOne: 8, aheadMs: 500 },
        claim: schedules.claimDue,
        now,
        act,
        leave: act,
        log: pino({ level: 'silent' }),
      })
    // A worker has died after its claim, and that has ended.
    await schedules.claimDue({ aheadMs: 0, limit: 1_000, limitOfOne: 3, busy: [] })
    await rig.hosted.sql('UPDATE triggers SET claimed_until = wes_now() WHERE id = ANY ($1)', [[...ids]])
    const workers = [0, 1].map(() =>
      startWorker(async (due) => {
        order.push(due.triggerId)
        await fire(due)
      }),
    )
    onTestFinished(async () => {
      await Promise.all(workers.map(({ stop }) => stop()))
    })
    const isDone = async () =>
      (await rig.hosted.sql('SELECT FROM triggers WHERE id = ANY ($1) AND next_fire_at = $2', [[...ids], at]))
        .length === 0
    await vi.waitUntil(isDone)
    expect(order.filter((id) => ids.has(id)).indexOf(quiet.id)).toBeLessThan(25)
    const started = [
      ...(await busy.call('GET', '/v1/executions?limit=200')).json.items,
      ...(await startedBy(quiet.shop, quiet.id)),
    ]
    expect(started.map(({ trigger }) => trigger.id).toSorted()).toEqual([...ids].toSorted())
  })

  it('does nothing at a time that is not its next, nor before it', async () => {
    const { shop, id, now } = await scheduled()
    const at = Math.floor(now / minute) * minute
    await dueAt(shop, id, at)
    expect(await fire(id, at - minute)).toBeUndefined() // that one is claimed by itself
    await dueAt(shop, id, at + 10 * minute)
    expect(await fire(id, at + 10 * minute)).toBe(at + 10 * minute)
    expect(await startedBy(shop, id)).toEqual([])
  })

  it('has no next time once it is removed or not enabled', async () => {
    const { shop, id, now } = await scheduled()
    await shop.one({ id, programId: 'hello', type: 'schedule', cron: '* * * * *', enabled: false })
    expect(await fire(id, now)).toBeUndefined()
    await shop.put([])
    expect(await fire(id, now)).toBeUndefined()
  })

  it('says why it could start nothing, and goes on with its next time', async () => {
    const { shop, id, now } = await scheduled({ programId: 'orders' })
    const at = Math.floor(now / minute) * minute
    await dueAt(shop, id, at)
    expect(await fire(id, at)).toBe(at + minute)
    expect(await shop.trigger()).toMatchObject({
      lastError: expect.stringContaining('orderId'),
      lastFiredAt: expect.any(String),
    })
    expect(await startedBy(shop, id)).toEqual([])
  })
})
