import { describe, expect, it } from 'vitest'
import { createClient, type ServiceClient } from './create-client.ts'
import type { NewTrigger } from './hosted-types.ts'
import type { FetchInit } from './web-platform.ts'

type Sent = { readonly url: string; readonly init: FetchInit }

/** Has a member of each answer of the API by which the client knows it. */
const anyAnswer = { id: 'x', items: [], lines: [], secret: 's', executionId: 'exe_1' }

const recorded = (body: unknown = anyAnswer, headers: Readonly<Record<string, string>> = {}) => {
  const sent: Sent[] = []
  const client = createClient({
    url: 'http://service.test:1',
    token: 't',
    projectId: 'prj_other',
    fetch: (url, init) => {
      sent.push({ url, init })
      return Promise.resolve(Response.json(body, { headers }))
    },
  })
  return { sent, client }
}

const webhook: NewTrigger = { programId: 'p', type: 'webhook', secret: 'generate' }
const CURRENT = '/v1/workspaces/current'
const expiresAt = new Date('2027-01-01T00:00:00.000Z')

describe('each method of the hosted service sends exactly its request', () => {
  it.each<[string, (client: ServiceClient) => Promise<unknown>, string, string, unknown?]>([
    ['getWorkspace', (client) => client.getWorkspace(), 'GET', CURRENT],
    ['updateWorkspace', (client) => client.updateWorkspace({ name: 'n' }), 'PATCH', CURRENT, { name: 'n' }],
    [
      'listTokens',
      (client) => client.listTokens({ limit: 2, cursor: 'c' }),
      'GET',
      `${CURRENT}/tokens?limit=2&cursor=c`,
    ],
    [
      'createToken',
      (client) => client.createToken({ name: 'ci', role: 'write', expiresAt }),
      'POST',
      `${CURRENT}/tokens`,
      { name: 'ci', role: 'write', expiresAt: '2027-01-01T00:00:00.000Z' },
    ],
    ['revokeToken', (client) => client.revokeToken('tok/1'), 'DELETE', `${CURRENT}/tokens/tok%2F1`],
    ['getEnvironment', (client) => client.getEnvironment('default'), 'GET', '/v1/projects/default/environment'],
    [
      'changeEnvironment',
      (client) => client.changeEnvironment('prj_1', { set: { KEY: 'v' }, remove: ['OLD'] }),
      'PUT',
      '/v1/projects/prj_1/environment',
      { set: { KEY: 'v' }, remove: ['OLD'] },
    ],
    ['listProgramTriggers', (client) => client.listProgramTriggers('p'), 'GET', '/v1/programs/p/triggers'],
    ['listTriggers', (client) => client.listTriggers('prj_1'), 'GET', '/v1/projects/prj_1/triggers'],
    [
      'replaceTriggers',
      (client) => client.replaceTriggers('prj_1', [webhook]),
      'PUT',
      '/v1/projects/prj_1/triggers',
      { triggers: [webhook] },
    ],
    [
      'fireTrigger',
      (client) => client.fireTrigger('default', 'trg_1'),
      'POST',
      '/v1/projects/default/triggers/trg_1/fire',
      {},
    ],
    [
      'fireTrigger with an input',
      (client) => client.fireTrigger('default', 'trg_1', null),
      'POST',
      '/v1/projects/default/triggers/trg_1/fire',
      { input: null },
    ],
    ['getUsage', (client) => client.getUsage(), 'GET', '/v1/usage'],
    [
      'getUsage of days and groups',
      (client) => client.getUsage({ from: '2026-01-01', to: '2026-01-31', groupBy: ['day', 'program'] }),
      'GET',
      '/v1/usage?from=2026-01-01&to=2026-01-31&groupBy=day&groupBy=program',
    ],
    ['getBillingPlan', (client) => client.getBillingPlan(), 'GET', '/v1/billing/plan'],
    ['listInvoices', (client) => client.listInvoices(), 'GET', '/v1/billing/invoices'],
    ['getUpcomingInvoice', (client) => client.getUpcomingInvoice(), 'GET', '/v1/billing/invoices/upcoming'],
  ])('%s', async (_name, call, method, path, body) => {
    const { sent, client } = recorded()
    await call(client)
    expect(sent).toHaveLength(1)
    const [{ url, init }] = sent as [Sent]
    expect([init.method, url]).toEqual([method, `http://service.test:1${path}`])
    expect(init.body === undefined ? undefined : (JSON.parse(init.body) as unknown)).toEqual(body)
  })
})

it('sends the project of the path in the header, whatever the client’s project', async () => {
  const { sent, client } = recorded()
  await client.listTriggers('prj_1')
  await client.replaceTriggers('prj_1', [])
  await client.changeEnvironment('prj_1', {})
  await client.listProgramTriggers('p')
  expect(sent.map(({ init }) => init.headers?.['X-Service-Project-Id'])).toEqual([
    'prj_1',
    'prj_1',
    'prj_1',
    'prj_other',
  ])
})

it('refuses the id of a project that no header can carry, and sends nothing', async () => {
  const { sent, client } = recorded({ items: [], nextCursor: null })
  for (const id of ['a b', 'é', '😀', 'a\nb']) {
    await expect(client.getEnvironment(id)).rejects.toThrow('The projectId holds characters that no header can carry')
    await expect(client.listTriggers(id)).rejects.toThrow(TypeError)
  }
  expect(sent).toEqual([])
})

it('passes the version of the Triggers from one call to the next', async () => {
  const { sent, client } = recorded({ items: [], nextCursor: null }, { etag: '"7"' })
  const read = await client.listTriggers('default')
  expect(read).toEqual({ items: [], nextCursor: null, etag: '"7"' })
  await client.replaceTriggers('default', [], { ifMatch: read.etag })
  expect(sent.map(({ init }) => init.headers?.['If-Match'])).toEqual([undefined, '"7"'])
})

it('takes back the Triggers of a list, changed or not, and new ones beside them', async () => {
  const kept = { id: 'trg_1', programId: 'p', projectId: 'default', type: 'schedule', cron: '0 9 * * *', enabled: true }
  const { sent, client } = recorded({ items: [kept], nextCursor: null }, { etag: '"7"' })
  const { items, etag } = await client.listTriggers('default')
  const changed = items.map((trigger) => ({ ...trigger, enabled: false }))
  await client.replaceTriggers('default', [...changed, webhook], { ifMatch: etag })
  expect(JSON.parse(sent[1]?.init.body ?? '')).toEqual({ triggers: [{ ...kept, enabled: false }, webhook] })
})

it('does not replace Triggers whose list came without an ETag, unless nobody asks for one', async () => {
  const { sent, client } = recorded({ items: [], nextCursor: null })
  const { etag } = await client.listTriggers('default')
  await expect(client.replaceTriggers('default', [], { ifMatch: etag })).rejects.toThrow('came without an ETag')
  expect(sent).toHaveLength(1)
  await client.replaceTriggers('default', [], {})
  expect(sent).toHaveLength(2)
})

it('rejects an answer that is not of the API', async () => {
  const { client } = recorded([])
  await expect(client.getUsage()).rejects.toMatchObject({ code: 'invalid_response' })
})
