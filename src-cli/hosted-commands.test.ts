import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../src-runtime/shared/temporary-folder.test-support.ts'
import { type Answer, json } from '../src-sdk/scripted-server.test-support.ts'
import { runsAgainst } from './runs-against.test-support.ts'
import { wesHere as wes } from './wes-here.test-support.ts'

const against = runsAgainst('hosted')

const AT = '2026-11-20T10:00:00.000Z'
const list = (items: readonly unknown[]): Answer => json(200, { items, nextCursor: null })
const CURRENT = '/v1/workspaces/current'

const WEBHOOK = {
  id: 'trg_1',
  programId: 'orders',
  projectId: 'prj_1',
  type: 'webhook',
  enabled: true,
  publicId: 'abc',
  url: 'https://hooks.test/abc',
  signed: true,
  createdAt: AT,
  updatedAt: AT,
}
const SCHEDULE = {
  id: 'trg_2',
  programId: 'report',
  projectId: 'prj_1',
  type: 'schedule',
  enabled: false,
  name: 'nightly',
  cron: '0 3 * * *',
  timezone: 'Europe/Berlin',
  lastFiredAt: AT,
  createdAt: AT,
  updatedAt: AT,
}

describe('each command sends its request', () => {
  it.each<[string, readonly string[], string, string, unknown?, string?]>([
    ['tokens', ['tokens'], 'GET', `${CURRENT}/tokens`],
    ['tokens list', ['tokens', 'list', '--limit', '5'], 'GET', `${CURRENT}/tokens?limit=5`],
    ['tokens create', ['tokens', 'create'], 'POST', `${CURRENT}/tokens`, { name: 'cli', role: 'write' }],
    ['tokens revoke', ['tokens', 'revoke', 'tok_1'], 'DELETE', `${CURRENT}/tokens/tok_1`],
    ['env', ['env'], 'GET', '/v1/projects/default/environment'],
    ['env list', ['env', 'list', '--project-id', 'prj_1'], 'GET', '/v1/projects/prj_1/environment'],
    [
      'env set',
      ['env', 'set', 'A=1', 'B==x', 'C'],
      'PUT',
      '/v1/projects/default/environment',
      { set: { A: '1', B: '=x', C: 'from stdin' } },
      'from stdin\n',
    ],
    ['env rm', ['env', 'rm', 'A', 'B'], 'PUT', '/v1/projects/default/environment', { remove: ['A', 'B'] }],
    ['env remove', ['env', 'remove', 'A', 'B'], 'PUT', '/v1/projects/default/environment', { remove: ['A', 'B'] }],
    ['triggers', ['triggers'], 'GET', '/v1/projects/default/triggers'],
    ['triggers list', ['triggers', 'list', '--project-id', 'prj_1'], 'GET', '/v1/projects/prj_1/triggers'],
    ['triggers of a Program', ['triggers', 'list', '--program-id', 'p'], 'GET', '/v1/programs/p/triggers'],
    [
      'triggers replace',
      ['triggers', 'replace', '[{"programId":"p","type":"webhook"}]'],
      'PUT',
      '/v1/projects/default/triggers',
      { triggers: [{ programId: 'p', type: 'webhook' }] },
    ],
    [
      'triggers replace with what list printed',
      ['triggers', 'replace', '-'],
      'PUT',
      '/v1/projects/default/triggers',
      { triggers: [WEBHOOK] },
      JSON.stringify({ items: [WEBHOOK], nextCursor: null }),
    ],
    ['triggers fire', ['triggers', 'fire', 'trg_1'], 'POST', '/v1/projects/default/triggers/trg_1/fire', {}],
    [
      'triggers fire with an input',
      ['triggers', 'fire', 'trg_1', '--input', 'null'],
      'POST',
      '/v1/projects/default/triggers/trg_1/fire',
      { input: null },
    ],
    ['usage', ['usage'], 'GET', '/v1/usage?groupBy=day'],
    [
      'usage of days and groups',
      ['usage', '--from', '2026-01-01', '--to', '2026-01-31', '--group-by', 'project', '--group-by', 'program'],
      'GET',
      '/v1/usage?from=2026-01-01&to=2026-01-31&groupBy=project&groupBy=program',
    ],
    ['billing', ['billing'], 'GET', '/v1/billing/invoices/upcoming'],
    ['billing plan', ['billing', 'plan'], 'GET', '/v1/billing/plan'],
    ['billing invoices', ['billing', 'invoices', '--limit', '2'], 'GET', '/v1/billing/invoices?limit=2'],
  ])('%s', async (_name, args, method, url, body, stdin = '') => {
    const revoked: Answer = (_request, response) => void response.writeHead(204).end()
    const known = { items: [], nextCursor: null, id: 'x', lines: [], secret: 's', executionId: 'exe_1' }
    const answer = method === 'DELETE' ? revoked : json(200, known)
    const { server, code, out, err } = await against(answer, [...args, '--json'], { stdin })
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toBe(method === 'DELETE' ? '' : `${JSON.stringify(known)}\n`)
    expect(server.seen).toHaveLength(1)
    const [seen] = server.seen
    expect(seen).toMatchObject({ method, url, headers: { authorization: 'Bearer wes_x' } })
    expect(seen?.body).toBe(body === undefined ? '' : JSON.stringify(body))
  })

  it('with what to remove, and what of it was not set is said', async () => {
    const { server, code, out, err } = await against(list([{ name: 'A', createdAt: AT, updatedAt: AT }]), [
      'env',
      'remove',
      'A',
      'TYPO',
    ])
    expect({ code, out, err }).toEqual({ code: 0, out: 'removed A\n', err: 'TYPO was not set\n' })
    expect(server.seen.map(({ method }) => method)).toEqual(['GET', 'PUT'])
    expect(JSON.parse(server.seen[1]!.body)).toEqual({ remove: ['A', 'TYPO'] })
  })

  it('with the values of a .env file, which never stand on the command line', async () => {
    const folder = temporaryFolder('env')
    writeFileSync(join(folder, '.env'), '# keys\nexport A=1\nB="two\\nlines" # comment\n')
    const args = ['env', 'set', 'A=2', '--file', '.env']
    const { server, out, err } = await against(list([]), args, { cwd: folder })
    expect({ out, err }).toEqual({ out: 'set A, B\n', err: '' })
    expect(JSON.parse(server.seen[0]!.body)).toEqual({ set: { A: '2', B: 'two\nlines' } })
  })

  it('with the day on which a token expires', async () => {
    const before = Date.now()
    const created = { id: 'tok_1', name: 'ci', role: 'read', createdAt: AT, secret: 'wes_secret' }
    const args = ['tokens', 'create', 'ci', '--role', 'read', '--expires', '90d']
    const { server, out } = await against(json(201, created), args)
    expect(out).toBe('wes_secret\n')
    const { name, role, expiresAt } = JSON.parse(server.seen[0]!.body) as Record<string, string>
    expect([name, role]).toEqual(['ci', 'read'])
    const days = (Date.parse(expiresAt ?? '') - before) / 86_400_000
    expect(days).toBeGreaterThanOrEqual(90)
    expect(days).toBeLessThan(90.01)
  })
})

describe('tables', () => {
  it('show tokens', async () => {
    const token = { id: 'tok_1', name: 'ci', role: 'write', createdAt: AT, lastUsedAt: AT }
    expect((await against(list([token]), ['tokens'])).out).toBe(
      'ID     NAME  ROLE   CREATED                   LAST USED                 EXPIRES\n' +
        'tok_1  ci    write  2026-11-20T10:00:00.000Z  2026-11-20T10:00:00.000Z  never\n',
    )
  })

  it('show what is set for effects, without values', async () => {
    expect((await against(list([{ name: 'KEY', createdAt: AT, updatedAt: AT }]), ['env'])).out).toBe(
      'NAME  CREATED                   UPDATED\nKEY   2026-11-20T10:00:00.000Z  2026-11-20T10:00:00.000Z\n',
    )
  })

  it('show Triggers', async () => {
    expect((await against(list([WEBHOOK, SCHEDULE]), ['triggers'])).out.split('\n')).toEqual([
      'ID     PROGRAM  TYPE      ENABLED  NAME     LAST                      NEXT  DETAIL',
      'trg_1  orders   webhook   yes                                               https://hooks.test/abc (signed)',
      'trg_2  report   schedule  no       nightly  2026-11-20T10:00:00.000Z        0 3 * * * Europe/Berlin',
      '',
    ])
  })

  it('show signing secrets that were generated', async () => {
    const made = list([{ ...WEBHOOK, secret: 'whsec_1' }, SCHEDULE])
    const { out } = await against(made, ['triggers', 'replace', '[]'])
    expect(out.split('\n').slice(-2)).toEqual(['signing secret of trg_1: whsec_1', ''])
  })

  it('show usage with a total', async () => {
    const used = { executions: 2, turns: 5, effectAttempts: 0, events: 1, computeMs: 1500, storedBytes: 1536 }
    const answer = json(200, {
      from: '2026-11-01',
      to: '2026-11-20',
      items: [{ day: '2026-11-20', ...used }],
      total: { ...used, storedBytes: 77 },
    })
    expect((await against(answer, ['usage'])).out).toBe(
      'DAY         EXECUTIONS  TURNS  EFFECT ATTEMPTS  EVENTS  COMPUTE        STORED\n' +
        '2026-11-20           2      5                0       1     1.5s       1.5 KiB\n' +
        'total                2      5                0       1     1.5s  average 77 B\n',
    )
    const { code, out, err } = await against(json(200, { items: [], total: { executions: 2 } }), ['usage'])
    expect({ code, out, err }).toEqual({ code: 1, out: '', err: expect.stringContaining('(invalid_response)') })
  })

  it('show usage by the names of projects', async () => {
    const used = { executions: 2, turns: 5, effectAttempts: 0, events: 1, computeMs: 1500, storedBytes: 0 }
    const usage = json(200, {
      from: '2026-11-20',
      to: '2026-11-20',
      items: [
        { projectId: 'prj_1', programId: 'orders', ...used },
        { projectId: 'prj_9', programId: 'report', ...used },
      ],
      total: used,
    })
    const projects = list([{ id: 'prj_1', name: 'Shop', isDefault: true, createdAt: AT }])
    const answer: Answer = (request, response) =>
      (request.url.startsWith('/v1/projects') ? projects : usage)(request, response)
    const args = ['usage', '--group-by', 'project', '--group-by', 'program']
    expect((await against(answer, args)).out).toBe(
      'PROJECT  PROGRAM  EXECUTIONS  TURNS  EFFECT ATTEMPTS  EVENTS  COMPUTE  STORED\n' +
        'Shop     orders            2      5                0       1     1.5s     0 B\n' +
        'prj_9    report            2      5                0       1     1.5s     0 B\n' +
        'total                      2      5                0       1     1.5s     0 B\n',
    )
    const asJson = await against(answer, [...args, '--json'])
    expect(JSON.parse(asJson.out)).toMatchObject({ items: [{ projectId: 'prj_1' }, { projectId: 'prj_9' }] })
    expect(asJson.server.seen).toHaveLength(1)
  })

  const invoice = {
    periodStart: '2026-11-01T00:00:00.000Z',
    periodEnd: '2026-12-01T00:00:00.000Z',
    currency: 'EUR',
    lines: [
      { metric: 'executions', quantity: 52_000, included: 50_000, billable: 2_000, amount: 8 },
      { metric: 'effectAttempts', quantity: 7, included: 9, billable: 0, amount: 0 },
      { metric: 'computeMs', quantity: 1_500, included: 36_000_000, billable: 0, amount: 0 },
      { metric: 'ofLater', quantity: 1, included: 2, billable: 0, amount: 0 },
    ],
    total: 1_208,
  }

  it('show what this month costs so far, with the names that usage has', async () => {
    expect((await against(json(200, invoice), ['billing'])).out).toBe(
      '2026-11, so far\n' +
        'METRIC            USED  INCLUDED  BILLABLE     AMOUNT\n' +
        'executions       52000     50000      2000   0.08 EUR\n' +
        'effect attempts      7         9         0   0.00 EUR\n' +
        'compute           1.5s       10h       0ms   0.00 EUR\n' +
        'ofLater              1         2         0   0.00 EUR\n' +
        'total                                       12.08 EUR\n',
    )
  })

  it('show the months that ended', async () => {
    const answer = list([{ ...invoice, currency: 'JPY' }])
    expect((await against(answer, ['billing', 'invoices'])).out).toBe(
      'MONTH    EXECUTIONS  COMPUTE  STORED     TOTAL\n2026-11       52000     1.5s          1208 JPY\n',
    )
  })

  it('show what a plan includes', async () => {
    const each = <Value>(value: Value) => ({ executions: value, storedBytes: value })
    const answer = json(200, {
      id: 'standard',
      name: 'Standard',
      currency: 'EUR',
      included: each(1024),
      prices: each({ per: 1024, amount: 4 }),
    })
    expect((await against(answer, ['billing', 'plan'])).out).toBe(
      'Standard (standard), each month\n' +
        'METRIC      INCLUDED     PRICE  PER\n' +
        'executions      1024  0.04 EUR  1024\n' +
        'stored         1 KiB  0.04 EUR  1 KiB\n',
    )
  })

  it('show whose token it is', async () => {
    const token = { id: 'tok_1', name: 'ci', role: 'write', createdAt: AT, expiresAt: AT }
    const answer = json(200, { workspace: { id: 'wsp_1', name: 'Acme' }, token, defaultProjectId: 'prj_1' })
    expect((await against(answer, ['whoami'])).out).toBe(
      `workspace  Acme (wsp_1)\ntoken      ci (tok_1)\nrole       write\nexpires    ${AT}\nproject    prj_1\n`,
    )
  })
})

describe('a workspace that is named', () => {
  const own = json(200, { workspace: { id: 'wsp_1', name: 'Acme' }, items: [], nextCursor: null })
  const asked = ({ server }: Awaited<ReturnType<typeof against>>) => server.seen.map(({ url }) => url)

  it.each(['Acme', 'wsp_1'])('may be that of the token: %s', async (workspace) => {
    const run = await against(own, ['tokens', 'list', '--workspace', workspace, '--limit', '5'])
    expect(run).toMatchObject({ code: 0, err: '' })
    expect(asked(run)).toEqual(['/v1/whoami', `${CURRENT}/tokens?limit=5`])
  })

  it('is refused if the token has another one, before anything is asked for', async () => {
    // With a token on the command line, a database in the environment does not matter.
    const env = { WES_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/x' }
    const args = ['tokens', 'create', '--workspace', 'Other', '--token', 'wes_x']
    const run = await against(own, args, { env })
    expect(run).toMatchObject({ code: 2, out: '' })
    expect(run.err).toContain('the token belongs to workspace Acme (wsp_1), not to Other')
    expect(asked(run)).toEqual(['/v1/whoami'])
  })
})

describe('what cannot be', () => {
  it.each([
    [['tokens', 'create', '--role', 'owner'], 'owner'],
    [['tokens', 'create', '--expires', 'soon'], 'is not a duration such as 90d'],
    [['tokens', 'create', '--expires', '1ms'], '--expires: 1ms is shorter than 1s'],
    [['tokens', 'create', '--expires', '99999999999d'], 'ends after the year 9999'],
    [['env', 'set'], 'name what to set'],
    [['env', 'set', '--file', 'no-such.env'], '--file: cannot read no-such.env: no such file'],
    [['env', 'set', 'A'], 'standard input has no value for A; A= sets an empty one'],
    [['env', 'set', 'A', 'B'], 'write NAME=VALUE: only one value can come from standard input'],
    [['triggers', 'replace', '{"a":1}'], 'expected a list of Triggers'],
    [['usage', '--group-by', 'month'], 'month'],
  ])('%j is a usage error', async (args, reason) => {
    const { code, err } = await wes(args, { env: { SERVICE_TOKEN: 'wes_x' } })
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(reason) as string })
  })

  it.each([
    [['tokens', 'create', 'ci']],
    [['projects', 'create', 'Second']],
    [['triggers', 'fire', 'trg_1']],
    [['usage']],
    [['billing']],
    [['billing', 'plan']],
    [['result', 'exe_1']],
  ])('%j of another server is said to be one', async (args) => {
    const { code, out, err } = await against(json(200, { status: 'failed', error: {} }), args)
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toMatch(
      /^wes: .*(?:answer of the API|response is not).* \(invalid_response\)\nAnother server is running at this address/,
    )
  })

  it('an error says what to do', async () => {
    const refused = json(404, { error: { code: 'hosted_only', message: 'It is served by the hosted service only.' } })
    const { code, err } = await against(refused, ['usage'])
    expect(code).toBe(1)
    expect(err).toContain('(hosted_only)\nA local runtime is running at this address')
    expect((await runsAgainst('local')(refused, ['usage'])).err).toContain('A hosted service needs a token')
  })
})
