// Executions of the hosted service as they really run: PostgreSQL, Restate, Program hosts. Only effects are functions of
// the test.

import { once } from 'node:events'
import pino, { type Logger } from 'pino'
import { afterAll, beforeAll, vi } from 'vitest'
import type { EffectCall, EffectOutcome } from '../../src-runtime/effects/effect-performer.ts'
import { manifestOptions } from '../../src-runtime/operations/manifest-options.ts'
import type { OutcomeRecord } from '../../src-runtime/ports/executions.ts'
import { isTerminal, type JournalEntry } from '../../src-runtime/engine/journal.ts'
import { createProgramHosts } from '../../src-runtime/sandbox/create-program-hosts.ts'
import type { ProgramHosts } from '../../src-runtime/sandbox/program-hosts.ts'
import { systemClock } from '../../src-runtime/shared/clock.ts'
import type { Worker } from '../../src-runtime/ports/worker.ts'
import { startTestRestate } from '../boot/restate.test-support.ts'
import type { RestateNode } from '../boot/restate-node.ts'
import type { Dispatcher, Work } from '../dispatch/dispatcher.ts'
import { createRestateDeployments } from '../dispatch/restate-deployments.ts'
import { createRestateDispatcher } from '../dispatch/restate-dispatcher.ts'
import { startRestateEndpoint, type RestateEndpoint } from '../dispatch/restate-endpoint.ts'
import { hostedRig, type Deployed, type HostedRig } from '../store/hosted-store-rig.test-support.ts'
import type { EngineStore } from '../store/store.ts'
import { createHostedWork, type HostedWork } from './create-hosted-work.ts'
import { createHostedWorker } from './hosted-worker.ts'
import { createStartPlaces } from './start-places.ts'
import { createVersionCache } from './version-cache.ts'

export type EffectFunction = (input: unknown, call: EffectCall) => unknown

export type WorkerRig = {
  readonly work: HostedWork
  readonly endpoint: RestateEndpoint
  readonly hosts: ProgramHosts
  readonly stop: () => Promise<void>
}

export type VisitsRig = {
  readonly hosted: HostedRig
  readonly restate: RestateNode
  readonly dispatcher: Dispatcher
  /** Effects of all Programs, by name. */
  readonly effects: Record<string, EffectFunction>
  /** Attempts wait for it before they begin. */
  places: Promise<void>
  /** Starts a worker, and lets new work go to it. `wrap` changes what it does. */
  startWorker(options?: WorkerOptions): Promise<WorkerRig>
  newProject(options?: {
    readonly runsAhead?: WorkerRig
    /** Asks for visits; Restate unless given. */
    readonly visitors?: Pick<Dispatcher, 'poke'>
  }): Promise<ProjectRig>
}

export type WorkerOptions = {
  readonly name?: string
  readonly cancelGraceMs?: number
  readonly hasVisits?: boolean
  readonly isAlone?: boolean
  readonly deadAfterMs?: number
  readonly mostAwaited?: number
  readonly wrap?: (work: Work) => Work
  readonly wrapHosts?: (hosts: ProgramHosts) => ProgramHosts
  readonly wrapEngine?: (engine: EngineStore) => EngineStore
  readonly log?: Logger
}

export type ProjectRig = {
  readonly worker: Worker
  /** Deploys the code, starts it, and answers the Execution's key and id, and its status when the start was stored. */
  start(
    code: string,
    input?: unknown,
    /** Deployed once; a new Program each time unless given. */
    programId?: string,
  ): Promise<{ readonly key: number; readonly id: string; readonly status: string }>
  send(key: number, name: string, payload?: unknown): Promise<unknown>
  outcome(key: number): Promise<OutcomeRecord>
  /** Waits until it has ended, and answers its status, result and error. */
  end(key: number): Promise<{ readonly status: string; readonly result?: unknown; readonly error?: object }>
  history(key: number): Promise<readonly JournalEntry[]>
  /** Waits until this is awaited: kinds and names, such as `event a, timer`. */
  untilWaiting(key: number, what: string): Promise<unknown>
}

const silent = pino({ level: process.env['WES_TEST_LOG'] ?? 'silent' })

/** Call it at the top of a test file. */
export const visitsRig = (
  /** Settings of Restate beside the usual ones, or instead of them. */
  restateSettings: Readonly<Record<string, string>> = {},
): VisitsRig => {
  const hosted = hostedRig()
  const effects: Record<string, EffectFunction> = {}
  let places = Promise.resolve()
  const stops: (() => Promise<void>)[] = []
  const startPlaces = createStartPlaces(systemClock.monotonic)
  let restate: RestateNode | undefined
  beforeAll(async () => {
    restate = await startTestRestate({ settings: restateSettings })
  })
  afterAll(async () => {
    await Promise.all(stops.map((stop) => stop()))
    await restate?.stop()
  })

  const perform = async (call: EffectCall): Promise<EffectOutcome> => {
    try {
      await Promise.race([places, once(call.signal, 'abort')])
      if (call.signal.aborted) throw new Error('aborted')
      await call.noteUnderWay?.(true)
      const data = call.readData === undefined ? (call.data as string) : await call.readData()
      const { input } = JSON.parse(data) as { input?: unknown }
      call.onBegin?.()
      const result = await effects[call.name]!(input, call)
      return { kind: 'completed', data: JSON.stringify({ result }) }
    } catch (error) {
      const { name, message } = error as Error
      return {
        kind: 'failed',
        error: { code: 'effect_failed', name, message },
        retryable: name !== 'NonRetryableError',
      }
    }
  }

  const startWorker = async (options: WorkerOptions = {}): Promise<WorkerRig> => {
    const { log = silent } = options
    const versions = createVersionCache(hosted.store.engine, manifestOptions)
    const made = createProgramHosts({ loadProgram: versions.loadProgram, log })
    const hosts = options.wrapHosts?.(made) ?? made
    const work = createHostedWork({
      store: { ...hosted.store, engine: options.wrapEngine?.(hosted.store.engine) ?? hosted.store.engine },
      dispatcher: createRestateDispatcher([restate!.ingressUrl]),
      ...{ versions, hosts },
      effects: { perform },
      clock: systemClock,
      log,
      name: options.name ?? `worker-${stops.length}`,
      cancelGraceMs: options.cancelGraceMs ?? 30_000,
      turnsAtOnce: () => 32,
      hasVisits: options.hasVisits ?? false,
      ...(options.isAlone !== undefined && { isAlone: options.isAlone }),
      ...(options.deadAfterMs !== undefined && { deadAfterMs: options.deadAfterMs }),
      ...(options.mostAwaited !== undefined && { mostAwaited: options.mostAwaited }),
      onCommitted: () => {},
    })
    const wrapped = options.wrap?.(work.work) ?? work.work
    const endpoint = await startRestateEndpoint({
      host: '127.0.0.1',
      port: 0,
      work: wrapped,
      identityKeys: [],
      log,
    })
    const url = `http://127.0.0.1:${endpoint.port}${endpoint.path}`
    await createRestateDeployments([restate!.adminUrl]).register(url)
    const stop = async (): Promise<void> => {
      await work.drain(0)
      await endpoint.stop(0)
      await hosts.stop()
    }
    stops.push(stop)
    return { work, endpoint, hosts, stop }
  }

  const newProject: VisitsRig['newProject'] = async ({ runsAhead, visitors } = {}) => {
    const { workspaceId, store, deploy, newExecution } = await hosted.newWorkspace()
    const loadsWoken = runsAhead?.work.runAhead.keepWoken !== undefined
    const accept = hosted.store.acceptFor(workspaceId, { loadsWoken })
    const worker = createHostedWorker({
      workspaceId,
      accept,
      startPlaces,
      dispatcher: visitors ?? createRestateDispatcher([restate!.ingressUrl]),
      ...(runsAhead !== undefined && { runAhead: runsAhead.work.runAhead }),
      now: hosted.store.now,
      log: silent,
      onCommitted: () => {},
    })
    const versions = new Map<string, Deployed>()
    let programs = 0
    let events = 0
    const outcome = async (key: number): Promise<OutcomeRecord> => (await store.executions.outcome(key))!
    const hasEnded = async (key: number): Promise<OutcomeRecord | undefined> => {
      const record = await outcome(key)
      return isTerminal(record.status) ? record : undefined
    }
    const waitingFor = async (key: number): Promise<string> => {
      const whole = await store.executions.whole(key)
      const open = (whole?.waitingFor ?? []).map((one) => ('name' in one ? `${one.kind} ${one.name}` : one.kind))
      return open.join(', ')
    }
    return {
      worker,
      start: async (code, input, programId = `program-${(programs += 1)}`) => {
        const version = versions.get(programId) ?? (await deploy(programId, { code }))
        versions.set(programId, version)
        const data = input === undefined ? '{}' : JSON.stringify({ input })
        const started = await worker.startExecution(newExecution(version, { data }))
        if (started.kind !== 'started') throw new Error(`the start was ${started.kind}`)
        const { key, id, status } = started.head
        return { key, id, status }
      },
      send: (key, name, payload) => {
        const id = `evt_${(events += 1)}`
        return worker.sendEvent(key, { id, name, ...(payload !== undefined && { payload: JSON.stringify(payload) }) })
      },
      outcome,
      end: async (key) => {
        const ended = await vi.waitUntil(() => hasEnded(key), { interval: 10 })
        const { result } = JSON.parse(ended.result) as { result?: unknown }
        const { status, error } = ended
        return { status, ...(result !== undefined && { result }), ...(error && { error }) }
      },
      history: async (key) => (await store.journal.page(key, 0, 1_000)).items,
      untilWaiting: (key, what) => vi.waitUntil(async () => (await waitingFor(key)) === what, { interval: 10 }),
    }
  }

  return {
    hosted,
    get restate() {
      return restate!
    },
    get dispatcher() {
      return createRestateDispatcher([restate!.ingressUrl])
    },
    effects,
    get places() {
      return places
    },
    set places(free) {
      places = free
    },
    startWorker,
    newProject,
  }
}
