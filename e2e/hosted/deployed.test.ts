// The containers of deploy/kubernetes as processes: their commands, their environment, their probes, their stop; and then
// docs/operating.md's change of WES_SECRET_KEY, step by step. Only addresses are this machine's.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freePorts } from '#hosted/boot/free-ports.ts'
import { startPostgresForTests } from '#hosted/boot/postgres-rig.test-support.ts'
import type { RestateNode } from '#hosted/boot/restate-node.ts'
import { startTestRestate } from '#hosted/boot/restate.test-support.ts'
import { newSecretKeyText } from '#hosted/environment/secret-keys.ts'
import { openSession, type Session } from '#hosted/store/database.ts'
import { artifact } from '#runtime/behaviour/artifacts.test-support.ts'
import { talkTo, until, type Talk } from '#runtime/behaviour/talk.test-support.ts'
import { wes } from '../../src-cli/wes.test-support.ts'
import { DEPLOY, readObjects, readYaml, type Free } from './deploy-files.test-support.ts'
import { makeIdentity } from './restate-identity.test-support.ts'
import { startServe, urlAs, type Environment, type ServeProcess } from './role-process.test-support.ts'

const ROLES = ['worker', 'api', 'ingress'] as const
type Role = (typeof ROLES)[number]

const objects = readObjects()
const podOf = (kind: string, name: string): Free =>
  objects.find((object) => object.kind === kind && object.metadata.name.startsWith(name)).spec.template.spec

/** What Secrets, ConfigMaps and names of Services stand for here. */
let values: Environment
let ports: Readonly<Record<Role | `${Role} metrics`, number>>
let restate: RestateNode
let folder: string
let identity: string
let sql: Session
let talk: Talk
const running = new Map<Role, ServeProcess>()

/** As the kubelet does it: `$(NAME)` in arguments is a variable of the container. */
const containerOf = (pod: Free, keys?: string) => {
  const { args, env } = pod.containers[0] as { args: readonly string[]; env: readonly { readonly name: string }[] }
  const given = env.map(({ name }) => [name, name === 'WES_SECRET_KEY' && keys !== undefined ? keys : values[name]!])
  const filled = args.map((arg) => arg.replace(/\$\((\w+)\)/g, (_, name: string) => values[name]!))
  return { args: filled, env: Object.fromEntries(given) as Environment }
}

/** The last of two equal flags counts. */
const flagsHere = (role: Role): readonly string[] => {
  const port = String(ports[role])
  const own = {
    api: ['--port', port],
    ingress: ['--hooks-port', port],
    worker: ['--worker-port', port, '--worker-url', `http://127.0.0.1:${port}`, '--unsafe-effects'],
  }
  return [...own[role], '--host', '127.0.0.1', '--metrics-port', String(ports[`${role} metrics`])]
}

const start = async (role: Role, keys?: string): Promise<void> => {
  const { args, env } = containerOf(podOf('Deployment', role), keys)
  const [serve, ...flags] = args
  expect(serve).toBe('serve')
  running.set(role, await startServe([...flags, ...flagsHere(role)], env, folder))
}

const probe = async (role: Role, kind: 'startup' | 'readiness' | 'liveness'): Promise<number> => {
  const { path, port } = podOf('Deployment', role).containers[0][`${kind}Probe`].httpGet
  expect(port).toBe('metrics')
  return (await fetch(`http://127.0.0.1:${ports[`${role} metrics`]}${path}`)).status
}

/** Below those that systems give to connections, so that none takes it while its process starts again. */
const portForRestarts = (): number => 12_000 + Math.floor(Math.random() * 18_000)

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'wes-deployed-'))
  identity = mkdtempSync(join(tmpdir(), 'wes-identity-'))
  const { publicKey, privateKeyFile } = makeIdentity(identity)
  const [postgres, node] = await Promise.all([
    startPostgresForTests(),
    startTestRestate({ settings: { RESTATE_REQUEST_IDENTITY_PRIVATE_KEY_PEM_FILE: privateKeyFile } }),
  ])
  restate = node
  sql = await openSession(postgres.ownerUrl, { search_path: 'wes' })
  const [worker = 0, api = 0, ingress = 0, workerMetrics = 0, apiMetrics = 0, ingressMetrics = 0] = await freePorts(
    Array.from({ length: 6 }, portForRestarts),
  )
  ports = {
    ...{ worker, api, ingress },
    ...{ 'worker metrics': workerMetrics, 'api metrics': apiMetrics, 'ingress metrics': ingressMetrics },
  }
  values = {
    WES_MIGRATION_URL: postgres.ownerUrl,
    WES_DATABASE_URL: urlAs(postgres.ownerUrl, 'wes_server'),
    WES_RESTATE_URL: node.ingressUrl,
    WES_RESTATE_ADMIN_URL: node.adminUrl,
    WES_SECRET_KEY: K1,
    RESTATE_PUBLIC_KEY: publicKey,
  }
})

afterAll(async () => {
  await Promise.all([...running.values()].map((process) => process.end('SIGTERM')))
  await restate.stop()
  await sql.close()
  for (const one of [folder, identity]) rmSync(one, { recursive: true, force: true })
})

const [K1, K2] = [newSecretKeyText('k1'), newSecretKeyText('k2')] as const
let hook: { readonly publicId: string; readonly secret: string }

const callHook = async (n: number): Promise<string> => {
  const [id, body] = [`msg_${n}`, JSON.stringify({ n })]
  const signedAt = new Date()
  const signature = new Webhook(hook.secret).sign(id, signedAt, body)
  const answer = await fetch(`http://localhost:${ports.ingress}/${hook.publicId}`, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(signedAt.getTime() / 1_000)),
      'webhook-signature': signature,
    },
  })
  expect(answer.status).toBe(202)
  return ((await answer.json()) as { executionId: string }).executionId
}

let calls = 0
/** The API seals a value, the worker opens it for an effect, and the ingress opens the signing secret. */
const expectSecretsWork = async (): Promise<void> => {
  const value = `value ${(calls += 1)}`
  const changed = await talk.call('PUT', '/v1/projects/default/environment', { json: { set: { KEY: value } } })
  expect(changed.status).toBe(200)
  await until(async () => {
    const { status, result } = await talk.result(await callHook((calls += 1)))
    expect(status).toBe('completed')
    return result === value ? true : undefined
  })
}

it('migrate, start with their own commands and environment, and answer their probes', async () => {
  const job = containerOf(podOf('Job', 'migrate'))
  expect(await wes(job.args, { env: job.env })).toMatchObject({
    code: 0,
    err: expect.stringMatching(/^applying migrations 1 to \d+\n(making the .*\n)*$/),
  })
  for (const role of ROLES) await start(role)
  for (const role of ROLES) {
    expect([role, await probe(role, 'startup'), await probe(role, 'readiness')]).toEqual([role, 200, 200])
    expect([role, await probe(role, 'liveness')]).toEqual([role, 200])
  }
  const token = running.get('api')!.printed.get('token')
  talk = talkTo(() => ({ url: `http://localhost:${ports.api}`, headers: { authorization: `Bearer ${token}` } }))
  const program = artifact('hooked', {
    program: { code: `({ run: (ctx) => ctx.effect('key') })` },
    manifest: { effects: [{ name: 'key' }] },
    effects: { code: 'export const key = () => process.env.KEY ?? null' },
  })
  expect((await talk.call('POST', '/v1/programs/deploy', { json: program })).status).toBe(201)
  const { json } = await talk.call('PUT', '/v1/projects/default/triggers', {
    json: [{ programId: 'hooked', type: 'webhook', secret: 'generate' }],
  })
  hook = json.items[0]
  expect(json.items[0].url).toBe(`https://hooks.wes.example.com/${hook.publicId}`)
  await expectSecretsWork()
  // Their file systems cannot be written to.
  expect(readdirSync(folder)).toEqual([])
})

it('are healthy for compose, too', async () => {
  const { services } = readYaml(join(DEPLOY, 'compose.yaml'))
  const [, command, ...args] = services.api.healthcheck.test as readonly string[]
  expect(command).toBe('node')
  const check = async (port: number): Promise<number> => {
    const here = args.map((arg) => arg.replace('127.0.0.1:9464', `127.0.0.1:${port}`))
    expect(here).not.toEqual(args)
    const child = spawn(process.execPath, here)
    const [code] = (await once(child, 'exit')) as [number]
    return code
  }
  expect(await check(ports['api metrics'])).toBe(0)
  expect(await check(9)).toBe(1)
})

/** Waits for the end of each, as a rolling restart does. */
const restart = async (role: Role, keys: string): Promise<void> => {
  const { terminationGracePeriodSeconds, containers } = podOf('Deployment', role)
  const leftMs = 1_000 * (terminationGracePeriodSeconds - containers[0].lifecycle.preStop.sleep.seconds)
  const begun = performance.now()
  expect([role, await running.get(role)!.end('SIGTERM')]).toEqual([role, 0])
  expect(performance.now() - begun).toBeLessThan(leftMs)
  await start(role, keys)
}

it('change WES_SECRET_KEY as docs/operating.md says, and open all secrets at every moment', async () => {
  const sealedWith = async (): Promise<readonly string[]> => {
    const rows = await sql.run<{ id: string }>(
      `SELECT split_part(sealed, ':', 1) AS id FROM environment UNION SELECT split_part(secret, ':', 1) FROM triggers`,
    )
    return rows.map(({ id }) => id).toSorted()
  }
  expect(await sealedWith()).toEqual(['k1'])

  // 1: every process can open what k2 seals.
  for (const role of ROLES) await restart(role, `${K1},${K2}`)
  // 2: every process seals with k2, one after the other.
  await restart('api', `${K2},${K1}`)
  await expectSecretsWork()
  expect(await sealedWith()).toEqual(['k1', 'k2'])
  await restart('ingress', `${K2},${K1}`)
  await restart('worker', `${K2},${K1}`)

  // 3: nothing is sealed with k1 any more.
  const rotate = () => wes(['env', 'rotate'], { env: containerOf(podOf('Deployment', 'api'), `${K2},${K1}`).env })
  expect((await rotate()).out).toContain('sealed 1 secret anew')
  expect((await rotate()).out).toContain('sealed 0 secrets anew')
  expect(await sealedWith()).toEqual(['k2'])

  // 4: k1 is gone.
  for (const role of ROLES) await restart(role, K2)
  await expectSecretsWork()
  for (const process of running.values()) expect(process.stderr()).toBe('')
})
