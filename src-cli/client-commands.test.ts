import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import type { Command } from 'commander'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { temporaryFolder } from '../src-runtime/shared/temporary-folder.test-support.ts'
import {
  type Answer,
  inTurn,
  json,
  silent,
  startScriptedServer,
  until,
} from '../src-sdk/scripted-server.test-support.ts'
import { ServiceRuntimeError } from '../src-sdk/service-runtime-error.ts'
import type { Execution } from '../src-sdk/contract-types.ts'
import { createCommands } from './commands.ts'
import { hintFor } from './hints.ts'
import { runsAgainst } from './runs-against.test-support.ts'
import { nextSteps } from './show-execution.ts'
import { processTerminal } from './terminal.ts'
import { wesHere as wes } from './wes-here.test-support.ts'
import { startWes, wes as wesAsProcess } from './wes.test-support.ts'

const EXECUTION = {
  id: 'exe_1',
  projectId: 'default',
  programId: 'approval',
  versionId: 'ver_1',
  versionNumber: 2,
  status: 'waiting',
  createdAt: '2026-11-20T10:00:00.000Z',
  startedAt: '2026-11-20T10:00:00.100Z',
  waitingFor: [{ kind: 'event', name: 'approved', since: '2026-11-20T10:00:00.100Z' }],
}
const VERSION = {
  id: 'ver_1',
  programId: 'approval',
  number: 2,
  digest: 'ab12',
  origin: 'upload',
  hasEffects: false,
  runnable: true,
  manifest: {},
  createdAt: '2026-11-20T09:00:00.000Z',
}
const PROGRAM = {
  id: 'approval',
  projectId: 'default',
  description: 'Waits',
  latestVersion: VERSION,
  runnable: true,
  createdAt: '2026-11-20T09:00:00.000Z',
  updatedAt: '2026-11-20T09:00:00.000Z',
}
const page = (items: readonly unknown[], nextCursor: string | null = null): Answer => json(200, { items, nextCursor })

const against = runsAgainst('local')

const folderWith = async (files: Readonly<Record<string, string>>): Promise<string> => {
  const folder = temporaryFolder('cli')
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content)
  return folder
}

describe('each command sends its request', () => {
  it.each<[string, readonly string[], string, string, unknown?]>([
    ['start', ['start', 'approval'], 'POST', '/v1/executions', { programId: 'approval' }],
    [
      'start with input and version',
      ['start', 'approval', '--input', '{"a":[1,null]}', '--version', '2'],
      'POST',
      '/v1/executions',
      { programId: 'approval', input: { a: [1, null] }, version: 2 },
    ],
    ['start with null', ['start', 'p', '--input', 'null'], 'POST', '/v1/executions', { programId: 'p', input: null }],
    [
      'start with a negative number',
      ['start', 'p', '--input', '-5'],
      'POST',
      '/v1/executions',
      { programId: 'p', input: -5 },
    ],
    ['send', ['send', 'exe_1', 'go'], 'POST', '/v1/executions/exe_1/events', { name: 'go' }],
    [
      'send with a payload',
      ['send', 'exe_1', 'go', '-1'],
      'POST',
      '/v1/executions/exe_1/events',
      { name: 'go', payload: -1 },
    ],
    ['cancel', ['cancel', 'exe_1'], 'POST', '/v1/executions/exe_1/cancel'],
    ['fire', ['fire', 'exe_1', '3'], 'POST', '/v1/executions/exe_1/commands/3/fire'],
    ['retry', ['retry', 'exe_1', '12'], 'POST', '/v1/executions/exe_1/commands/12/retry'],
    ['result', ['result', 'exe_1'], 'GET', '/v1/executions/exe_1/result'],
    ['an id that needs encoding', ['result', 'a/b?c'], 'GET', '/v1/executions/a%2Fb%3Fc/result'],
    ['executions', ['executions'], 'GET', '/v1/executions'],
    [
      'executions with every filter',
      [
        ...['executions', '--status', 'failed', '--status', 'waiting', '--program-id', 'p', '--version', '3'],
        ...[
          '--created-after',
          '2026-01-01',
          '--created-before',
          '2026-02-01',
          '--label',
          'order 7',
          '--q',
          'x y',
          '--limit',
          '5',
          '--cursor',
          'c',
        ],
      ],
      'GET',
      '/v1/executions?limit=5&cursor=c&status=failed&status=waiting&programId=p&version=3&createdAfter=2026-01-01&createdBefore=2026-02-01&q=x%20y&label=order%207',
    ],
    ['programs', ['programs', '--limit', '5'], 'GET', '/v1/programs?limit=5'],
    ['versions', ['versions', 'approval'], 'GET', '/v1/programs/approval/versions'],
    ['history', ['history', 'exe_1', '--limit', '9'], 'GET', '/v1/executions/exe_1/history?limit=9'],
    ['projects', ['projects'], 'GET', '/v1/projects'],
    ['projects create', ['projects', 'create', 'Second'], 'POST', '/v1/projects', { name: 'Second' }],
    ['whoami', ['whoami'], 'GET', '/v1/whoami'],
  ])('%s', async (_name, args, method, url, body) => {
    const answer = { id: 'exe_1', status: 'queued', items: [], nextCursor: null, workspace: {} }
    const { server, code, out, err } = await against(json(200, answer), [...args, '--json'])
    expect(err).toBe('')
    expect(out).toBe(`${JSON.stringify(answer)}\n`)
    expect(code).toBe(0)
    expect(server.seen).toHaveLength(1)
    expect(server.seen[0]).toMatchObject({ method, url })
    expect(server.seen[0]?.body).toBe(body === undefined ? '' : JSON.stringify(body))
  })

  it('executions of the last two hours, and since whenever', async () => {
    const { server } = await against(page([]), [
      'executions',
      '--created-after',
      '2h',
      '--created-before',
      '9999999 days',
    ])
    const { searchParams } = new URL(server.seen[0]!.url, 'http://x')
    const backMs = Date.now() - Date.parse(searchParams.get('createdAfter') ?? '')
    expect(backMs / 3_600_000).toBeCloseTo(2, 1)
    expect(searchParams.get('createdBefore')).toBe('1970-01-01T00:00:00.000Z')
  })

  it('with token, project and URL before or after the command', async () => {
    const server = await startScriptedServer(page([]))
    onTestFinished(server.close)
    const flags = ['--token', 'wes_x', '--project-id', 'prj_1', '--url', `${server.url}/base/`]
    expect(await wes([...flags, 'programs', '--json'])).toMatchObject({ code: 0, err: '' })
    expect(await wes(['programs', ...flags, '--json'])).toMatchObject({ code: 0, err: '' })
    expect(server.seen).toHaveLength(2)
    for (const { url, headers } of server.seen) {
      expect(url).toBe('/base/v1/programs')
      expect(headers).toMatchObject({ authorization: 'Bearer wes_x', 'x-service-project-id': 'prj_1' })
    }
  })

  it('print the artifact of a version as the service sends it', async () => {
    const artifact = { format: 'wes.program/1', id: 'approval', program: { code: '({ run() {} })' } }
    const { server, code, out, err } = await against(json(200, artifact), ['versions', 'artifact', 'approval', '3'])
    expect({ code, out, err }).toEqual({ code: 0, out: `${JSON.stringify(artifact)}\n`, err: '' })
    expect(server.seen[0]).toMatchObject({ method: 'GET', url: '/v1/programs/approval/versions/3/artifact' })
  })

  it('remove a version', async () => {
    const gone: Answer = (_request, response) => void response.writeHead(204).end()
    const { server, code, out, err } = await against(gone, ['versions', 'rm', 'approval', '3'])
    expect({ code, out, err }).toEqual({ code: 0, out: 'removed version 3 of approval\n', err: '' })
    expect(server.seen[0]).toMatchObject({ method: 'DELETE', url: '/v1/programs/approval/versions/3' })
    expect(await against(gone, ['versions', 'remove', 'approval', '3', '--json'])).toMatchObject({ code: 0, out: '' })
    expect(await wes(['versions', 'rm', 'approval', 'newest'])).toMatchObject({ code: 2 })
    const used = (message: string): Answer => json(409, { error: { code: 'version_in_use', message } })
    const newest = await against(used('It is the newest.'), ['versions', 'rm', 'approval', '3'])
    expect(newest).toMatchObject({ code: 1, err: 'wes: It is the newest. (version_in_use)\n' })
    const refused = await against(used('There are Executions of it.'), ['versions', 'remove', 'approval', '3'])
    expect(refused.err).toContain('`wes executions remove ID…` removes')
  })

  it('remove Executions, up to the first that cannot be removed', async () => {
    const gone: Answer = (_request, response) => void response.writeHead(204).end()
    const { server, ...removed } = await against(gone, ['executions', 'rm', 'exe_1', 'exe_2'])
    expect(removed).toEqual({ code: 0, out: 'removed exe_1\nremoved exe_2\n', err: '' })
    expect(server.seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'DELETE /v1/executions/exe_1',
      'DELETE /v1/executions/exe_2',
    ])
    expect(await against(gone, ['executions', 'remove', 'exe_1', '--json'])).toMatchObject({
      code: 0,
      out: '',
      err: '',
    })
    const running = json(409, { error: { code: 'execution_not_finished', message: 'It runs.' } })
    const refused = await against(inTurn(gone, running), ['executions', 'rm', 'exe_1', 'exe_2', 'exe_3'])
    expect(refused).toMatchObject({
      code: 1,
      out: 'removed exe_1\n',
      err: 'wes: It runs. (execution_not_finished)\n`wes cancel ID` ends an Execution.\n',
    })
    expect(refused.server.seen).toHaveLength(2)
    expect(await wes(['executions', 'rm'])).toMatchObject({ code: 2 })
  })

  it.each([
    ['start', ['p']],
    ['send', ['exe_1', 'go', '-1']],
  ])('%s with an idempotency key', async (command, operands) => {
    const { server } = await against(json(201, EXECUTION), [command, ...operands, '--idempotency-key', 'order-7'])
    expect(server.seen.at(-1)?.headers['idempotency-key']).toBe('order-7')
  })
})

describe('run-again', () => {
  const failed = { ...EXECUTION, projectId: 'prj_7', status: 'failed', waitingFor: [], input: { n: [1, null] } }
  const body = { programId: 'approval', input: { n: [1, null] }, againOf: 'exe_1' }

  it('starts the same Program with the same input in the same project, and prints the new id', async () => {
    const answers = inTurn(json(200, failed), json(201, { ...EXECUTION, id: 'exe_2' }))
    const { server, code, out, err } = await against(answers, ['run-again', 'exe_1', '--idempotency-key', 'k'])
    expect({ code, out, err }).toEqual({ code: 0, out: 'exe_2\n', err: '' })
    expect(server.seen[0]).toMatchObject({ method: 'GET', url: '/v1/executions/exe_1' })
    expect(server.seen[1]).toMatchObject({ method: 'POST', url: '/v1/executions', body: JSON.stringify(body) })
    expect(server.seen[1]?.headers).toMatchObject({ 'x-service-project-id': 'prj_7', 'idempotency-key': 'k' })
  })

  it('waits for the end with --wait, and runs the version of --version', async () => {
    const ended = { ...EXECUTION, id: 'exe_2', status: 'completed', result: 1 }
    const answers = inTurn(json(200, failed), json(201, ended))
    const { server, code, out } = await against(answers, ['run-again', 'exe_1', '--version', '1', '--wait'])
    expect({ code, out }).toEqual({ code: 0, out: 'status  completed\nresult  1\n' })
    expect(JSON.parse(server.seen[1]?.body ?? '')).toEqual({ ...body, version: 1 })
  })

  it('starts nothing if there is no such Execution, or nothing waits for --timeout', async () => {
    const missing = json(404, { error: { code: 'execution_not_found', message: 'There is none.' } })
    const { server, code } = await against(missing, ['run-again', 'exe_9'])
    expect({ code, requests: server.seen.length }).toEqual({ code: 1, requests: 1 })
    expect(await wes(['run-again', 'exe_1', '--timeout', '1'])).toMatchObject({ code: 2 })
  })

  it('is what the error of an Execution that has ended says', async () => {
    const ended = json(409, { error: { code: 'execution_finished', message: 'It has ended.' } })
    expect((await against(ended, ['cancel', 'exe_1'])).err).toContain('`wes run-again ID` starts another Execution')
  })
})

describe('send', () => {
  const KEPT = 'aproved is kept until the Program waits for it.'
  const declaring = (...names: string[]) => ({
    ...PROGRAM,
    latestVersion: { ...VERSION, manifest: { events: names.map((name) => ({ name })) } },
  })
  const notes = async (name: string, ...answers: Answer[]) => {
    const { server, code, out, err } = await against(inTurn(...answers, json(202, {})), ['send', 'exe_1', name])
    expect({ code, out }).toEqual({ code: 0, out: `sent ${name} to exe_1\n` })
    expect(server.seen.at(-1)).toMatchObject({ method: 'POST', url: '/v1/executions/exe_1/events' })
    return err
  }

  it('says so if the Execution waits for other events, or its Program declares others', async () => {
    expect(await notes('aproved', json(200, EXECUTION), json(200, PROGRAM))).toBe(
      `The Execution waits for approved, not for aproved. ${KEPT}\n`,
    )
    const running = { ...EXECUTION, status: 'running', waitingFor: [] }
    expect(await notes('aproved', json(200, running), json(200, declaring('a', 'b', 'c', 'd', 'e', 'f')))).toBe(
      `approval declares a, b, c, d, e and 1 more, not aproved. ${KEPT}\n`,
    )
  })

  it('says no more if the event is known, or nothing tells', async () => {
    const otherVersion = { ...EXECUTION, versionId: 'ver_2', waitingFor: [] }
    expect(await notes('approved', json(200, EXECUTION))).toBe('')
    expect(await notes('later', json(200, EXECUTION), json(200, declaring('approved', 'later')))).toBe('')
    expect(await notes('later', json(200, otherVersion), json(200, declaring('approved')))).toBe('')
    expect(await notes('later', json(503, {}))).toBe('')
  })

  it('sends the event although reads get no answer', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const unanswered: Answer = () => void vi.advanceTimersByTime(5_000)
    expect(await notes('approved', unanswered)).toBe('')
    expect(await notes('later', json(200, EXECUTION), unanswered)).toBe('')
  })
})

describe('a JSON argument', () => {
  it('may come from a file or from standard input', async () => {
    const cwd = await folderWith({ 'input.json': '\ufeff{"from":"file"}\n' })
    const fromFile = await against(json(201, EXECUTION), ['start', 'p', '--input', '@input.json'], { cwd })
    expect(fromFile.server.seen[0]?.body).toBe('{"programId":"p","input":{"from":"file"}}')
    const fromStdin = await against(json(201, EXECUTION), ['start', 'p', '--input', '-'], { stdin: '{"from":"stdin"}' })
    expect(fromStdin.server.seen[0]?.body).toBe('{"programId":"p","input":{"from":"stdin"}}')
    const payload = await against(json(202, {}), ['send', 'exe_1', 'go', '-'], { stdin: '"yes"' })
    expect(payload.server.seen.at(-1)?.body).toBe('{"name":"go","payload":"yes"}')
  })

  it('that is the name of a file is refused with the way to read it', async () => {
    const cwd = await folderWith({ 'input.json': '{}' })
    const { code, err } = await wes(['start', 'p', '--input', 'input.json'], { cwd })
    expect(code).toBe(2)
    expect(err).toMatch(/invalid JSON at line 1, column 1[^]*\n\(Did you mean "?@input\.json"?\?\)\n$/)
    // The second is never read: a pipe could let the command wait.
    for (const other of ['other.json', '/dev/null'])
      expect((await wes(['start', 'p', '--input', other], { cwd })).err).not.toContain('Did you mean')
  })

  it.each([
    ['{name:Ada}', 'pass the JSON as @FILE, or as - for standard input.'],
    ["{'name':'Ada'}", 'pass the JSON as @FILE, or as - for standard input.'],
    [String.raw`{\"name\":\"Ada\"}`, 'pass the JSON as @FILE, or as - for standard input.'],
    ['Ada', '(Did you mean \'"Ada"\'?)'],
  ])('that a shell has changed is refused with another way to pass it (%s)', async (input, hint) => {
    const { code, err } = await wes(['start', 'p', '--input', input])
    expect(code).toBe(2)
    expect(err).toContain(hint)
  })

  it.each([
    ['{"id":9007199254740993}', '9007199254740993 becomes 9007199254740992'],
    ['[-12345678901234567890, 9007199254740995]', '-12345678901234567890 becomes -12345678901234567000'],
  ])('that loses digits is sent with a warning: %s', async (input, fault) => {
    const { code, out, err } = await against(json(201, EXECUTION), ['start', 'p', '--input', input])
    expect({ code, out }).toEqual({ code: 0, out: 'exe_1\n' })
    expect(err).toBe(`wes: --input: ${fault}, because numbers beyond 2^53 lose digits. Send it as text to keep them.\n`)
  })

  it.each([
    '[9007199254740991,9007199254740994,123456789012345680000,1e300]',
    '1000000000000000000000',
    '"9007199254740993"',
    String.raw`["\\", {"12345678901234567\"": "\"12345678901234567"}]`,
    '0.12345678901234567',
  ])('is sent without a warning if its integers keep their digits: %s', async (input) => {
    expect(await against(json(201, EXECUTION), ['start', 'p', '--input', input])).toMatchObject({ code: 0, err: '' })
  })

  it('may be nested more deeply than services accept, which say so', async () => {
    const input = `${'['.repeat(3_000)}1234567890123456${']'.repeat(3_000)}`
    const { server } = await against(json(201, EXECUTION), ['start', 'p', '--input', input])
    expect(server.seen[0]?.body).toBe(`{"programId":"p","input":${input}}`)
  })

  it('is a usage error if a number is too large, because it would be sent as null', async () => {
    const { code, err, server } = await against(json(201, EXECUTION), ['start', 'p', '--input', '{"x":[-1e400]}'])
    expect([code, err]).toEqual([2, expect.stringContaining('--input: a number is too large')])
    expect(server.seen).toHaveLength(0)
  })

  it('is a usage error that shows the position when it is invalid', async () => {
    const cwd = await folderWith({ 'input.json': '{\n  "a": 1,\n  "b": oops\n}\n' })
    const { code, err, out, server } = await against(json(201, EXECUTION), ['start', 'p', '--input', '@input.json'], {
      cwd,
    })
    expect(code).toBe(2)
    expect(err).toContain('input.json: invalid JSON at line 3, column 8: expected a value')
    expect(out).toBe('')
    expect(server.seen).toHaveLength(0)
    expect(await wes(['send', 'exe_1', 'go', '{'])).toMatchObject({ code: 2, err: expect.stringContaining('column 2') })
    expect(await wes(['start', 'p', '--input', '@missing.json'], { cwd })).toMatchObject({
      code: 2,
      err: expect.stringContaining('missing.json: no such file'),
    })
    await writeFile(join(cwd, 'latin1.json'), Buffer.from('{"name":"Müller"}', 'latin1'))
    expect(await wes(['start', 'p', '--input', '@latin1.json'], { cwd })).toMatchObject({
      code: 2,
      err: 'wes: --input: cannot read latin1.json: it is not UTF-8\n',
    })
    expect((await wes(['deploy', 'latin1.json'], { cwd })).err).toBe('wes: cannot read latin1.json: it is not UTF-8\n')
  })
})

describe('deploy', () => {
  const artifact = '{"format":"wes.program/1","id":"approval","program":{"code":"({run(){}})"}}'

  it('uploads every artifact of the folder, and says which are new', async () => {
    // Configs are read under other names only.
    const others = { 'other.json': '{}', 'wes.config.cjs': '' }
    const cwd = await folderWith({ 'a.program.json': artifact, 'b.program.json': artifact, ...others })
    const unchanged = { ...PROGRAM, id: 'second', latestVersion: { ...VERSION, number: 1 } }
    const { code, out, server } = await against(inTurn(json(201, PROGRAM), json(200, unchanged)), ['deploy'], { cwd })
    expect(code).toBe(0)
    expect(out).toBe('deployed approval version 2\nunchanged second version 1\n')
    expect(server.seen.map(({ url, body }) => [url, JSON.parse(body)])).toEqual([
      ['/v1/programs/deploy', JSON.parse(artifact)],
      ['/v1/programs/deploy', JSON.parse(artifact)],
    ])
  })

  it('says which of several the service refuses', async () => {
    const cwd = await folderWith({ 'a.program.json': artifact, 'b.program.json': artifact })
    const refusal = json(400, { error: { code: 'invalid_request', message: 'body must have "id"' } })
    const { out, err } = await against(inTurn(json(201, PROGRAM), refusal), ['deploy'], { cwd })
    expect(out).toBe('deployed approval version 2\n')
    expect(err).toBe(
      'deploying b.program.json failed:\nwes: b.program.json is not a compiled Program: it must have "id" (invalid_request)\n',
    )
  })

  it('takes an artifact from standard input', async () => {
    const { code, out } = await against(json(201, PROGRAM), ['deploy', '-', '--json'], { stdin: artifact })
    expect(code).toBe(0)
    expect(out).toBe(`${JSON.stringify(PROGRAM)}\n`)
  })

  it('warns when the service cannot run the stored version', async () => {
    const stored = { ...PROGRAM, latestVersion: { ...VERSION, runnable: false } }
    const { code, err } = await against(json(201, stored), ['deploy', '-'], { stdin: artifact })
    expect(code).toBe(0)
    expect(err).toContain('approval version 2 is stored, but this service cannot run it')
  })

  it('fails on a file that is missing or is not JSON', async () => {
    const cwd = await folderWith({ 'bad.json': '{"format":}' })
    const missing = await wes(['deploy', 'missing.json'], { cwd })
    expect(missing).toMatchObject({ code: 1, err: 'wes: cannot read missing.json: no such file\n' })
    expect((await wes(['deploy', '.'], { cwd })).err).toBe(
      'wes: cannot read .: it is a folder, not a file\n`wes deploy --project .` uploads the Programs of a project.\n',
    )
    const bad = await wes(['deploy', 'bad.json', '--json'], { cwd })
    expect(bad.code).toBe(1)
    expect(JSON.parse(bad.out)).toMatchObject({ error: { code: 'invalid_request' } })
  })

  it('without a file in a folder without artifacts is a usage error', async () => {
    const cwd = await folderWith({})
    expect(await wes(['deploy'], { cwd })).toMatchObject({
      code: 2,
      err: expect.stringMatching(/no \*\.program\.json files\nName a project with --project/),
    })
  })
})

describe('start and result', () => {
  it('start prints only the id, for shell variables', async () => {
    const { code, out, err } = await against(json(201, EXECUTION), ['start', 'approval'])
    expect({ code, out, err }).toEqual({ code: 0, out: 'exe_1\n', err: '' })
  })

  it('start --wait --json prints the result view', async () => {
    const view = { status: 'completed', result: { approved: true } }
    const answer = inTurn(json(201, EXECUTION), json(200, { status: 'waiting' }), json(200, view))
    const { code, out, err } = await against(answer, ['start', 'approval', '--wait', '--json'])
    expect({ code, out, err }).toEqual({ code: 0, out: `${JSON.stringify(view)}\n`, err: '' })
  })

  it('start --wait knows the Execution at once, because the service does not hold the answer to the start', async () => {
    const answers = inTurn(json(201, EXECUTION), json(200, { status: 'completed', result: { approved: true } }))
    const { code, out, server } = await against(answers, ['start', 'approval', '--wait'])
    expect({ code, out }).toEqual({
      code: 0,
      out: 'status  completed\nresult  {\n          "approved": true\n        }\n',
    })
    expect(server.seen.map(({ headers }) => headers['prefer'])).toEqual([undefined, 'wait=50'])
    expect(server.seen[0]?.headers['idempotency-key']).toEqual(expect.any(String))
  })

  it('start --wait names no Execution if the start was not answered', async () => {
    const { code, err } = await against(silent, ['start', 'p', '--wait', '--timeout', '0.3'])
    expect(code).toBe(1)
    expect(err).toMatch(/^wes: The start was not answered within 300 ms: [^\n]*\n$/)
  })

  it('start --wait --json prints the result view of an Execution that ends at once, too', async () => {
    const view = { status: 'completed', result: { approved: true } }
    const { code, out } = await against(json(201, { ...EXECUTION, ...view }), ['start', 'approval', '--wait', '--json'])
    expect({ code, out }).toEqual({ code: 0, out: `${JSON.stringify(view)}\n` })
  })

  it.each([
    ['failed', { code: 'program_error', message: 'no stock', name: 'StockError' }],
    ['cancelled', undefined],
  ])(
    'start --wait of an Execution that %s prints the result view, names it, and exits with 1',
    async (status, error) => {
      const view = { status, error }
      const answer = () => inTurn(json(201, EXECUTION), json(200, view))
      const asJson = await against(answer(), ['start', 'approval', '--wait', '--json'])
      expect(asJson).toMatchObject({ code: 1, out: `${JSON.stringify(view)}\n`, err: 'exe_1 started\n' })
      const { code, out, err } = await against(answer(), ['start', 'approval', '--wait'])
      expect({ code, out, err }).toEqual({
        code: 1,
        out: expect.stringContaining(`status  ${status}\n`),
        err: 'exe_1 started\n',
      })
    },
  )

  it('result prints status, result, and error with its causes as text, without control characters', async () => {
    const completed = await against(json(200, { status: 'completed', result: { a: [1] } }), ['result', 'exe_1'])
    expect(completed).toMatchObject({
      code: 0,
      out: 'status  completed\nresult  {\n          "a": [\n            1\n          ]\n        }\n',
    })
    const error = {
      code: 'program_error',
      name: 'StockError',
      message: 'no \u001b[31mstock',
      stack: 'at run (a.ts:1:2)\n',
      cause: {
        name: 'TypeError',
        message: 'fetch failed',
        stack: 'TypeError: fetch failed\n    at charge (b.effects.ts:3:9)\n',
        cause: { message: 'no \u001b[31mroute' },
      },
    }
    const failed = await against(json(200, { status: 'failed', error }), ['result', 'exe_1'])
    expect(failed).toMatchObject({
      code: 0,
      out: 'status  failed\nerror   StockError: no \\x1b[31mstock\ncode    program_error\nstack   at run (a.ts:1:2)\ncause   TypeError: fetch failed\n            at charge (b.effects.ts:3:9)\ncause   no \\x1b[31mroute\n',
    })
  })

  it('result says what an Execution that has not ended waits for, if that can be read', async () => {
    const says = async (execution: Answer) => {
      const { server, ...run } = await against(inTurn(json(200, { status: 'waiting' }), execution), ['result', 'exe_1'])
      expect(run).toMatchObject({ code: 0, err: '' })
      expect(server.seen.map(({ url }) => url)).toEqual(['/v1/executions/exe_1/result', '/v1/executions/exe_1'])
      return run.out
    }
    expect(await says(json(200, EXECUTION))).toBe('status  waiting\ndetail  event approved\n')
    expect(await says(json(200, { ...EXECUTION, status: 'failed', error: { code: 'failed', message: 'no' } }))).toBe(
      'status  waiting\n',
    )
    expect(await says(json(503, {}))).toBe('status  waiting\n')
  })

  it('result says the message of an error once, whether its stack and its cause repeat it or not', async () => {
    const error = {
      code: 'effect_failed',
      name: 'EffectError',
      message: 'no stock',
      stack: 'EffectError: no stock\n    at run (a.ts:1:2)\n    at b.ts:3:4',
      cause: {
        name: 'EffectError',
        message: 'no stock',
        cause: { message: 'down', stack: 'down\n    at ask (b.effects.ts:3:9)' },
      },
    }
    const { out } = await against(json(200, { status: 'failed', error }), ['result', 'exe_1'])
    expect(out).toBe(
      'status  failed\nerror   EffectError: no stock\ncode    effect_failed\nstack   at run (a.ts:1:2)\n        at b.ts:3:4\n' +
        'cause   down\n            at ask (b.effects.ts:3:9)\n',
    )
  })

  it.each<readonly [readonly string[], Answer, string]>([
    [
      ['start', 'p'],
      json(201, { ...EXECUTION, id: 'a;b\u001b' }),
      "Read the result with: wes result 'a;b\\x1b' --wait\n",
    ],
    [['projects', 'create', 'p'], json(201, { id: '$(a)' }), "Use it with: --project-id '$(a)'\n"],
    [['programs'], page([PROGRAM], '`a`'), "There are more: use --all, or --cursor '`a`'\n"],
  ])('%j says in a terminal how to go on, whatever another server sends', async (args, answer, hint) => {
    const server = await startScriptedServer(answer)
    onTestFinished(server.close)
    const said: string[] = []
    const terminal = {
      ...processTerminal(process.stdout, process.stderr, {}),
      ...{ out: async () => {}, err: (text: string) => void said.push(text), hints: true },
    }
    const outcome = { exitCode: 0 }
    const commands = createCommands({ terminal, outcome, version: '', onUsageError: () => {}, firstHost: undefined })
    await commands.parseAsync([...args, '--url', server.url], { from: 'user' })
    expect(said).toEqual([hint])
  })

  it('executions show prints all about one, and in a terminal how to go on', async () => {
    const execution = {
      ...EXECUTION,
      label: 'Order\u001b 7',
      againOf: 'exe_0',
      trigger: { id: 'trg_1', type: 'webhook' },
      input: { a: [1] },
    }
    const projects = page([{ id: 'default', name: 'Default' }])
    const runs = page([{ ...EXECUTION, id: 'exe_2', againOf: 'exe_1', status: 'failed' }])
    const runsOfRuns = page([{ ...EXECUTION, id: 'exe_3\u001b', againOf: 'exe_2', status: 'completed' }])
    const answers = inTurn(json(200, execution), projects, runs, runsOfRuns, page([]))
    const shown = await against(answers, ['executions', 'show', 'exe_1'])
    expect(shown.server.seen.map(({ url }) => url)).toEqual([
      ...['/v1/executions/exe_1', '/v1/projects', '/v1/executions?limit=200&againOf=exe_1'],
      ...['/v1/executions?limit=200&againOf=exe_2', '/v1/executions?limit=200&againOf=exe_3%1B'],
    ])
    const head = String.raw`id            exe_1
label         Order\x1b 7
program       approval version 2
project       Default (default)
`
    const origin = 'trigger       trg_1 (webhook)\nagain of      exe_0\n'
    const again = `run again as  exe_3\\x1b, completed\n${' '.repeat(14)}exe_2, failed\n`
    const times = 'created       2026-11-20T10:00:00.000Z\nstarted       2026-11-20T10:00:00.100Z\n'
    const input = 'input         {\n                "a": [\n                  1\n                ]\n              }\n'
    expect(shown).toMatchObject({
      code: 0,
      err: '',
      out: `${head}status        waiting\ndetail        event approved\n${origin}${again}${times}${input}`,
    })
    const ended = {
      ...EXECUTION,
      status: 'failed',
      finishedAt: '2026-11-20T10:00:03.600Z',
      waitingFor: [],
      error: { code: 'program_error', name: 'RangeError', message: 'too far' },
    }
    expect((await against(json(200, ended), ['executions', 'show', 'exe_1'])).out).toMatch(
      /project   default\n[^]*finished  2026-11-20T10:00:03\.600Z\nduration  3\.5s\nerror     RangeError: too far\ncode      program_error\n$/,
    )
    const asJson = await against(json(200, execution), ['executions', 'show', 'exe_1', '--json'])
    expect(JSON.parse(asJson.out)).toEqual(execution)
    const alone = await against(inTurn(json(200, ended), json(503, {})), ['executions', 'show', 'exe_1'])
    expect([alone.code, alone.server.seen.length], 'what it can do without is asked for once').toEqual([0, 3])
    expect(await against(json(200, {}), ['executions', 'show', 'exe_1'])).toMatchObject({ code: 1, out: '' })

    expect(nextSteps({ ...EXECUTION, status: 'waiting' } as unknown as Execution)).toBe(
      '`wes send exe_1 approved JSON` sends the event.\n`wes history exe_1 --follow` shows what it does; `wes cancel exe_1` ends it.',
    )
    const effect = { kind: 'effect', name: 'pay', attempt: 2, nextAttemptAt: '2026-11-20T11:00:00.000Z' }
    const timer = { kind: 'timer', wakeAt: '2026-11-20T11:00:00.000Z' }
    const timed = nextSteps({ ...EXECUTION, waitingFor: [timer, effect] } as unknown as Execution)
    expect(timed).toContain('`wes fire exe_1 COMMAND` fires a timer now')
    expect(timed).toContain('`wes retry exe_1 COMMAND` retries an effect now')
    expect(nextSteps(ended as unknown as Execution)).toContain('`wes run-again exe_1`')
  })

  it('result --wait waits until --timeout', async () => {
    const { code, err, out } = await against(json(200, { status: 'waiting' }), [
      'result',
      'exe_1',
      '--wait',
      '--timeout',
      '0.3004',
    ])
    expect(code).toBe(1)
    expect(out).toBe('')
    expect(err).toContain('Execution exe_1 had not ended after 0.3 s')
    expect(err).toContain('The Execution continues. Wait again with `wes result exe_1 --wait`')
    expect(await wes(['result', 'exe_1', '--timeout', '1'])).toMatchObject({ code: 2 })
  })

  it('start --wait names the Execution that it may no longer wait for', async () => {
    const error = { code: 'unauthorized', message: 'The token is not valid.' }
    const answers = () => inTurn(json(201, { id: 'exe_1', status: 'running' }), json(401, { error }))
    const { code, err, out } = await against(answers(), ['start', 'p', '--wait'])
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toMatch(/^exe_1 started\nwes: The token is not valid\. \(unauthorized\)\n/)
    const asJson = await against(answers(), ['start', 'p', '--wait', '--json'])
    expect(JSON.parse(asJson.out)).toEqual({ error: { ...error, executionId: 'exe_1' } })
    expect(asJson.err).toBe(err)
  })

  it.skipIf(process.platform === 'win32')('start --wait names the Execution when a signal ends it', async () => {
    const interrupt = async (answers: readonly Answer[], signal: NodeJS.Signals, ...flags: string[]) => {
      const server = await startScriptedServer(inTurn(...answers))
      onTestFinished(server.close)
      // Node would say that it ignores NO_COLOR.
      const colours = { NO_COLOR: '1', FORCE_COLOR: '1' }
      const env = { SERVICE_RUNTIME_URL: server.url, ...colours }
      const child = startWes(['start', 'p', '--wait', ...flags], { env })
      const ended = once(child, 'close')
      const printed = Promise.all([readText(child.stdout!), readText(child.stderr!)])
      await until(() => server.seen.length === answers.length)
      child.kill(signal)
      expect(await ended).toEqual([null, signal])
      return printed
    }
    const started = [json(201, { id: 'exe_1', status: 'running' }), silent]
    const message = 'Execution exe_1 had not ended when the wait was interrupted'
    expect(await interrupt(started, 'SIGINT')).toEqual([
      '',
      `wes: ${message}\nThe Execution continues. Wait again with \`wes result exe_1 --wait\`.\n`,
    ])
    const [out] = await interrupt(started, 'SIGTERM', '--json')
    expect(JSON.parse(out)).toEqual({ error: { code: 'interrupted', message, executionId: 'exe_1' } })
    expect(await interrupt([silent], 'SIGINT')).toEqual([
      '',
      'wes: The start was interrupted before it was answered: an Execution may have been started\n' +
        '`wes executions --program-id p` lists the newest first.\n',
    ])
  })

  it('start --wait --json names the Execution that it gave up waiting for', async () => {
    const answers = inTurn(json(201, { id: 'exe_1', status: 'running' }), json(200, { status: 'waiting' }))
    const { code, err, out } = await against(answers, ['start', 'p', '--wait', '--timeout', '0.3', '--json'])
    expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(/^wes: Execution exe_1 had not ended/) })
    expect(JSON.parse(out)).toMatchObject({ error: { code: 'wait_timeout', executionId: 'exe_1' } })
  })
})

it('a command ends when it has printed, also if a connection is still being made', async () => {
  // Stands for the connection: which ones get no answer depends on the system.
  const keepsOpen = `process.argv[1].endsWith('wes.mjs')&&setInterval(()=>{},60000)`
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${keepsOpen}` }
  expect(await wesAsProcess(['--version'], { env })).toMatchObject({ code: 0, err: '' })
})

describe('an answer of another server', () => {
  it.each([[['result', 'exe_1']], [['whoami']], [['deploy', '-']], [['programs']], [['start', 'approval']]])(
    'is said to be one: %j',
    async (args) => {
      const { code, out, err } = await against(json(200, {}), args, { stdin: '{}' })
      expect({ code, out }).toEqual({ code: 1, out: '' })
      const said = /[A-Z]+ http:\S+ answered 200 with \{\}, which is no answer of the API;.*\.(?= \(invalid_response\))/
      expect(err).toMatch(said)
      expect(err).toContain('\nAnother server is running at this address')
      const asJson = await against(json(200, {}), [...args, '--json'], { stdin: '{}' })
      expect(asJson.code).toBe(1)
      const message = expect.stringContaining('is no answer of the API') as string
      expect(JSON.parse(asJson.out)).toEqual({ error: { code: 'invalid_response', message } })
    },
  )
})

describe('tables', () => {
  it('are aligned, and outside a terminal uncut with the service’s times', async () => {
    const failed = {
      ...EXECUTION,
      id: 'exe_22',
      label: 'Order 22',
      status: 'failed',
      finishedAt: '2026-11-20T10:00:03.600Z',
      waitingFor: [],
      error: { code: 'program_error', message: 'no\nstock' },
    }
    const { out } = await against(page([EXECUTION, failed]), ['executions'])
    expect(out).toBe(
      [
        'ID      PROGRAM   LABEL     VERSION  STATUS   CREATED                   DURATION  DETAIL',
        'exe_1   approval                  2  waiting  2026-11-20T10:00:00.000Z            event approved',
        'exe_22  approval  Order 22        2  failed   2026-11-20T10:00:00.000Z      3.5s  no stock',
        '',
      ].join('\n'),
    )
    const unlabelled = await against(page([EXECUTION]), ['executions'])
    expect(unlabelled.out).toMatch(/^ID {5}PROGRAM {3}VERSION /)
  })

  it('show Programs, versions, projects and history', async () => {
    expect((await against(page([PROGRAM]), ['programs'])).out).toBe(
      'ID        VERSION  ORIGIN  RUNNABLE  UPDATED                   DESCRIPTION\n' +
        'approval        2  upload  yes       2026-11-20T09:00:00.000Z  Waits\n',
    )
    expect((await against(page([VERSION]), ['versions', 'approval'])).out).toBe(
      'VERSION  ID     ORIGIN  EFFECTS  RUNNABLE  CREATED                   DIGEST\n' +
        '      2  ver_1  upload  no       yes       2026-11-20T09:00:00.000Z  ab12\n',
    )
    const project = { id: 'default', name: '既定', isDefault: true, createdAt: '2026-11-20T09:00:00.000Z' }
    expect((await against(page([project]), ['projects'])).out).toBe(
      'ID       NAME  DEFAULT  CREATED\n' + 'default  既定  yes      2026-11-20T09:00:00.000Z\n',
    )
    const entry = { position: 1, at: '2026-11-20T09:00:00.000Z', type: 'execution_started', data: { input: { a: 1 } } }
    expect((await against(page([entry]), ['history', 'exe_1'])).out).toBe(
      '#  TIME                      TYPE               COMMAND  NAME  DATA\n' +
        '1  2026-11-20T09:00:00.000Z  execution_started                 {"input":{"a":1}}\n',
    )
  })

  it('show all pages with --all, also as one JSON list', async () => {
    const answer = () => inTurn(page([{ ...EXECUTION, id: 'exe_3' }], 'c 1'), page([{ ...EXECUTION, id: 'exe_2' }]))
    const table = await against(answer(), ['executions', '--all', '--limit', '1'])
    expect(table.out.match(/exe_\d/g)).toEqual(['exe_3', 'exe_2'])
    expect(table.out.match(/STATUS/g)).toHaveLength(1)
    expect(table.server.seen.map(({ url }) => url)).toEqual([
      '/v1/executions?limit=1',
      '/v1/executions?limit=1&cursor=c%201',
    ])
    const list = await against(answer(), ['executions', '--all', '--json'])
    expect(JSON.parse(list.out)).toEqual({
      items: [
        { ...EXECUTION, id: 'exe_3' },
        { ...EXECUTION, id: 'exe_2' },
      ],
      nextCursor: null,
    })
    expect((await against(page([]), ['programs', '--all', '--json'])).out).toBe('{"items":[],"nextCursor":null}\n')
  })

  it('end with the error on stderr alone when a later page is refused', async () => {
    const refusal = { error: { code: 'internal', message: 'Something failed' } }
    const answer = inTurn(page([EXECUTION], 'more'), json(500, refusal))
    const { code, out, err } = await against(answer, ['executions', '--all', '--json'])
    expect({ code, err }).toEqual({ code: 1, err: 'wes: Something failed (internal)\n' })
    expect(out).toBe(`{"items":[${JSON.stringify(EXECUTION)}`)
  })

  it.each([[], ['--json']])('end with an error when the service sends a cursor again %j', async (...flags) => {
    const answer = inTurn(page([EXECUTION], 'a'), page([EXECUTION], 'b'), page([EXECUTION], 'a'))
    const { code, err, server } = await against(answer, ['executions', '--all', ...flags])
    expect({ code, err }).toMatchObject({
      code: 1,
      err: expect.stringContaining('The list’s next page is one that came before'),
    })
    expect(server.seen).toHaveLength(3)
  })

  it.each([{}, { items: {} }, { items: [] }, { items: [{ id: 'x' }], nextCursor: null }])(
    'say that another server answered %j',
    async (body) => {
      expect(await against(json(200, body), ['executions', '--all'])).toMatchObject({
        code: 1,
        out: '',
        err: expect.stringContaining('Another server is running'),
      })
    },
  )

  it('end without an error when the reader closes the pipe', async () => {
    const rows = Array.from({ length: 200 }, (_, index) => ({ ...EXECUTION, id: `exe_${index}` }))
    let pages = 0
    const server = await startScriptedServer((...call) => page(rows, String(++pages))(...call))
    onTestFinished(server.close)
    const { startWes } = await import('./wes.test-support.ts')
    const child = startWes(['executions', '--all'], { env: { SERVICE_RUNTIME_URL: server.url } })
    let err = ''
    child.stderr?.on('data', (part: Buffer) => (err += part.toString()))
    child.stdout?.once('data', () => child.stdout?.destroy())
    const code = await new Promise((resolve) => child.once('close', resolve))
    expect({ code, err }).toEqual({ code: 0, err: '' })
  })
})

describe('errors', () => {
  const refusal = { error: { code: 'program_not_found', message: 'There is no Program "p"' } }

  it('exit with 1, and print the message and a hint', async () => {
    const { code, out, err } = await against(json(404, refusal), ['start', 'p'])
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toBe(
      'wes: There is no Program "p" (program_not_found)\n`wes programs` lists the Programs; `wes deploy FILE` adds one.\n',
    )
  })

  it.each([
    ['Order', 'order'],
    ['ordr', 'order'],
    ['billing', 'send-invoice'],
    ['programs/billing.ts', 'send-invoice'],
    ['./programs/billing.ts', 'send-invoice'],
    ['.\\programs\\billing.ts', 'send-invoice'],
    ['p', undefined],
  ])('name the Program that %s may mean', async (given, meant) => {
    const unknown = {
      error: {
        code: 'program_not_found',
        message: `There is no Program ${JSON.stringify(given)} in project "default".`,
      },
    }
    const source = {
      folder: '/shop',
      watching: true,
      programs: [
        { id: 'order', path: 'programs/order.ts' },
        { id: 'send-invoice', path: 'programs/billing.ts' },
      ],
      errors: [],
    }
    const programs = { items: source.programs.map(({ id }) => ({ id })), nextCursor: null }
    const { err } = await against(inTurn(json(404, unknown), json(200, source), json(200, programs)), ['start', given])
    expect(err.split('\n')[1]).toBe(
      meant === undefined ? '`wes programs` lists the Programs; `wes deploy FILE` adds one.' : `Did you mean ${meant}?`,
    )
  })

  it('say of a Program that is not found that the source has an error', async () => {
    const fault = { path: 'programs/p.ts', line: 3, column: 7, message: 'programs/p.ts:3:7 Unexpected "}"', frame: '' }
    const source = { folder: '/shop', watching: true, projectId: 'prj_shop', programs: [], errors: [fault] }
    const { err } = await against(inTurn(json(404, refusal), json(200, source)), ['start', 'p'])
    expect(err).toBe(
      'wes: There is no Program "p" (program_not_found)\n/shop has an error, so Programs may be missing: programs/p.ts:3:7 Unexpected "}"\n',
    )
    const printed = await against(inTurn(json(404, refusal), json(200, source)), ['start', 'p', '--json'])
    expect([JSON.parse(printed.out), printed.err]).toEqual([refusal, err])
    const elsewhere = ['start', 'p', '--project-id', 'prj_other']
    expect((await against(inTurn(json(404, refusal), json(200, source)), elsewhere)).err).not.toContain('/shop')
  })

  it('say that the address of the service ends before /v1', async () => {
    const nothing = { error: { code: 'not_found', message: 'There is nothing at /v1/v1/programs.' } }
    expect((await against(json(404, nothing), ['programs'])).err).toBe(
      'wes: There is nothing at /v1/v1/programs. (not_found)\nLeave /v1 out of the address (--url, SERVICE_RUNTIME_URL, SERVICE_API_BASE_URL): the command adds it.\n',
    )
  })

  it.each([404, 405])('say of another server, which answers %i, that it is probably not the API', async (status) => {
    expect((await against(json(status, '<html>'), ['programs'])).err).toContain(
      '\nThis is probably not the address of the API: check --url, SERVICE_RUNTIME_URL and SERVICE_API_BASE_URL.\n',
    )
  })

  it('say of a token that is refused that it may have expired', async () => {
    const refused = json(401, { error: { code: 'unauthorized', message: 'not valid' } })
    expect((await against(refused, ['programs'])).err).toContain('Pass a token with SERVICE_TOKEN')
    expect((await runsAgainst('hosted')(refused, ['programs'])).err).toContain('may have expired')
  })

  it('are the API’s own JSON on stdout with --json, and the same sentences on stderr', async () => {
    const { err } = await against(json(404, refusal), ['start', 'p'])
    expect(await against(json(404, refusal), ['start', 'p', '--json'])).toMatchObject({
      code: 1,
      out: `${JSON.stringify(refusal)}\n`,
      err,
    })
  })

  it('name `wes dev` when no runtime is there', async () => {
    const gone = await startScriptedServer(page([]))
    await gone.close()
    const { code, err } = await wes(['programs'], { env: { SERVICE_RUNTIME_URL: gone.url } })
    expect(code).toBe(1)
    expect(err).toContain('start it with `wes dev`')
    const SERVICE_RUNTIME_URL = gone.url.replace(/\/\/[^:]+/, '//0.0.0.0')
    const { err: elsewhere } = await wes(['programs'], { env: { SERVICE_RUNTIME_URL } })
    expect(elsewhere).toContain('Check the address (--url, SERVICE_RUNTIME_URL)')
    const asJson = await wes(['programs', '--json', '--url', gone.url])
    expect(asJson.code).toBe(1)
    expect(JSON.parse(asJson.out)).toMatchObject({ error: { code: 'network_error' } })
  })

  it.each([
    ['dev', '--port'],
    ['serve', '--hooks-port'],
  ])('%s takes no %s on which nobody would reach it', async (command, flag) => {
    const { code, out, err } = await wes([command, flag, '6000'])
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toContain(
      "argument '6000' is invalid. Browsers and Node connect to no server on this port: choose another one.",
    )
  })

  it('say that a port is one to which browsers and Node do not connect', async () => {
    expect((await wes(['programs', '--url', 'http://localhost:6000'])).err).toBe(
      'wes: GET http://localhost:6000/v1/programs got no answer: bad port\nBrowsers and Node connect to no server on this port: run the service on another one.\n',
    )
  })

  it('say that the address of a hosted service was not used, because there is no token', () => {
    const error = new ServiceRuntimeError({ status: 0, code: 'network_error', message: '' })
    const hostedUrl = 'https://wes.example'
    const said = 'SERVICE_API_BASE_URL is used with a token only: set SERVICE_TOKEN or pass --token.'
    expect(hintFor(error, { url: undefined, token: undefined, hostedUrl })).toBe(said)
    expect(hintFor(error, { url: 'http://localhost:1', token: undefined, hostedUrl })).not.toBe(said)
  })

  it.each([
    ['exe_1', '`wes executions --q exe_1` lists'],
    ['exe_01m8ph210gek7vqcda0y7wv1y8', /^`wes executions` lists/],
    ['approved', /^The id of an Execution begins with exe_\./],
  ])('say how to find an Execution where there is none with the id %s', (id, hint) => {
    const message = `There is no Execution "${id}".`
    const error = new ServiceRuntimeError({ status: 404, code: 'execution_not_found', message })
    expect(hintFor(error, { url: undefined, token: undefined, hostedUrl: undefined })).toMatch(hint)
  })

  it('say what to set where a token alone is', () => {
    const message = 'GET https://api.workflow-execution-service.example/v1/programs got no answer: ENOTFOUND'
    const error = new ServiceRuntimeError({ status: 0, code: 'network_error', message })
    expect(hintFor(error, { url: undefined, token: 'wes_x', hostedUrl: undefined })).toBe(
      'This address is a placeholder: set SERVICE_API_BASE_URL to that of your service, or pass --url.',
    )
  })

  it('say how an input is passed, where there is none or one of another type', async () => {
    const refused = (message: string) => json(400, { error: { code: 'invalid_input', message } })
    const hint = '--input JSON of `wes start` and of `wes triggers fire` passes an input.\n'
    expect((await against(refused('input must be object'), ['start', 'p'])).err).toContain(hint)
    expect((await against(refused('input must have "a"'), ['start', 'p'])).err).not.toContain(hint)
  })

  it('say that another server answers', async () => {
    const html: Answer = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hi</h1>')
    }
    expect(await against(html, ['programs'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('Another server is running'),
    })
    const broken: Answer = (_request, response) => {
      response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>')
    }
    const asJson = await against(broken, ['cancel', 'exe_1', '--json'])
    expect(JSON.parse(asJson.out)).toMatchObject({ error: { code: 'unavailable' } })
  })
})

describe('wrong usage exits with 2, prints an error and sends no request', () => {
  it.each([
    ['an unknown command', ['nonsense']],
    ['no command', []],
    ['an unknown flag', ['programs', '--nonsense']],
    ['a missing argument', ['send', 'exe_1']],
    ['a surplus argument', ['cancel', 'exe_1', 'exe_2']],
    ['a missing command number', ['fire', 'exe_1']],
    ['an invalid command number', ['retry', 'exe_1', 'first']],
    ['command number zero', ['fire', 'exe_1', '0']],
    ['an invalid limit', ['programs', '--limit', 'many']],
    ['a limit above the service’s', ['programs', '--limit', '201']],
    ['version zero', ['start', 'p', '--version', '0']],
    ['an unknown status', ['executions', '--status', 'sleeping']],
    ['a time that is none', ['executions', '--created-after', 'yesterday']],
    ['a day that is none', ['executions', '--created-before', '2026-02-30']],
    ['an invalid URL', ['programs', '--url', 'localhost:3477']],
    ['a token that is not valid in a header', ['programs', '--token', 'a\nb']],
    ['an invalid id', ['result', '..']],
    ['an empty idempotency key', ['start', 'p', '--idempotency-key', '']],
    ['an idempotency key of a space', ['start', 'p', '--wait', '--idempotency-key', ' ']],
    ['a wait of no time', ['result', 'exe_1', '--wait', '--timeout', '0']],
    ['an invalid port', ['dev', '--port', '70000']],
    ['an unknown log level', ['dev', '--log-level', 'loud']],
  ])('%s', async (_what, args) => {
    const server = await startScriptedServer(page([]))
    onTestFinished(server.close)
    const { code, out, err } = await wes(args, { env: { SERVICE_RUNTIME_URL: server.url } })
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).not.toBe('')
    expect(server.seen).toHaveLength(0)
  })

  it.each([
    [['start', 'p', '--input', '@'], '--input: @ needs the path of a file'],
    [['new', ''], 'DIR is empty: . is this folder'],
    [['programs', '--project-id', 'ö'], '--project-id holds characters that no header can carry'],
    [['serve', '--limits', 'none.json'], '--limits: cannot read none.json: no such file'],
  ])('and names the flag: %j', async (args, message) => {
    expect(await wes(args)).toEqual({ code: 2, out: '', err: `wes: ${message}\n` })
  })

  it('as JSON with --json', async () => {
    const { code, out, err } = await wes(['nonsense', '--json'])
    expect({ code, err }).toEqual({ code: 2, err: (await wes(['nonsense'])).err })
    expect(JSON.parse(out)).toEqual({ error: { code: 'usage', message: "unknown command 'nonsense'" } })
  })

  it.each([
    [[], 'a command is missing'],
    [['triggers', 'add'], 'a command is missing'],
  ])('and %j says why it prints the help', async (args, message) => {
    const { code, out, err } = await wes(args)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toContain('Usage: wes')
    expect(err.endsWith(`\nerror: ${message}\n`)).toBe(true)
    const asJson = await wes(['--json', ...args])
    expect(JSON.parse(asJson.out)).toEqual({ error: { code: 'usage', message } })
  })

  it('but help and version exit with 0', async () => {
    expect(await wes(['--help'])).toMatchObject({ code: 0, err: '', out: expect.stringContaining('Usage: wes') })
    expect(await wes(['help'])).toMatchObject({ code: 0, out: expect.stringContaining('Usage: wes [options]') })
    expect(await wes(['help', 'start'])).toMatchObject({ code: 0, out: expect.stringContaining('--idempotency-key') })
    const flags = ['--url', 'http://127.0.0.1:1', '--token', 'x', '--project-id', 'p', '--json']
    expect(await wes(['help', 'start', ...flags])).toEqual(await wes(['help', 'start']))
    expect((await wes(['help', 'executions'])).out).toMatch(
      /^Usage: .*\n\nList Executions, newest first; show one, or remove some\.\n/,
    )
    expect(await wes(['help', 'triggers', 'add', 'schedule'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('Usage: wes triggers add schedule'),
    })
  })

  it('and every help begins as the list of commands describes the command', () => {
    const terminal = processTerminal(process.stdout, process.stderr, {})
    const none = { outcome: { exitCode: 0 }, version: '', onUsageError: () => {}, firstHost: undefined }
    const first = (text: string): string => text.split(' ')[0]!.toLowerCase()
    const described = (command: Command): readonly (readonly [string, string])[] => [
      ...((command.summary() && command.description()
        ? [[first(command.summary()), first(command.description())]]
        : []) as [string, string][]),
      ...command.commands.flatMap(described),
    ]
    const pairs = described(createCommands({ terminal, ...none }))
    expect(pairs.length).toBeGreaterThan(10)
    expect(pairs.filter(([summary, description]) => summary !== description)).toEqual([])
  })

  it.each<readonly [readonly string[], string]>([
    [['statr'], "unknown command 'statr'\n(Did you mean start?)\n`wes help` lists the commands."],
    [
      ['start', 'p', '{"a":', '1}'],
      `too many arguments for 'start'\n(Did you mean --input '{"a": 1}'?)\n\`wes help start\` explains the command.`,
    ],
    [
      ['start', 'p', '--input', '{"a":', '1}'],
      "too many arguments for 'start'\n(JSON with spaces is one argument: put it in quotes, or pass it as @FILE)\n`wes help start` explains the command.",
    ],
    [['start', 'p', '--input', '{}', 'q'], "too many arguments for 'start'\n`wes help start` explains the command."],
    [
      ['send', 'exe_1', 'go', '{a:', '1}'],
      "too many arguments for 'send'\n(JSON with spaces is one argument: put it in quotes, or pass it as @FILE)\n`wes help send` explains the command.",
    ],
    [
      ['triggers', 'add', 'schedule', 'p', '0', '9', '*', '*', '1'],
      "too many arguments for 'schedule'\n(CRON is one argument, in quotes: '0 9 * * MON-FRI')\n`wes help triggers add schedule` explains the command.",
    ],
    [
      ['triggers', 'add', 'schedule', 'p', '0 9 * * 1', '{"a":1}'],
      `too many arguments for 'schedule'\n(Did you mean --input '{"a":1}'?)\n\`wes help triggers add schedule\` explains the command.`,
    ],
    [
      ['dev', 'my-project'],
      "too many arguments for 'dev'\n(Did you mean --project my-project?)\n`wes help dev` explains the command.",
    ],
    [['send', 'exe_1'], "missing required argument 'NAME'\n`wes help send` explains the command."],
    [['versions', '--al'], "unknown option '--al'\n(Did you mean --all?)\n`wes help versions` explains the command."],
    [
      ['executions', '--staus', 'failed'],
      "unknown option '--staus'\n(Did you mean --status?)\n`wes help executions` lists its commands and options.",
    ],
    [['tokens', 'revoke'], "missing required argument 'ID'\n`wes help tokens revoke` explains the command."],
    [['help', 'strat'], "unknown command 'strat'\n(Did you mean start?)\n`wes help` lists the commands."],
    [
      ['triggers', 'ad'],
      "unknown command 'triggers ad'\n(Did you mean add?)\n`wes help triggers` lists its commands and options.",
    ],
    [
      ['executions', 'exe_1'],
      "unknown command 'executions exe_1'\n(Did you mean executions show exe_1?)\n`wes help executions` lists its commands and options.",
    ],
    [['help', 'a\u001b[31m'], "unknown command 'a\\x1b[31m'\n`wes help` lists the commands."],
    [['rerun', 'exe_1'], "unknown command 'rerun'\n(Did you mean run-again?)\n`wes help` lists the commands."],
    [['help', 'logs'], "unknown command 'logs'\n(Did you mean history --follow?)\n`wes help` lists the commands."],
    [
      ['programs', 'list'],
      "too many arguments for 'programs'\n(Did you mean programs?)\n`wes help programs` explains the command.",
    ],
    [
      ['programs', 'hello', 'x'],
      "too many arguments for 'programs'\n(Did you mean versions hello?)\n`wes help programs` explains the command.",
    ],
    [['list'], "unknown command 'list'\n(Did you mean executions?)\n`wes help` lists the commands."],
    [
      ['projects', 'list'],
      "unknown command 'projects list'\n(Did you mean projects?)\n`wes help projects` lists its commands and options.",
    ],
    [
      ['executions', 'delete'],
      "unknown command 'executions delete'\n(Did you mean remove?)\n`wes help executions` lists its commands and options.",
    ],
    [
      ['tokens', 'delete'],
      "unknown command 'tokens delete'\n(Did you mean revoke?)\n`wes help tokens` lists its commands and options.",
    ],
    [
      ['env', 'unset'],
      "unknown command 'env unset'\n(Did you mean remove?)\n`wes help env` lists its commands and options.",
    ],
    [['env', 'get'], "unknown command 'env get'\n(Did you mean list?)\n`wes help env` lists its commands and options."],
    [['help', 'start', 'hello'], "unknown command 'start hello'\n`wes help` lists the commands."],
    [
      ['help', 'triggers', 'nonsense', 'x'],
      "unknown command 'triggers nonsense'\n`wes help triggers` lists its commands and options.",
    ],
    [
      ['projects', 'make', 'Second'],
      "unknown command 'projects make'\n`wes help projects` lists its commands and options.",
    ],
  ])('and %j says what is wrong, and which help says what is right', async (args, message) => {
    expect(await wes(args)).toEqual({ code: 2, out: '', err: `error: ${message}\n` })
  })

  it.each([
    [['start', 'p'], 'wait', '--wait'],
    [['dev'], 'effects', '--no-effects'],
    [['dev'], 'token_description', '--token'],
    [['deploy'], 'project_id', '--project-id'],
  ])('and %j says that npm took an option for itself', async (args, name, option) => {
    const env = { npm_lifecycle_script: 'node src-cli/wes.mjs', npm_lifecycle_event: 'wes', [`npm_config_${name}`]: '' }
    expect(await wes(args, { env })).toEqual({
      code: 2,
      out: '',
      err: `wes: npm took ${option} for itself. Put -- in front of the arguments: npm run wes -- … ${option}\n`,
    })
  })

  it('but not of another script that runs wes, or of an option that npm has too', async () => {
    const other = { npm_lifecycle_script: 'vitest run', npm_config_project: 'e2e' }
    expect((await wes(['deploy', 'no.json'], { env: other })).err).toContain('cannot read no.json')
    const both = { npm_lifecycle_script: 'wes', npm_config_json: 'true' }
    expect((await wes(['deploy', 'no.json'], { env: both })).err).toContain('cannot read no.json')
  })

  it('but version exits with 0', async () => {
    expect(await wes(['--version'])).toMatchObject({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) })
  })
})
