import { describe, expect, it, onTestFinished } from 'vitest'
import { type Answer, json, type ScriptedServer, startScriptedServer } from '../src-sdk/scripted-server.test-support.ts'
import { wesHere as wes } from './wes-here.test-support.ts'
import type { WesRun } from './wes.test-support.ts'

const AT = '2026-11-20T10:00:00.000Z'
const common = { programId: 'orders', projectId: 'prj_1', createdAt: AT, updatedAt: AT }
const WEBHOOK = { ...common, id: 'trg_1', type: 'webhook', enabled: true, url: 'https://hooks.test/abc', signed: true }
const SCHEDULE = { ...common, id: 'trg_2', type: 'schedule', enabled: false, cron: '0 3 * * *', timezone: 'UTC' }

const inputSchema = { type: 'object', required: ['a'], properties: { a: { type: 'number' } } }
const PROGRAM = { id: 'report', latestVersion: { manifest: { inputSchema } } }

/** A list whose ETag is the number of its replacements. Somebody else replaces it before the first `lost` requests. */
const startService = async (items: readonly object[], lost = 0): Promise<ScriptedServer> => {
  let current: readonly object[] = items
  let revision = 1
  let toLose = lost
  const answer: Answer = (request, response) => {
    if (request.url.startsWith('/v1/programs/')) return json(200, PROGRAM)(request, response)
    if (request.method === 'PUT') {
      if (toLose-- > 0) revision++
      if (request.headers['if-match'] !== `"${revision}"`) {
        return json(412, { error: { code: 'precondition_failed', message: 'Read them again.' } })(request, response)
      }
      const { triggers } = JSON.parse(request.body) as { triggers: { id?: string; secret?: string }[] }
      revision++
      current = triggers.map(({ secret, ...one }) => ({
        id: 'trg_new',
        ...common,
        ...one,
        ...(secret !== undefined && { url: 'https://hooks.test/new', secret: 'whsec_1' }),
      }))
    }
    response.setHeader('etag', `"${revision}"`)
    return json(200, { items: current, nextCursor: null })(request, response)
  }
  const server = await startScriptedServer(answer)
  onTestFinished(server.close)
  return server
}

const run = (server: ScriptedServer, args: readonly string[], stdin = ''): Promise<WesRun> =>
  wes(['triggers', ...args], { stdin, env: { SERVICE_API_BASE_URL: server.url, SERVICE_TOKEN: 'wes_x' } })

const sent = (server: ScriptedServer): unknown =>
  JSON.parse(server.seen.findLast(({ method }) => method === 'PUT')!.body)

describe('wes triggers', () => {
  it('adds a webhook, keeps the others, and prints its address and secret', async () => {
    const server = await startService([WEBHOOK])
    const { code, out } = await run(server, ['add', 'webhook', 'orders', '--name', 'shop', '--signed'])
    expect({ code, out }).toEqual({
      code: 0,
      out: 'id      trg_new\nurl     https://hooks.test/new\nsecret  whsec_1\n',
    })
    const made = { programId: 'orders', name: 'shop', type: 'webhook', secret: 'generate' }
    expect(sent(server)).toEqual({ triggers: [WEBHOOK, made] })
  })

  it('adds a webhook with the secret of its sender, which no list of processes shows', async () => {
    const server = await startService([WEBHOOK])
    expect(await run(server, ['add', 'webhook', 'orders', '--secret-stdin'], 'whsec_c2VjcmV0\n')).toMatchObject({
      code: 0,
    })
    expect(sent(server)).toEqual({
      triggers: [WEBHOOK, { programId: 'orders', type: 'webhook', secret: 'whsec_c2VjcmV0' }],
    })
    const both = await run(server, ['add', 'webhook', 'orders', '--secret-stdin', '--signed'])
    expect(both).toMatchObject({ code: 2, err: expect.stringContaining('--signed') })
  })

  it('adds a schedule with its zone and input', async () => {
    const server = await startService([])
    const args = ['add', 'schedule', 'report', '0 9 * * MON-FRI', '--timezone', 'Europe/Berlin', '--input', '-']
    expect(await run(server, [...args, '--disabled'], '{"a":1}')).toMatchObject({ out: 'id  trg_new\n', err: '' })
    expect(sent(server)).toEqual({
      triggers: [
        {
          programId: 'report',
          enabled: false,
          type: 'schedule',
          cron: '0 9 * * MON-FRI',
          timezone: 'Europe/Berlin',
          input: { a: 1 },
        },
      ],
    })
  })

  it.each([
    ['{"a":"x"}', 'input/a must be number'],
    ['', 'input must be object'],
  ])('says that the Program does not take the input of a schedule: %s', async (input, why) => {
    const server = await startService([])
    const args = ['add', 'schedule', 'report', '0 9 * * *', ...(input === '' ? [] : ['--input', input])]
    const { code, out, err } = await run(server, args)
    expect({ code, out }).toEqual({ code: 0, out: 'id  trg_new\n' })
    expect(err).toBe(
      `report does not take this input: ${why}. The schedule starts nothing until its input or the Program is changed.\n`,
    )
  })

  it('changes nothing where a proxy removed the ETag', async () => {
    const server = await startScriptedServer(json(200, { items: [WEBHOOK], nextCursor: null }))
    onTestFinished(server.close)
    const { code, err } = await run(server, ['remove', 'trg_1'])
    expect({ code, methods: server.seen.map(({ method }) => method) }).toEqual({ code: 1, methods: ['GET'] })
    expect(err).toContain('came without an ETag')
  })

  it('enables, disables and removes some, and keeps the others', async () => {
    const server = await startService([WEBHOOK, SCHEDULE])
    expect((await run(server, ['enable', 'trg_2'])).out).toBe('enabled trg_2\n')
    expect(sent(server)).toEqual({ triggers: [WEBHOOK, { ...SCHEDULE, enabled: true }] })
    expect((await run(server, ['disable', 'trg_1', 'trg_2'])).out).toBe('disabled trg_1, trg_2\n')
    expect((await run(server, ['remove', 'trg_1'])).out).toBe('removed trg_1\n')
    expect(sent(server)).toEqual({ triggers: [SCHEDULE] })
  })

  it('does it again on the new list when somebody else replaced it meanwhile, but not for ever', async () => {
    const server = await startService([WEBHOOK], 2)
    expect((await run(server, ['disable', 'trg_1'])).code).toBe(0)
    expect(server.seen.map(({ method }) => method)).toEqual(['GET', 'PUT', 'GET', 'PUT', 'GET', 'PUT'])
    const { code, err } = await run(await startService([WEBHOOK], 99), ['disable', 'trg_1'])
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('(precondition_failed)') as string })
  })

  it('sends numbers of inputs back as they came', async () => {
    const body = `{"items":[${JSON.stringify(SCHEDULE).replace('{', '{"input":12345678901234567890,')}],"nextCursor":null}`
    const server = await startScriptedServer(
      (_request, response) => void response.writeHead(200, { etag: '"1"' }).end(body),
    )
    onTestFinished(server.close)
    expect((await run(server, ['enable', 'trg_2'])).code).toBe(0)
    expect(server.seen.at(-1)?.body).toContain('"input":12345678901234567890,')
  })

  it.each([
    [['replace', '-'], '1/cron "x" never fires', 'JSON (standard input): entry 2 (nightly): cron "x" never fires'],
    [['add', 'schedule', 'report', 'x'], '1/cron "x" never fires', 'CRON: "x" never fires'],
    [['add', 'webhook', 'a', '--name', 'x'], '1/name must be text', '--name: must be text'],
    [['disable', 'trg_1'], '0/cron "x" never fires', 'Trigger trg_1: cron "x" never fires'],
  ])('says of %j what is wrong, and where', async (args, fault, words) => {
    const error = { code: 'invalid_request', message: `body/triggers/${fault}` }
    const refusing: Answer = (request, response) => {
      response.setHeader('etag', '"1"')
      const listed = json(200, { items: [WEBHOOK], nextCursor: null })
      return (request.method === 'GET' ? listed : json(400, { error }))(request, response)
    }
    const server = await startScriptedServer(refusing)
    onTestFinished(server.close)
    const written = JSON.stringify([{ programId: 'a' }, { programId: 'a', name: 'nightly' }])
    const { code, err } = await run(server, args, written)
    expect({ code, err }).toEqual({ code: 1, err: `wes: ${words} (invalid_request)\n` })
    expect((await run(server, [...args, '--json'], written)).out).toBe(`${JSON.stringify({ error })}\n`)
  })

  it('refuses what is not there, and changes nothing', async () => {
    const server = await startService([WEBHOOK])
    const { code, err } = await run(server, ['remove', 'trg_1', 'trg_9'])
    expect({ code, err }).toEqual({
      code: 1,
      err: 'wes: There is no Trigger trg_9 in this project.\n`wes triggers` lists them.\n',
    })
    expect(server.seen.map(({ method }) => method)).toEqual(['GET'])
  })
})
