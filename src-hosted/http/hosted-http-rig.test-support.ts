// The hosted API and the ingress on real sockets, on a real PostgreSQL. Nothing runs Executions: they stay queued.

import { pino } from 'pino'
import { Agent } from 'undici'
import { afterAll, beforeAll } from 'vitest'
import { sendRequest, type Called, type CallOptions } from '../../src-runtime/behaviour/send-request.test-support.ts'
import type { Role } from '../../src-runtime/contract/operation-spec.ts'
import { listenOnLoopback } from '../../src-runtime/http/listen-on-loopback.ts'
import { systemClock } from '../../src-runtime/shared/clock.ts'
import { createIds } from '../../src-runtime/shared/ids.ts'
import { freePorts } from '../boot/free-ports.ts'
import { newSecretKeyText, readSecretKeys } from '../environment/secret-keys.ts'
import { createArrivingBodies } from '../limits/arriving-bodies.ts'
import { createIngress } from '../ingress/create-ingress.ts'
import { limitsWith, type LimitsOf } from '../limits/limits.ts'
import { createTokenBuckets } from '../limits/token-buckets.ts'
import { noMetrics } from '../metrics/metrics.ts'
import { createApi } from '../roles/create-api.ts'
import { createWorkspacePorts, type WorkspacePortsOf } from '../roles/workspace-ports.ts'
import { hostedRig, type HostedRig } from '../store/hosted-store-rig.test-support.ts'
import { issueToken } from '../tokens/issue-token.ts'
import { createStartPlaces } from '../visits/start-places.ts'

/** Of a call that takes longer to arrive, the ingress reads its webhook again. */
export const READ_AGAIN_MS = 5

export const ALLOWED_ORIGIN = 'https://app.example.com'

export type Tenant = {
  readonly workspaceId: string
  readonly projectId: string
  readonly secrets: Readonly<Record<Role, string>>
  readonly tokenIds: Readonly<Record<Role, string>>
  /** With the admin token, unless another one is given. */
  call(method: string, path: string, options?: CallOptions & { readonly as?: Role }): Promise<Called>
  deploy(programId: string, rest?: Readonly<Record<string, unknown>>): Promise<Called>
  /** The id of a new Execution. */
  start(programId: string, input?: unknown): Promise<string>
}

export type HostedHttpRig = {
  readonly hosted: HostedRig
  readonly origin: string
  readonly hooksOrigin: string
  readonly secretKeys: string
  readonly logged: string[]
  call(method: string, path: string, options?: CallOptions): Promise<Called>
  hook(publicId: string, options?: CallOptions & { readonly method?: string }): Promise<Called>
  newTenant(name?: string): Promise<Tenant>
  readonly portsOf: WorkspacePortsOf
}

/** Call it at the top of a test file. */
export const hostedHttpRig = (limits: Parameters<typeof limitsWith>[0] = {}): HostedHttpRig => {
  const hosted = hostedRig()
  let rig: HostedHttpRig | undefined
  let close = async (): Promise<void> => {}
  beforeAll(async () => {
    const opened = await open(hosted, limitsWith(limits))
    rig = opened.rig
    close = opened.close
  })
  afterAll(() => close())
  return new Proxy({} as HostedHttpRig, { get: (_, member: keyof HostedHttpRig) => rig![member] })
}

const open = async (hosted: HostedRig, limits: LimitsOf) => {
  const { store } = hosted
  const { now } = store
  const ids = createIds(now)
  const logged: string[] = []
  const log = pino({ level: 'trace' }, { write: (line) => void logged.push(line) })
  const secretKeys = newSecretKeyText('tests')
  const secrets = readSecretKeys(secretKeys)
  const [port = 0, hooksPort = 0] = await freePorts([0, 0])
  const urls = { api: `http://localhost:${port}`, hooks: `http://localhost:${hooksPort}` }
  const stops: (() => Promise<void> | void)[] = []

  const portsOfWorkspace = createWorkspacePorts(
    { store, limits, ids, log, onCommitted: () => {}, onStop: (stop) => stops.push(stop) },
    {
      hosts: { check: () => Promise.resolve({ ok: true }) },
      visitors: { poke: () => Promise.resolve() },
      startPlaces: createStartPlaces(systemClock.monotonic),
      changesOf: () => ({
        whenTerminal: () => () => {},
        stream: () => (sink) => {
          sink.write('retry: 1000\n\n')
          return () => {}
        },
      }),
    },
  )
  const portsOf: WorkspacePortsOf = (owner) => ({
    ...portsOfWorkspace(owner),
    // On a busy machine, an answer would be reused for longer than a test waits.
    reuse: (_question, compute) => compute(),
  })

  const app = createApi(
    { store, secrets, limits, log, metrics: noMetrics, tracing: undefined, onStop: (stop) => stops.push(stop) },
    {
      api: { host: 'localhost', port, allowOrigins: [ALLOWED_ORIGIN], trustProxy: true },
      hooksUrl: urls.hooks,
      portsOf,
    },
  )
  const ingress = createIngress({
    triggers: store.schedules,
    portsOf,
    secrets,
    limits,
    now: store.now,
    buckets: createTokenBuckets(systemClock.monotonic),
    bodies: createArrivingBodies(),
    readAgainMs: READ_AGAIN_MS,
    log,
  })
  const listening = await listenOnLoopback(app, port, log)
  const hooksListening = await listenOnLoopback(ingress, hooksPort, log)
  const agent = new Agent()

  const call: HostedHttpRig['call'] = (method, path, options) =>
    sendRequest(agent, method, `${urls.api}${path}`, options)

  const newTenant: HostedHttpRig['newTenant'] = async (name = `shop ${ids('wsp')}`) => {
    const deps = { workspaces: store.workspaces, tenant: (id: string) => store.forWorkspace(id).tenant, ids }
    const issue = (role: Role) => issueToken(deps, { workspace: name, name: `${role} of ${name}`, role })
    const [read, write, admin] = [await issue('read'), await issue('write'), await issue('admin')]
    const asked: Tenant['call'] = (method, path, { as = 'admin', headers, ...options } = {}) =>
      call(method, path, {
        ...options,
        headers: { authorization: `Bearer ${{ read, write, admin }[as].secret}`, ...headers },
      })
    return {
      workspaceId: admin.workspace.id,
      projectId: admin.workspace.defaultProjectId,
      secrets: { read: read.secret, write: write.secret, admin: admin.secret },
      tokenIds: { read: read.token.id, write: write.token.id, admin: admin.token.id },
      call: asked,
      deploy: (programId, rest = {}) =>
        asked('POST', '/v1/programs/deploy', {
          json: {
            format: 'wes.program/1',
            id: programId,
            program: { code: '({ run: (ctx, input) => input })' },
            ...rest,
          },
        }),
      start: async (programId, input) =>
        (await asked('POST', '/v1/executions', { json: { programId, input } })).json.id as string,
    }
  }

  const rig: HostedHttpRig = {
    hosted,
    origin: urls.api,
    hooksOrigin: urls.hooks,
    secretKeys,
    logged,
    call,
    hook: (publicId, { method = 'POST', ...options } = {}) =>
      sendRequest(agent, method, `${urls.hooks}/${publicId}`, options),
    newTenant,
    portsOf,
  }
  const close = async () => {
    await Promise.all([listening.stop(), hooksListening.stop(), ...stops.map((stop) => stop())])
    await agent.close()
  }
  return { rig, close }
}
