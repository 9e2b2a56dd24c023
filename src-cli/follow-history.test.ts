import { mkdtemp, readFile, rm } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { createRuntime } from '../src-runtime/create-runtime.ts'
import { createClient } from '../src-sdk/create-client.ts'
import type { HistoryEntry, ProgramArtifact } from '../src-sdk/contract-types.ts'
import { type Answer, json, until } from '../src-sdk/scripted-server.test-support.ts'
import { runsAgainst } from './runs-against.test-support.ts'
import { startWes } from './wes.test-support.ts'

const against = runsAgainst('local')
const AT = '2026-11-20T10:00:00.000Z'
const entry = (position: number, type: string) => ({ position, at: AT, type })

/** A service with one Execution, whose history is what `entries` holds. It fails once `end` is called. */
const serviceOf = (entries: readonly object[]) => {
  const changes = new Set<ServerResponse>()
  const waits = new Set<ServerResponse>()
  let hasEnded = false
  let faults = 0
  const result: Answer = (request, response) =>
    hasEnded
      ? json(200, { status: 'failed', error: { code: 'program_error', message: 'no' } })(request, response)
      : void waits.add(response)
  const history: Answer = (request, response) => {
    if (faults-- > 0) return json(503, { error: { code: 'unavailable', message: 'later' } })(request, response)
    const after = Number(new URL(request.url, 'http://x').searchParams.get('cursor') ?? 0)
    const items = entries.slice(after, after + 2)
    const next = after + 2 < entries.length ? String(after + 2) : null
    return json(200, { items, nextCursor: next })(request, response)
  }
  const answer: Answer = (request, response) => {
    const { pathname } = new URL(request.url, 'http://x')
    if (pathname.endsWith('/result')) return result(request, response)
    if (pathname.endsWith('/history')) return history(request, response)
    if (pathname !== '/v1/changes')
      return json(200, { id: 'exe_1', projectId: 'prj_7', status: 'waiting' })(request, response)
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('retry: 100\nid: 1\n\n')
    changes.add(response)
  }
  return {
    answer,
    changes,
    tell: (id: string) => {
      for (const response of changes) response.write(`id: 2\ndata: {"executionId":"${id}"}\n\n`)
    },
    failNext: (count: number) => (faults = count),
    end: () => {
      hasEnded = true
      for (const response of waits) response.writeHead(200).end('{"status":"failed"}')
    },
  }
}

const reads = (seen: readonly { readonly url: string }[]) => seen.filter(({ url }) => url.includes('/history')).length

it('prints each entry once, as it comes, and ends with the Execution, with 1 if that failed', async () => {
  const entries = [entry(1, 'execution_started'), entry(2, 'wait_scheduled'), entry(3, 'log')]
  const service = serviceOf(entries)
  let seen: readonly { readonly url: string; readonly headers: object }[] = []
  const run = against(
    (request, response) => {
      seen = [...seen, request]
      return service.answer(request, response)
    },
    ['history', 'exe_1', '--follow', '--json'],
  )
  await until(() => service.changes.size === 1 && reads(seen) === 3)
  service.failNext(1)
  entries.push(entry(4, 'event_received'), entry(5, 'event_delivered'))
  service.tell('exe_2')
  service.tell('exe_1')
  await until(() => seen.at(-1)?.url === '/v1/executions/exe_1/history?cursor=4')
  entries.push(entry(6, 'execution_failed'))
  service.end()
  const { code, out, err } = await run
  expect({ code, err }).toEqual({ code: 1, err: '' })
  expect(
    out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual(entries)
  expect(seen.find(({ url }) => url === '/v1/changes')?.headers).toMatchObject({ 'x-service-project-id': 'prj_7' })
})

it('prints a table whose columns stand under each other, with times that mean the same later', async () => {
  const service = serviceOf([entry(1, 'execution_started'), entry(2, 'log'), entry(3, 'execution_failed')])
  service.end()
  const { out } = await against(service.answer, ['history', 'exe_1', '--follow'])
  expect(out).toBe(
    [
      '  #  TIME                      TYPE                   COMMAND  NAME              DATA',
      `  1  ${AT}  execution_started`,
      `  2  ${AT}  log`,
      `  3  ${AT}  execution_failed`,
      '',
    ].join('\n'),
  )
})

it('fails at once where there is no such Execution, or no service', async () => {
  const refused = json(404, { error: { code: 'execution_not_found', message: 'There is none.' } })
  expect(await against(refused, ['history', 'exe_1', '--follow'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('There is none. (execution_not_found)'),
  })
})

it('goes on after a restart of the runtime, and ends at once on Ctrl-C', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'wes-follow-'))
  onTestFinished(() => rm(dataDir, { recursive: true }))
  const start = (port: number) =>
    createRuntime({ dataDir, port, projectFolder: dataDir, log: pino({ level: 'silent' }) })
  let runtime = await start(0)
  onTestFinished(() => runtime.stop())
  const client = createClient({ url: runtime.url })
  const artifact = await readFile(join(import.meta.dirname, '../examples/artifacts/approval.program.json'), 'utf8')
  await client.deployProgram(JSON.parse(artifact) as ProgramArtifact)

  const follow = async () => {
    const { id } = await client.start('approval', { requester: 'Ada', cents: 5 })
    const child = startWes(['history', id, '--follow', '--json'], { env: { SERVICE_RUNTIME_URL: runtime.url } })
    onTestFinished(() => void child.kill('SIGKILL'))
    const printed = { out: '', end: undefined as readonly [number | null, NodeJS.Signals | null] | undefined }
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (printed.out += text))
    child.once('close', (code, signal) => (printed.end = [code, signal]))
    await until(() => printed.out.includes('"wait_scheduled"'))
    return { id, child, printed }
  }

  const [first, second] = await Promise.all([follow(), follow()])
  second.child.kill('SIGINT')
  await until(() => second.printed.end !== undefined)
  expect(second.printed.end).toEqual([null, 'SIGINT'])

  await runtime.stop()
  runtime = await start(runtime.port)
  await client.sendEvent(first.id, 'approved', { by: 'Grace' })
  await until(() => first.printed.end !== undefined)
  expect(first.printed.end).toEqual([0, null])
  const lines = first.printed.out.trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line) as HistoryEntry)).toEqual((await client.getHistory(first.id)).items)
})
