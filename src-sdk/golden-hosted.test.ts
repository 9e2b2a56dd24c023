// Plays the golden conversations of the hosted service with the client: it must send exactly these requests, and read the
// answers whole. sdk-rust/tests/fixtures.rs does the same with the Rust client.

import { describe, expect, it } from 'vitest'
import type { Exchange, Json } from '../src-runtime/behaviour/conversation.test-support.ts'
import { conversations } from '../src-runtime/behaviour/conversations.test-support.ts'
import { createClient, type ServiceClient } from './create-client.ts'
import type { EnvironmentChange, NewToken, NewTrigger, UsageGrouping } from './hosted-types.ts'
import { ServiceRuntimeError } from './service-runtime-error.ts'
import type { FetchInit } from './web-platform.ts'

type Asked = {
  /** Of the path, in their order. */
  readonly ids: readonly string[]
  readonly query: URLSearchParams
  readonly body: unknown
  readonly ifMatch: string | undefined
}

type Call = (client: ServiceClient, asked: Asked) => Promise<unknown>

const pageOf = ({ query }: Asked) => ({
  ...(query.has('limit') && { limit: Number(query.get('limit')) }),
  cursor: query.get('cursor'),
})
const optional = (query: URLSearchParams, name: string): string | undefined => query.get(name) ?? undefined
const [project, second] = [({ ids }: Asked) => ids[0]!, ({ ids }: Asked) => ids[1]!]

const CALLS: Readonly<Record<string, Call>> = {
  'GET /v1/whoami': (client) => client.whoAmI(),
  'GET /v1/workspaces/current': (client) => client.getWorkspace(),
  'PATCH /v1/workspaces/current': (client, { body }) => client.updateWorkspace(body as { readonly name: string }),
  'GET /v1/workspaces/current/tokens': (client, asked) => client.listTokens(pageOf(asked)),
  'POST /v1/workspaces/current/tokens': (client, { body }) => client.createToken(body as NewToken),
  'DELETE /v1/workspaces/current/tokens/:id': (client, { ids }) => client.revokeToken(ids[0]!),
  'GET /v1/projects/:id/environment': (client, asked) => client.getEnvironment(project(asked)),
  'PUT /v1/projects/:id/environment': (client, asked) =>
    client.changeEnvironment(project(asked), asked.body as EnvironmentChange),
  'GET /v1/projects/:id/triggers': (client, asked) => client.listTriggers(project(asked)),
  'PUT /v1/projects/:id/triggers': (client, asked) => {
    const { triggers } = asked.body as { readonly triggers: readonly NewTrigger[] }
    const { ifMatch } = asked
    return client.replaceTriggers(project(asked), triggers, ifMatch === undefined ? {} : { ifMatch })
  },
  'POST /v1/projects/:id/triggers/:id/fire': (client, asked) =>
    client.fireTrigger(project(asked), second(asked), (asked.body as { readonly input?: unknown }).input),
  'GET /v1/programs/:id/triggers': (client, asked) => client.listProgramTriggers(project(asked)),
  'GET /v1/executions': (client, asked) =>
    client.listExecutions({ ...pageOf(asked), triggerId: optional(asked.query, 'triggerId') }),
  'GET /v1/usage': (client, { query }) =>
    client.getUsage({
      from: optional(query, 'from'),
      to: optional(query, 'to'),
      groupBy: query.getAll('groupBy') as UsageGrouping[],
    }),
  'GET /v1/billing/plan': (client) => client.getBillingPlan(),
  'GET /v1/billing/invoices': (client, asked) => client.listInvoices(pageOf(asked)),
  'GET /v1/billing/invoices/upcoming': (client) => client.getUpcomingInvoice(),
}

type Played = Exchange & { readonly call: Call; readonly of: string; readonly asked: Asked }

const playable = ({ file, exchange }: { readonly file: string; readonly exchange: Exchange }): readonly Played[] => {
  const { method, path, body, headers } = exchange.request
  const { pathname, searchParams: query } = new URL(path, 'http://service.test')
  for (const [of, call] of Object.entries(CALLS)) {
    if (!isHosted(file) && /whoami$|executions$/.test(of)) continue
    const [verb, pattern = ''] = of.split(' ')
    const found = new RegExp(`^${pattern.replaceAll(':id', '([^/]+)')}$`).exec(pathname)
    if (verb !== method || found === null) continue
    const ids = found.slice(1).map(decodeURIComponent)
    return [{ ...exchange, call, of, asked: { ids, query, body, ifMatch: headers?.['if-match'] } }]
  }
  return []
}

const isHosted = (file: string): boolean => file.startsWith('hosted-') || file === 'not-provoked.json'

const played = conversations
  .flatMap(({ file, conversation }) => conversation.exchanges.map((exchange) => ({ file, exchange })))
  .flatMap(playable)

const play = async ({ call, asked, answer, request }: Played) => {
  const sent: { url: string; init: FetchInit }[] = []
  const client = createClient({
    url: 'http://service.test:1',
    token: 't',
    // The calls that have a project in their path send that one.
    ...(request.headers?.['x-service-project-id'] !== undefined && { projectId: 'prj_of_the_client' }),
    fetch: (url, init) => {
      sent.push({ url, init })
      const headers = { 'content-type': 'application/json', ...answer.headers }
      const text = answer.body === undefined ? null : JSON.stringify(answer.body)
      return Promise.resolve(new Response(text, { status: answer.status, headers }))
    },
  })
  const outcome = await call(client, asked).catch((error: unknown) => error)
  return { sent, outcome }
}

const sorted = (path: string): string => {
  const { pathname, searchParams } = new URL(path, 'http://service.test')
  searchParams.sort()
  return `${pathname}?${searchParams.toString()}`
}

const expectedOf = ({ answer: { status, body, headers } }: Exchange): unknown => {
  if (status >= 400) {
    const { error } = body as { readonly error: { readonly code: string; readonly message: string } }
    return { status, ...error }
  }
  if (body === undefined) return undefined
  return { ...(body as { readonly [member: string]: Json }), ...(headers?.['etag'] && { etag: headers['etag'] }) }
}

const told = (outcome: unknown): unknown =>
  outcome instanceof ServiceRuntimeError
    ? { status: outcome.status, code: outcome.code, message: outcome.message }
    : outcome

describe('the client and the golden conversations of the hosted service', () => {
  it.each(played)('$of: $name', async (exchange) => {
    const { sent, outcome } = await play(exchange)
    expect(sent).toHaveLength(1)
    const [{ url, init }] = sent as [(typeof sent)[0]]
    const { method, path, body, headers = {} } = exchange.request
    expect([init.method, sorted(url)]).toEqual([method, sorted(path)])
    expect(init.body === undefined ? undefined : JSON.parse(init.body)).toEqual(body)
    expect(init.headers?.['X-Service-Project-Id']).toBe(headers['x-service-project-id'])
    expect(init.headers?.['If-Match']).toBe(headers['if-match'])
    expect(told(outcome)).toEqual(expectedOf(exchange))
  })

  it('make each of its calls', () => {
    expect(new Set(played.map(({ of }) => of))).toEqual(new Set(Object.keys(CALLS)))
  })
})
