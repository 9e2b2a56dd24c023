// The parts of the hosted service as processes of their own: two APIs, webhooks, and workers of two releases.

import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startPostgresForTests } from '#hosted/boot/postgres-rig.test-support.ts'
import { startTestRestate } from '#hosted/boot/restate.test-support.ts'
import type { RestateNode } from '#hosted/boot/restate-node.ts'
import { freePorts } from '#hosted/boot/free-ports.ts'
import { newSecretKeyText } from '#hosted/environment/secret-keys.ts'
import { openSession } from '#hosted/store/database.ts'
import { askWorker } from '#hosted/dispatch/worker-answers.ts'
import { migrateDatabase, SCHEMA_VERSION } from '#hosted/store/migrate.ts'
import { MIGRATIONS } from '#hosted/store/migrations.ts'
import { startCollector, type Collector } from '#hosted/tracing/collector.test-support.ts'
import { artifact, programOf } from '#runtime/behaviour/artifacts.test-support.ts'
import { followStream } from '#runtime/behaviour/event-stream.test-support.ts'
import { talkTo, unique, until, type Talk } from '#runtime/behaviour/talk.test-support.ts'
import { temporaryFolder } from '#runtime/shared/temporary-folder.test-support.ts'
import { wesHere } from '../../src-cli/wes-here.test-support.ts'
import { startWes, wes } from '../../src-cli/wes.test-support.ts'
import {
  migrate,
  startBalancer,
  startLink,
  startServe,
  urlAs,
  type Balancer,
  type Environment,
  type ServeProcess,
} from './role-process.test-support.ts'

let restate: RestateNode
let collector: Collector
let env: Environment
let databaseUrls: { readonly owner: string; readonly login: string }
const apis: { readonly url: string; readonly talk: Talk }[] = []
let hooksUrl: string
let workers: Balancer
const running: ServeProcess[] = []
const oldWorkers: ServeProcess[] = []
let oldPort: number
/** An API, the ingress, the other API. */
let watched: readonly ServeProcess[]
let headers: Readonly<Record<string, string>>

const startOf = (role: string): readonly string[] => [
  ...['--role', role, '--host', '127.0.0.1', '--metrics-port', '0'],
  ...(role === 'worker' ? ['--unsafe-effects'] : []),
]

const startRole = async (role: string, ...args: readonly string[]): Promise<ServeProcess> => {
  const started = await startServe([...startOf(role), ...args], env)
  running.push(started)
  return started
}

beforeAll(async () => {
  const [postgres, node, collecting] = await Promise.all([
    startPostgresForTests(),
    startTestRestate(),
    startCollector(),
  ])
  restate = node
  collector = collecting
  databaseUrls = { owner: postgres.ownerUrl, login: urlAs(postgres.ownerUrl, 'wes_server') }
  env = {
    WES_MIGRATION_URL: databaseUrls.owner,
    WES_DATABASE_URL: databaseUrls.login,
    WES_RESTATE_URL: node.ingressUrl,
    // Of a node that is away, and of one that is there.
    WES_RESTATE_ADMIN_URL: `http://127.0.0.1:9,${node.adminUrl}`,
    WES_SECRET_KEY: newSecretKeyText('k1'),
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-key=of-the-collector',
    OTEL_BSP_SCHEDULE_DELAY: '100',
  }
  // The database of the release before.
  await migrateDatabase({ ownerUrl: databaseUrls.owner, migrations: MIGRATIONS.slice(0, -1) })
  const migrated = await Promise.all([migrate(env), migrate(env)])
  const applying = `applying migration ${MIGRATIONS.length}\n`
  const waiting = 'waiting for another process, which is migrating this database\n'
  expect(
    migrated.map(({ code, out, err }) => [code, out, err.replace(waiting, '').replace(/^making .*\n/m, '')]).toSorted(),
  ).toEqual([
    [0, 'applied 1 migration\n', applying],
    [0, 'the database is up to date\n', ''],
  ])
  const { code, out } = await migrate(env, '--restored')
  const restored = 'the database was restored: dashboards will read everything again'
  expect([code, out]).toEqual([0, `the database is up to date\n${restored}\n`])
  const [first = 0, second = 0, hooks = 0] = await freePorts([0, 0, 0])
  hooksUrl = `http://localhost:${hooks}`
  const apiOn = (port: number) => startRole('api', '--port', String(port), '--hooks-url', hooksUrl, '--verbose')
  const api = await apiOn(first)
  const token = await until(async () => api.printed.get('token'))
  headers = { authorization: `Bearer ${token}` }
  watched = [
    api,
    ...(await Promise.all([startRole('ingress', '--hooks-port', `${hooks}`, '--verbose'), apiOn(second)])),
  ]
  const oldPorts = await freePorts([0, 0])
  for (const port of [first, second]) {
    const url = `http://localhost:${port}`
    apis.push({ url, talk: talkTo(() => ({ url, headers })) })
  }
  oldPort = oldPorts[1]!
  workers = await startBalancer(oldPorts)
  oldWorkers.push(...(await Promise.all(oldPorts.map((port) => startWorker(port, workers.port)))))
})

afterAll(async () => {
  await Promise.all(running.map((process) => process.end('SIGTERM')))
  await Promise.all([workers.close(), restate.stop(), collector.close()])
})

const at = (port: number, addressPort: number): readonly string[] => [
  ...['--worker-port', `${port}`, '--worker-url', `http://127.0.0.1:${addressPort}`],
]

const startWorker = (port: number, addressPort: number): Promise<ServeProcess> =>
  startRole('worker', ...at(port, addressPort))

/** Where Restate sends work to. */
const addresses = async (): Promise<readonly string[]> => {
  const answer = await fetch(`${restate.adminUrl}/deployments`)
  const { deployments } = (await answer.json()) as { readonly deployments: readonly { readonly uri: string }[] }
  return deployments.map(({ uri }) => new URL(uri).port)
}

describe('processes of the hosted service', () => {
  it('refuse a database that was not migrated, and say what to do', async () => {
    const session = await openSession(databaseUrls.owner, {})
    await session.run('CREATE DATABASE empty')
    await session.close()
    const WES_DATABASE_URL = urlAs(databaseUrls.owner, 'wes_server', 'empty')
    const { code, err } = await wes(['serve', '--role', 'ingress', '--hooks-port', '0'], {
      env: { ...env, WES_DATABASE_URL },
    })
    expect([code, err]).toEqual([
      1,
      expect.stringContaining(
        `the database has version 0 of its schema, and this release needs ${SCHEMA_VERSION}: run \`wes migrate\``,
      ),
    ])
  })

  it('say that they are there, if they perform effects', async () => {
    const session = await openSession(databaseUrls.owner, { search_path: 'wes' })
    onTestFinished(session.close)
    const names = (where: string) => session.run(`SELECT name FROM performers WHERE ${where}`)
    const again = await until(async () => {
      const heard = await names('heard_at > heard_since')
      return heard.length >= oldWorkers.length ? heard : undefined
    })
    expect(again).toHaveLength(oldWorkers.length)
    expect(await names('true')).toHaveLength(oldWorkers.length)
  })

  it.each([
    ['api', '--port'],
    ['ingress', '--hooks-port'],
    ['worker', '--worker-port'],
  ])(
    'end when their port is taken, and say before which workspaces of the limits file do not exist: %s',
    async (role, flag) => {
      const taken = createServer()
      await once(taken.listen(0, '127.0.0.1'), 'listening')
      onTestFinished(() => void taken.close())
      const { port } = taken.address() as AddressInfo
      const limits = join(temporaryFolder('wes-limits-'), 'limits.json')
      writeFileSync(limits, '{ "workspaces": { "wsp_nobody": { "retentionDays": 1 } } }')
      const { code, err } = await wes(['serve', ...startOf(role), flag, `${port}`, '--limits', limits], { env })
      expect([code, err]).toEqual([1, expect.stringMatching(/taken|EADDRINUSE/)])
      expect(err).toContain('"workspaces":["wsp_nobody"]')
    },
  )

  it.each<[string, (socket: Socket) => void]>([
    ['is away', (socket) => socket.destroy()],
    ['does not answer', () => {}],
  ])('stop while they wait for a Restate that %s', async (_what, onConnection) => {
    const node = createServer(onConnection)
    await once(node.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => void node.close())
    const url = `http://127.0.0.1:${(node.address() as AddressInfo).port}`
    const child = startWes(['serve', ...startOf('worker'), '--worker-port', '0'], {
      env: { ...env, WES_RESTATE_URL: url, WES_RESTATE_ADMIN_URL: url },
    })
    const ended = once(child, 'exit')
    await once(node, 'connection')
    const stoppedAt = performance.now()
    child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
    expect(performance.now() - stoppedAt).toBeLessThan(10_000)
  })

  it('go on working while the database is migrated again', async () => {
    const [one, other] = apis as [(typeof apis)[0], (typeof apis)[0]]
    const programId = await waiting(one.talk)
    const id = await one.talk.start(programId)
    const [migrated] = await Promise.all([migrate(env), other.talk.send(id, 'go', 1)])
    expect([migrated.code, migrated.out]).toEqual([0, 'the database is up to date\n'])
    expect(await other.talk.result(id)).toMatchObject({ status: 'completed', result: 1 })
  })

  it('show an Execution that was started at one API at the other, which waits for it and streams its changes', async () => {
    const [one, other] = apis as [(typeof apis)[0], (typeof apis)[0]]
    const stream = await followStream(`${other.url}/v1/changes`, headers)
    onTestFinished(() => stream.leave())
    const id = await one.talk.start(await waiting(one.talk))
    await one.talk.waitsFor(id, 'go')
    const held = other.talk.call('GET', `/v1/executions/${id}/result`, { headers: { prefer: 'wait=30' } })
    await one.talk.send(id, 'go', 'sent')
    expect((await held).json).toEqual({ status: 'completed', result: 'sent' })
    for (;;) {
      const change = JSON.parse((await stream.next())!.data!) as { executionId?: string; status?: string }
      if (change.executionId === id && change.status === 'completed') break
    }
  })

  it('refuse a token within 5 s after it was revoked at another API', async () => {
    const [one, other] = apis as [(typeof apis)[0], (typeof apis)[0]]
    const made = await one.talk.call('POST', '/v1/workspaces/current/tokens', { json: { name: 'short', role: 'read' } })
    const call = () => fetch(`${other.url}/v1/executions`, { headers: { authorization: `Bearer ${made.json.secret}` } })
    expect((await call()).status).toBe(200)
    expect((await one.talk.call('DELETE', `/v1/workspaces/current/tokens/${made.json.id}`)).status).toBe(204)
    await until(async () => ((await call()).status === 401 ? true : undefined), 5_000)
  })

  it('start an Execution for a webhook that is called at the ingress', async () => {
    const [{ talk }] = apis as [(typeof apis)[0]]
    await talk.call('POST', '/v1/programs/deploy', { json: programOf('hooked', 'return input') })
    const triggers = [{ programId: 'hooked', type: 'webhook' }]
    const { json } = await talk.call('PUT', '/v1/projects/default/triggers', { json: { triggers } })
    expect(json.items[0].url).toBe(`${hooksUrl}/${json.items[0].publicId}`)
    const called = await fetch(json.items[0].url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"order":7}',
    })
    expect(called.status).toBe(202)
    const { executionId } = (await called.json()) as { readonly executionId: string }
    expect(await talk.result(executionId)).toMatchObject({ status: 'completed', result: { order: 7 } })
  })

  it('forget a workspace that is removed while it works, also if its removal is killed, and go on with the others', async () => {
    const [one, other] = apis as [(typeof apis)[0], (typeof apis)[0]]
    const operate = (...args: readonly string[]) => wesHere(args, { env })
    const token = (await operate('tokens', 'create', '--workspace', 'Old', '--role', 'admin')).out.trim()
    const authorization = `Bearer ${token}`
    const talk = talkTo(() => ({ url: one.url, headers: { authorization } }))
    const neighbour = await one.talk.start(await waiting(one.talk))
    const timed = await one.talk.begin(`for (let n = 0; n < 30; n += 1) await ctx.sleep(200); return 'woke'`)

    const waits = await talk.start(await waiting(talk))
    await talk.begin('for (;;) await ctx.sleep(100)')
    await talk.begin('await ctx.sleep(3600000)')
    const busy = await withEffect(talk, '() => new Promise((resolve) => setTimeout(resolve, 120_000))')
    await withEffect(talk, '() => { throw new Error("again") }')
    await talk.run('throw new Error("no")')
    const echo = unique('echo')
    await talk.call('POST', '/v1/programs/deploy', { json: programOf(echo, 'return input') })
    const triggers = [
      { programId: echo, type: 'webhook' },
      { programId: echo, type: 'schedule', cron: '* * * * * *' },
    ]
    const { json } = await talk.call('PUT', '/v1/projects/default/triggers', { json: { triggers } })
    await talk.waitsFor(busy, 'work')
    const stream = await followStream(`${other.url}/v1/changes`, { authorization })
    onTestFinished(() => stream.leave())
    const held = talk.call('GET', `/v1/executions/${waits}/result`, { headers: { prefer: 'wait=60' } })

    const session = await openSession(databaseUrls.owner, { search_path: 'wes' })
    onTestFinished(session.close)
    const all = [...watched, ...oldWorkers]
    const before = all.map((process) => process.stderr().length)
    const removal = startWes(['workspaces', 'remove', 'Old', '--yes'], { env })
    const [{ key } = { key: 0 }] = await until(async () => {
      const found = await session.run<{ key: number }>('SELECT key FROM workspaces WHERE removed_at IS NOT NULL')
      return found.length > 0 ? found : undefined
    })
    removal.kill('SIGKILL')
    expect((await operate('workspaces', 'list')).out).toMatch(/^Old .* not all removed$/m)
    expect((await operate('tokens', 'create', '--workspace', 'Old')).err).toContain('(workspace_removed)')
    const hook = () => fetch(json.items[0].url, { method: 'POST' })
    expect((await hook()).status).toBe(404)
    for (const { url } of apis) {
      const call = () => fetch(`${url}/v1/programs`, { headers: { authorization } })
      await until(async () => ((await call()).status === 401 ? true : undefined), 10_000)
    }
    while ((await stream.nextBlock()) !== undefined);
    expect((await held).status).not.toBe(500)

    // All processes have forgotten it.
    await session.run('UPDATE workspaces SET removed_at = removed_at - 10000 WHERE key = $1', [key])
    const finished = await operate('workspaces', 'remove', 'Old', '--yes', '--json')
    expect([finished.code, JSON.parse(finished.out)]).toEqual([0, expect.objectContaining({ name: 'Old' })])
    expect((await operate('workspaces', 'list')).out).not.toMatch(/^Old /m)

    await one.talk.send(neighbour, 'go', 'sent')
    const results = await Promise.all([neighbour, timed].map((id) => other.talk.result(id)))
    expect(results).toMatchObject([{ result: 'sent' }, { result: 'woke' }])
    for (const table of ['executions', 'journal', 'pending', 'triggers', 'versions', 'bulks', 'status_counts']) {
      expect(await session.run(`SELECT FROM ${table} WHERE workspace = $1`, [key]), table).toEqual([])
    }
    const said = all.flatMap((process, index) => process.stderr().slice(before[index]).split('\n'))
    expect(said.filter((line) => /"level":"(warn|error|fatal)"/.test(line))).toEqual([])
  })

  it('take no work while they are cut from PostgreSQL', async () => {
    const link = await startLink(databaseUrls.login)
    onTestFinished(link.close)
    const [port = 0] = await freePorts([0])
    const started = await startServe([...startOf('worker'), ...at(port, workers.port)], {
      ...env,
      WES_DATABASE_URL: link.url,
    })
    running.push(started)
    const limits = { connectMs: 10_000, answerMs: 10_000 }
    const hears = (what: string) =>
      until(async () => (await askWorker(`http://127.0.0.1:${port}`, limits)) === what || undefined)
    await hears('answer')
    link.cut()
    await hears('nobody')
    link.mend()
    await hears('answer')
    expect(await started.end('SIGTERM')).toBe(0)
  })

  it('go on when one of two workers at one address is killed', async () => {
    const [{ talk }] = apis as [(typeof apis)[0]]
    const id = await talk.start(await waiting(talk))
    await oldWorkers.shift()!.end('SIGKILL')
    await talk.send(id, 'go', 'sent')
    expect(await talk.result(id)).toMatchObject({ status: 'completed', result: 'sent' })
    const effect = await withEffect(talk, 'async () => 5')
    expect(await talk.result(effect)).toMatchObject({ status: 'completed', result: 5 })
  })

  it('hand over to workers of a new release while Executions are parked and an effect runs', async () => {
    const [{ talk }] = apis as [(typeof apis)[0]]
    const parked = await Promise.all([1, 2, 3].map(async () => talk.start(await waiting(talk))))
    const timed = await talk.begin(`await ctx.sleep(3000); return 'woke'`)
    const busy = await withEffect(
      talk,
      `async (input, { log }) => {
      log.info('began')
      await new Promise((resolve) => setTimeout(resolve, 4000))
      return 'done'
    }`,
    )
    await until(async () => ((await talk.history(busy)).some(({ type }) => type === 'log') ? true : undefined))

    const [port = 0] = await freePorts([0])
    const fresh = await startWorker(port, port)
    expect((await addresses()).toSorted()).toEqual([`${workers.port}`, `${port}`].toSorted())
    expect(await talk.run('return 1')).toMatchObject({ status: 'completed' })
    await until(async () => ((await addresses()).join() === `${port}` ? true : undefined))
    expect(await talk.result(busy)).toMatchObject({ status: 'completed', result: 'done' })
    expect((await talk.history(busy)).filter(({ type }) => type === 'effect_attempt_failed')).toEqual([])

    const codes = await Promise.all(oldWorkers.map((worker) => worker.end('SIGTERM')))
    expect(codes).toEqual([0])
    await Promise.all(parked.map((id) => talk.send(id, 'go', 'after')))
    expect(await Promise.all(parked.map((id) => talk.result(id)))).toEqual(
      parked.map(() => expect.objectContaining({ status: 'completed', result: 'after' })),
    )
    expect(await talk.result(timed)).toMatchObject({ status: 'completed', result: 'woke' })
    expect(fresh.stderr()).toBe('')
  })

  it('get no new work when they are of the release before and start again after their address was removed', async () => {
    const [{ talk }] = apis as [(typeof apis)[0]]
    const known = await addresses()
    const old = await startServe([...startOf('worker'), ...at(oldPort, workers.port)], env)
    onTestFinished(() => void old.end('SIGKILL'))
    expect(old.stderr()).toContain('to go back to this release, start it at another address')
    expect(await talk.run('return 1')).toMatchObject({ status: 'completed' })
    expect(await addresses()).toEqual(known)
    expect(await old.end('SIGTERM')).toBe(0)
  })

  it('go on where they were when Restate has lost everything', async () => {
    const [{ talk }] = apis as [(typeof apis)[0]]
    const parked = await talk.start(await waiting(talk))
    const timed = await talk.begin(`await ctx.sleep(4000); return 'woke'`)
    await Promise.all([talk.waitsFor(parked, 'go'), talk.waitsFor(timed, 'timer')])
    const known = await addresses()
    await restate.stop()
    await talk.send(parked, 'go', 'while it was away')
    restate = await startTestRestate({ instead: restate })
    const results = await Promise.all([parked, timed].map((id) => talk.result(id)))
    expect(results.map(({ result }) => result)).toEqual(['while it was away', 'woke'])
    expect(await addresses()).toEqual(known)
  })

  it('tell Prometheus what they did, in a bounded number of series and without ids', async () => {
    const [api, ingress] = watched as [ServeProcess, ServeProcess]
    const of = async (process: ServeProcess): Promise<string> => {
      const answer = await fetch(await until(async () => process.printed.get('metrics')))
      expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
      return answer.text()
    }
    const [ofApi, ofIngress, ofWorker] = await Promise.all([api, ingress, running.at(-1)!].map(of))
    const value = (text: string | undefined, series: string): number => {
      const line = text?.split('\n').find((one) => one.startsWith(`${series} `))
      return Number(line?.slice(series.length))
    }
    expect(value(ofApi, 'wes_requests_total{operation="startExecution",status="201"}')).toBeGreaterThan(2)
    expect(value(ofApi, 'wes_request_seconds_count{operation="startExecution"}')).toBeGreaterThan(2)
    expect(value(ofApi, 'wes_executions_started_total')).toBeGreaterThan(2)
    expect(value(ofApi, 'wes_overdue_seconds')).toBeLessThan(10)
    expect(value(ofApi, 'wes_schedule_overdue_seconds')).toBeLessThan(10)
    expect(value(ofApi, 'wes_database_connections{pool="app",state="idle"}')).toBeGreaterThan(0)
    expect(value(ofApi, 'nodejs_eventloop_lag_p99_seconds')).toBeLessThan(1)
    expect(value(ofIngress, 'wes_hook_calls_total{status="202"}')).toBe(1)
    expect(value(ofWorker, 'wes_work_seconds_count{work="visit",end="done"}')).toBeGreaterThan(3)
    expect(value(ofWorker, 'wes_turns_total')).toBeGreaterThan(3)
    expect(value(ofWorker, 'wes_executions_ended_total{status="completed"}')).toBeGreaterThan(3)
    for (const text of [ofApi, ofIngress, ofWorker]) {
      expect(text).not.toMatch(/(?:exe|prj|wsp|tok|ver|trg|wes)_[0-9A-Za-z]{20}|waiting-1|hooked/)
      expect(text!.split('\n').length).toBeLessThan(1_000)
    }
  })

  it('trace what they do from the request of a caller to the effects that follow, across processes', async () => {
    const [{ talk }] = apis as [(typeof apis)[0]]
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
    const programId = await deployEffect(talk, `async (input) => input`)
    const { json } = await talk.call('POST', '/v1/executions', {
      json: { programId, input: 'a private input' },
      headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` },
    })
    expect(await talk.result(json.id)).toMatchObject({ status: 'completed', result: 'a private input' })
    const ofTrace = () => collector.spans.filter((span) => span.traceId === traceId)
    const find = (name: string) => until(async () => ofTrace().find((span) => span.name === name))

    const request = await find('POST /v1/executions')
    expect(request.parentSpanId).toBe('00f067aa0ba902b7')
    expect(request.attributes).toMatchObject({ 'wes.operation': 'startExecution', 'http.response.status_code': 201 })
    expect(request.resource).toMatchObject({ 'service.name': 'wes', 'wes.role': 'api' })
    const started = await find('start execution')
    expect(started).toMatchObject({ parentSpanId: request.spanId, attributes: { 'wes.execution.id': json.id } })
    const visit = await find('visit')
    expect(visit).toMatchObject({
      parentSpanId: request.spanId,
      attributes: { 'wes.execution.id': json.id, 'wes.visit.reason': 'start' },
      resource: { 'wes.role': 'worker' },
    })
    expect((await find('effect attempt')).attributes).toMatchObject({
      'wes.execution.id': json.id,
      'wes.effect.name': 'work',
      'wes.effect.attempt': 1,
      'wes.outcome': 'completed',
    })
    await until(async () =>
      ofTrace().some(({ name, resource }) => name === 'commit' && resource['wes.role'] === 'worker') ? true : undefined,
    )
    expect((await find('turns')).attributes).toMatchObject({ 'wes.execution.id': json.id, 'wes.outcome': 'ran' })
    // A span is sent when it ends, so a parent may come after its children.
    const orphans = () => {
      const ids = new Set(['00f067aa0ba902b7', ...ofTrace().map(({ spanId }) => spanId)])
      return ofTrace().filter(({ parentSpanId }) => !ids.has(parentSpanId ?? ''))
    }
    await expect.poll(orphans).toEqual([])
  })

  it('trace webhooks and schedules as traces of their own, and tell a collector no secrets', async () => {
    const [{ talk }] = apis as [(typeof apis)[0]]
    const list = '/v1/projects/default/triggers'
    const { items } = (await talk.call('GET', list)).json as { readonly items: readonly Hook[] }
    const hooks = items.map(({ id, programId, type }) => ({ id, programId, type }))
    const put = (triggers: readonly object[]) => talk.call('PUT', list, { json: { triggers } })
    expect((await put([...hooks, { programId: 'hooked', type: 'schedule', cron: '* * * * * *' }])).status).toBe(200)
    const named = (name: string) => collector.spans.filter((span) => span.name === name)
    // Schedules of a workspace that was removed were fired before.
    const fired = await until(async () => {
      const starts = named('start execution').map(({ parentSpanId }) => parentSpanId)
      return named('fire schedule').find(({ spanId }) => starts.includes(spanId))
    })
    expect(fired).toMatchObject({ parentSpanId: undefined, resource: { 'wes.role': 'worker' } })
    await put(hooks)
    const call = await until(async () => named('POST /:publicId')[0])
    expect(call.attributes).toMatchObject({ 'wes.operation': 'callWebhook', 'http.response.status_code': 202 })
    expect(named('start execution').map(({ parentSpanId }) => parentSpanId)).toContain(call.spanId)

    expect([...collector.keys]).toEqual(['of-the-collector'])
    const token = headers['authorization']!.slice('Bearer '.length)
    for (const secret of [
      token,
      items[0]!.publicId,
      'a private input',
      'of-tests',
      'of-the-collector',
      env['WES_SECRET_KEY']!,
    ]) {
      expect(collector.text()).not.toContain(secret)
    }
  })

  it('log what they answered, with the name that the caller gave the request, and without secrets', async () => {
    const [api, ingress, second] = watched as [ServeProcess, ServeProcess, ServeProcess]
    const [{ talk }] = apis as [(typeof apis)[0]]
    await talk.call('GET', '/v1/executions', { headers: { 'x-request-id': 'of-a-caller:1' } })
    await talk.call('GET', '/v1/executions', { headers: { 'x-request-id': '"; drop' } })
    const lines = () =>
      [api, second].flatMap(({ stderr }) => stderr().split('\n').slice(0, -1)).map((line) => JSON.parse(line) as Line)
    await until(async () => lines().find(({ requestId }) => requestId === 'of-a-caller:1'))
    const refused = ({ operation, requestId }: Line) => operation === 'listExecutions' && requestId !== 'of-a-caller:1'
    expect(await until(async () => lines().find(refused))).toEqual({
      level: 'info',
      time: expect.stringMatching(/^2.*Z$/),
      requestId: expect.stringMatching(/^[0-9a-f]{8}-\d+$/),
      operation: 'listExecutions',
      status: 200,
      ms: expect.any(Number),
      msg: 'answered',
    })
    expect(ingress.stderr()).toContain('"operation":"callWebhook"')
    const everything = running.map(({ stderr }) => stderr()).join()
    const { json } = await talk.call('GET', '/v1/projects/default/triggers')
    expect(everything).not.toContain(json.items[0].publicId)
    expect(everything).not.toContain(headers['authorization']!.slice('Bearer '.length))
    expect(everything).not.toContain('of-tests')
    expect(everything).not.toContain('drop')
  })
})

type Hook = { readonly id: string; readonly programId: string; readonly type: string; readonly publicId: string }

type Line = { readonly operation?: string; readonly requestId?: string }

let programs = 0

/** Deploys a Program that waits for `go` and returns its payload. */
const waiting = async (talk: Talk): Promise<string> => {
  const programId = `waiting-${(programs += 1)}`
  const code = programOf(programId, `return await ctx.waitForEvent('go')`)
  const { status, text } = await talk.call('POST', '/v1/programs/deploy', { json: code })
  if (status !== 201) throw new Error(text)
  return programId
}

/** Starts a Program that calls this effect. */
const withEffect = async (talk: Talk, effect: string): Promise<string> => talk.start(await deployEffect(talk, effect))

const deployEffect = async (talk: Talk, effect: string): Promise<string> => {
  const programId = `effect-${(programs += 1)}`
  const code = artifact(programId, {
    program: { code: `({ run: (ctx, input) => ctx.effect('work', input) })` },
    manifest: { effects: [{ name: 'work' }] },
    effects: { code: `export const work = ${effect}` },
  })
  const { status, text } = await talk.call('POST', '/v1/programs/deploy', { json: code })
  if (status !== 201) throw new Error(text)
  return programId
}
