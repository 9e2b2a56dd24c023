// Our runtime, started with `wes dev`, as a peer. Uses its public HTTP API.

import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { callerOf, type Call } from './http.ts'
import type { BenchProcess, Json, Peer, PeerApi, ProgramKind } from './peer.ts'
import { killProcesses, startProcess } from './processes.ts'
import { until } from './waiting.ts'

const ROOT = join(import.meta.dirname, '..')
export const COMMAND_LINE = join(ROOT, 'src-cli/wes.mjs')
const OBSERVER = join(import.meta.dirname, 'observe-event-loop.ts')

/** The contract's limit of one wait; longer waits are repeated. */
const WAIT = { prefer: 'wait=60' }
/** As the client's `run` sends it with the start. */
const WAIT_FOR_RUN = { prefer: 'wait=5' }

/** The variant of W1 that starts an Execution with one request and reads its result with another. */
export const IN_TWO_REQUESTS = 'in two requests'

const PROGRAMS: Readonly<Record<ProgramKind, string>> = {
  noop: '({ run: async (ctx, input) => input })',
  ten: `({ run: async (ctx) => {
    let sum = 0
    for (let i = 0; i < 10; i++) { await ctx.sleep(0); sum += i }
    return { sum }
  } })`,
  event: `({ run: async (ctx) => ctx.waitForEvent('ev') })`,
}

export type WesOptions = {
  readonly port: number
  /** Whether to start it with the module that reports its event-loop delay. */
  readonly observed?: boolean
}

export const createWesPeer = ({ port, observed = false }: WesOptions): Peer => {
  const call = callerOf(originOf(port))
  let started = noneStarted()
  const boot: Peer['boot'] = async (dir, { fresh }) => {
    const running = startWes(dir, port, observed ? OBSERVER : undefined)
    if (!fresh) return { procs: [running], urls: {} }
    started = noneStarted()
    try {
      await until(async () => (await call('GET', '/healthz')) !== null, { what: 'healthz' })
      await deployAll(call)
    } catch (error) {
      await killProcesses([running])
      throw error
    }
    return { procs: [running], urls: {} }
  }
  return {
    name: 'wes',
    what: 'wes dev in a process of its own, client over HTTP; the caller’s id is the Idempotency-Key',
    ports: [port],
    versions: () => ({ wes: versionOf() }),
    boot,
    api: () => apiOf(call, started),
  }
}

/** Execution ids by the caller's ids. Survives restarts of the runtime. */
export type Started = { readonly executions: Map<string, string>; events: number; newestEvent: string | null }

export const noneStarted = (): Started => ({ executions: new Map(), events: 0, newestEvent: null })

export const originOf = (port: number): string => `http://127.0.0.1:${port}`

/** `preload`: a module that the runtime's process loads first. */
export const startWes = (dir: string, port: number, preload?: string): BenchProcess => {
  const folder = join(dir, 'project')
  mkdirSync(folder, { recursive: true })
  const args = [COMMAND_LINE, 'dev', '--port', String(port), '--data-dir', join(dir, 'data')]
  return preload === undefined
    ? startProcess(args, { cwd: folder })
    : startProcess(['--import', preload, ...args], { cwd: folder, ipc: true })
}

export const versionOf = (): string => {
  const description: unknown = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  return String((description as { version: unknown }).version)
}

export const deployAll = async (call: Call): Promise<void> => {
  for (const [id, code] of Object.entries(PROGRAMS)) {
    await call('POST', '/v1/programs/deploy', { format: 'wes.program/1', id, program: { code } })
  }
}

type View = { readonly status: string; readonly result: Json }

export const apiOf = (call: Call, started: Started): PeerApi => {
  const start = async (
    kind: ProgramKind,
    input: Json,
    headers: Readonly<Record<string, string>>,
  ): Promise<View & { readonly id: string }> =>
    (await call('POST', '/v1/executions', { programId: kind, input }, headers)) as View & { readonly id: string }
  const result = async (executionId: string, known?: View): Promise<Json> => {
    for (let view = known; ;) {
      if (view?.status === 'completed') return view.result
      if (view?.status === 'failed' || view?.status === 'cancelled') throw new Error(JSON.stringify(view))
      view = (await call('GET', `/v1/executions/${executionId}/result`, undefined, WAIT)) as View
    }
  }
  const run = async (kind: ProgramKind, input: Json, headers: Readonly<Record<string, string>>): Promise<Json> => {
    const execution = await start(kind, input, { ...WAIT_FOR_RUN, ...headers })
    return result(execution.id, execution)
  }
  const executionOf = (id: string): string => {
    const executionId = started.executions.get(id)
    if (executionId === undefined) throw new Error(`${id} was never started`)
    return executionId
  }
  return {
    run: async (kind, id, input) => run(kind, input, keyOf(id)),
    start: async (kind, id, input) => {
      started.executions.set(id, (await start(kind, input, keyOf(id))).id)
      if (kind !== 'event') return
      started.events++
      started.newestEvent = id
    },
    result: async (_kind, id) => result(executionOf(id)),
    event: async (id, payload) => call('POST', `/v1/executions/${executionOf(id)}/events`, { name: 'ev', payload }),
    parked: async () => {
      const { events, newestEvent } = started
      if (newestEvent === null) return { count: 0, last: null }
      // An Execution that is neither queued nor running has reached its wait.
      const unparked = await call('GET', '/v1/executions?programId=event&status=queued&status=running&limit=200')
      const { items } = unparked as { items: readonly unknown[] }
      const path = `/v1/executions/${executionOf(newestEvent)}/result`
      const newest = (await call('GET', path)) as { status: string }
      return { count: events - items.length, last: newest.status === 'waiting' ? newestEvent : null }
    },
    extra: {
      [IN_TWO_REQUESTS]: async (id, input) => result((await start('noop', input, keyOf(id))).id),
      'without Idempotency-Key': async (_id, input) => run('noop', input, {}),
    },
  }
}

const keyOf = (id: string) => ({ 'idempotency-key': id })

/** The exact number, from all pages. */
export const countWaiting = async (call: Call): Promise<number> => {
  let count = 0
  let cursor: string | null = null
  do {
    const page: unknown = await call(
      'GET',
      `/v1/executions?status=waiting&limit=200${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
    )
    const { items, nextCursor } = page as { items: readonly unknown[]; nextCursor: string | null }
    count += items.length
    cursor = nextCursor
  } while (cursor !== null)
  return count
}
