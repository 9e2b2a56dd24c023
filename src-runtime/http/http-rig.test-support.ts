// A runtime's HTTP server on real loopback sockets, with the real store and worker. The input of an Execution says what
// its Program does.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { Agent } from 'undici'
import { expect } from 'vitest'
import { systemClock } from '../shared/clock.ts'
import { expectAsInTheTable } from '../behaviour/as-in-the-table.test-support.ts'
import { sendRequest, type Called, type CallOptions } from '../behaviour/send-request.test-support.ts'
import { createChangesFeed } from '../operations/create-changes-feed.ts'
import type { Identity } from '../operations/get-health.ts'
import { openLocalPorts } from '../operations/local-ports.ts'
import { noEffects } from '../effects/effect-performer.ts'
import type { Command, Delivery, TurnOutput } from '../engine/turn.ts'
import { createIds } from '../shared/ids.ts'
import type { ProgramCheck, ProgramSource } from '../sandbox/program-hosts.ts'
import { openStore } from '../store/open-store.ts'
import type { Store } from '../store/store.ts'
import { createWorker } from '../worker/create-worker.ts'
import { createScriptedHosts, type ScriptedProgram } from '../worker/scripted-hosts.test-support.ts'
import { noNotes } from '../worker/worker-rig.test-support.ts'
import type { Worker } from '../ports/worker.ts'
import type { LocalPorts } from '../ports/local-ports.ts'
import type { Principal } from '../ports/principal.ts'
import { createAccess } from './access.ts'
import { addConnectionsRoutes } from './connections-routes.ts'
import type { Authenticate } from './authenticate.ts'
import { createHttpApp } from './create-http-app.ts'
import type { RequestRoom } from './request-room.ts'
import { createGuard } from './guard.ts'
import { listenOnLoopback } from './listen-on-loopback.ts'
import { createLocalHandlers } from './local-handlers.ts'
import { createOwnerProof } from './owner-proof.ts'
import { addSessionRoutes } from './session-routes.ts'

export const SOURCE_WARNING = {
  path: 'programs/hello.ts',
  line: 2,
  column: 3,
  message: 'programs/hello.ts:2:3 ctx.sleep is called without await',
  frame: '> 2 |   ctx.sleep(1)',
}
export const SECRET = 'a-secret-of-the-test'
export const INSTANCE_ID = 'instance-of-the-test'

/** What an Execution does, as its input: `{ "do": "wait", "for": "go" }` waits for an event and returns its payload. */
type Script =
  | { readonly do: 'return'; readonly value?: unknown }
  | { readonly do: 'fail'; readonly message: string }
  | { readonly do: 'wait'; readonly for: string; readonly timeoutMs?: number }
  | { readonly do: 'sleep'; readonly ms: number }

const suspended = (command: Command): TurnOutput => ({ operations: [command], outcome: { kind: 'suspended' } })
const completed = (value: unknown): TurnOutput => ({
  operations: [],
  outcome: { kind: 'completed', data: JSON.stringify({ result: value }) },
})

const begin = (script: Script | undefined, at: number): TurnOutput => {
  switch (script?.do) {
    case 'fail':
      return {
        operations: [],
        outcome: { kind: 'failed', error: { code: 'program_error', name: 'Error', message: script.message } },
      }
    case 'wait': {
      const dueAt = script.timeoutMs === undefined ? undefined : at + script.timeoutMs
      const data = JSON.stringify({ timeoutAt: dueAt === undefined ? undefined : new Date(dueAt).toISOString() })
      return suspended({ kind: 'wait', command: 1, name: script.for, ...(dueAt !== undefined && { dueAt }), data })
    }
    case 'sleep': {
      const dueAt = at + script.ms
      return suspended({ kind: 'timer', command: 1, dueAt, data: `{"wakeAt":"${new Date(dueAt).toISOString()}"}` })
    }
    default:
      return completed(script?.do === 'return' ? script.value : script)
  }
}

const scripted: ScriptedProgram = (delivery: Delivery): TurnOutput => {
  switch (delivery.kind) {
    case 'start':
      return begin((JSON.parse(delivery.data) as { input?: Script }).input, delivery.at)
    case 'event':
      return completed((JSON.parse(delivery.data) as { payload?: unknown }).payload)
    case 'cancel':
      return { operations: [], outcome: { kind: 'completed', data: '{}' } }
    default:
      return completed(delivery.kind)
  }
}

const check = ({ code }: ProgramSource): Promise<ProgramCheck> =>
  Promise.resolve(code.includes('run') ? { ok: true } : { ok: false, message: 'program has no `run`' })

export type HttpRig = Awaited<ReturnType<typeof createHttpRig>>

export const createHttpRig = async (
  options: {
    readonly store?: (real: Store) => Store
    readonly worker?: (real: Worker) => Worker
    readonly ports?: (real: LocalPorts) => LocalPorts
    /** Instead of the one that `token` asks for. */
    readonly authenticate?: Authenticate<Principal>
    readonly whenRevoked?: (who: Principal, listener: () => void) => () => void
    readonly askAgainMs?: number
    readonly room?: RequestRoom<Principal>
    readonly changesCapacity?: number
    readonly token?: string
    readonly now?: () => number
    /** Answers `/local/connections` and `/hosted`; without it, there are no such routes. */
    readonly connections?: (request: Request) => Promise<Response>
  } = {},
) => {
  const dir = mkdtempSync(join(tmpdir(), 'wes-http-'))
  const log = pino({ level: 'silent' })
  const { now } = systemClock
  const changes = createChangesFeed({
    epoch: 'epoch',
    ...(options.changesCapacity !== undefined && { capacity: options.changesCapacity }),
  })
  const real = await openStore({
    file: join(dir, 'wes.db'),
    now,
    onCommitted: (committed) => changes.publish(committed),
  })
  const store = options.store?.(real) ?? real
  const hosts = { ...createScriptedHosts(() => scripted).newProcess(), check }
  const running = createWorker({
    store,
    hosts,
    effects: noEffects,
    clock: systemClock,
    log,
    underWay: noNotes,
    runsEffects: true,
    cancelGraceMs: 1_000,
  })
  running.start()
  const access = createAccess(options.token, options.now ?? now, options.connections !== undefined)
  const { ports, close: onStopping } = openLocalPorts({
    store,
    worker: options.worker?.(running) ?? running,
    hosts,
    ids: createIds(now),
    now,
    feed: changes,
    sourceRead: () => Promise.resolve(false),
    onBulkError: (error) => expect.fail(String(error)),
    inspect: {
      dataDir: dir,
      source: () => ({
        folder: dir,
        watching: false,
        isMissing: false,
        isReading: false,
        project: 'Default',
        programs: [{ id: 'hello', path: 'programs/hello.ts' }],
        errors: [],
        warnings: [SOURCE_WARNING],
      }),
      programHosts: () => [{ role: 'shared', pid: process.pid, isReady: true, underWay: 1 }],
      effectHosts: () => [],
      rssBytes: () => 1024,
      eventLoopDelayP99Ms: () => Promise.resolve(1.5),
    },
  })
  const port = () => listening.port
  const identity: Identity = {
    home: 'local',
    instanceId: INSTANCE_ID,
    secret: SECRET,
    version: '0.0.0-test',
    startedAt: now(),
    port,
  }
  const app = createHttpApp({
    home: 'local',
    handlers: createLocalHandlers(identity),
    authenticate: options.authenticate ?? access.authenticate,
    portsOf: () => options.ports?.(ports) ?? ports,
    guard: createGuard(port),
    ...(options.whenRevoked !== undefined && { whenRevoked: options.whenRevoked }),
    ...(options.askAgainMs !== undefined && { askAgainMs: options.askAgainMs }),
    ...(options.room !== undefined && { room: options.room }),
    addRoutes: (added) => {
      addSessionRoutes(added, access, createOwnerProof(identity), () => `http://127.0.0.1:${identity.port()}/`)
      const handle = options.connections
      if (handle !== undefined) addConnectionsRoutes(added, { access, handle, log })
    },
    onStopping,
    log,
  })
  const listening = await listenOnLoopback(app, 0, log)
  const agent = new Agent({ pipelining: 1 })
  const origin = `http://127.0.0.1:${listening.port}`

  const call = async (method: string, path: string, options: CallOptions = {}): Promise<Called> => {
    const called = await sendRequest(agent, method, `${origin}${path}`, options)
    // The routes of the dashboard's connections are no part of the API.
    if (!/^\/(?:local\/connections|hosted)(?:\/|$)/.test(path)) expectAsInTheTable(method, path, called)
    return called
  }

  return {
    app,
    access,
    store,
    changes,
    log,
    listening,
    port: listening.port,
    origin,
    agent,
    call,
    deploy: (id: string, rest: Readonly<Record<string, unknown>> = {}, headers: Record<string, string> = {}) =>
      call('POST', '/v1/programs/deploy', { json: artifact(id, rest), headers }),
    start: async (programId: string, input?: unknown) =>
      (await call('POST', '/v1/executions', { json: { programId, input } })).json.id as string,
    close: async () => {
      await listening.stop()
      await agent.close()
      await running.stop()
      await store.close()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

export const artifact = (id: string, rest: Readonly<Record<string, unknown>> = {}) => ({
  format: 'wes.program/1',
  id,
  program: { code: '({ run: async (ctx, input) => input })' },
  ...rest,
})
