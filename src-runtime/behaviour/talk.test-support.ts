// Calls a service over plain HTTP, without the client library.

import { Agent } from 'undici'
import { expect } from 'vitest'
import type { Execution, HistoryEntry, ResultView } from '#sdk/index.ts'
import { artifact, programOf } from './artifacts.test-support.ts'
import { expectAsInTheTable } from './as-in-the-table.test-support.ts'
import { sendRequest, type Called, type CallOptions } from './send-request.test-support.ts'
import type { Service } from './service.test-support.ts'

/** With the data of entries of all types. */
export type Entry = Omit<HistoryEntry, 'data'> & {
  readonly data?: { readonly wakeAt?: string; readonly level?: string; readonly message?: string }
}

export type Talk = {
  /** Sent with each call, in addition to the caller's headers. */
  readonly headers: Readonly<Record<string, string>>
  call(method: string, path: string, options?: CallOptions): Promise<Called>
  /** A GET that has to succeed. */
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Called['json']>
  /** The same service with other headers. */
  with(headers: Readonly<Record<string, string>>): Talk
  /** The same service in a new project. */
  inProject(): Promise<Talk & { readonly projectId: string }>
  /** The Program that does what its input says, changed by `rest`. */
  deploy(id: string, rest?: Readonly<Record<string, unknown>>): Promise<Called>
  /** Answers the Execution's id. */
  start(programId: string, input?: unknown): Promise<string>
  /** Deploys `async (ctx, input) => { body }` as its own Program and starts it. Returns the Execution's id. */
  begin(body: string, input?: unknown): Promise<string>
  send(id: string, name: string, payload?: unknown): Promise<Called>
  cancel(id: string): Promise<Called>
  execution(id: string): Promise<Execution>
  /** The result view, once the Execution has ended. */
  result(id: string): Promise<ResultView>
  /** `begin`, then `result`. */
  run(body: string, input?: unknown): Promise<ResultView & { readonly id: string }>
  history(id: string): Promise<readonly Entry[]>
  /** The Execution, once it waits for all these: names of events and effects, `timer`. */
  waitsFor(id: string, ...what: string[]): Promise<Execution>
}

const WAIT_LIMIT_MS = 60_000

export const until = async <Value>(look: () => Promise<Value | undefined>, limitMs = WAIT_LIMIT_MS): Promise<Value> => {
  const deadline = performance.now() + limitMs
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (performance.now() > deadline) throw new Error('it did not happen in time')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

let count = 0

/** A unique name, also for later runs against the same service. */
export const unique = (what: string): string => `${what}-${(count += 1)}-${Math.random().toString(36).slice(2, 8)}`

/** `service` is asked for each call, since a restart may change its address. */
export const talkTo = (
  service: () => Pick<Service, 'url' | 'headers'>,
  headers: Readonly<Record<string, string>> = {},
  agent = new Agent(),
): Talk => {
  const call: Talk['call'] = async (method, path, options = {}) => {
    const { url, headers: own } = service()
    const called = await sendRequest(agent, method, `${url}${path}`, {
      ...options,
      headers: { ...own, ...headers, ...options.headers },
    })
    expectAsInTheTable(method, path, called)
    return called
  }
  const get: Talk['get'] = async (path, more = {}) => {
    const { status, json, text } = await call('GET', path, { headers: more })
    if (status !== 200) throw new Error(`GET ${path} answered ${status}: ${text}`)
    return json
  }
  const deploy: Talk['deploy'] = (id, rest) => call('POST', '/v1/programs/deploy', { json: artifact(id, rest) })
  const start: Talk['start'] = async (programId, input) => {
    const { status, json, text } = await call('POST', '/v1/executions', { json: { programId, input } })
    if (status !== 201) throw new Error(`the start of ${programId} answered ${status}: ${text}`)
    return json.id as string
  }
  const begin: Talk['begin'] = async (body, input) => {
    const programId = unique('p')
    const deployed = await call('POST', '/v1/programs/deploy', { json: programOf(programId, body) })
    if (deployed.status !== 201) throw new Error(deployed.text)
    return start(programId, input)
  }
  const result: Talk['result'] = async (id) => {
    for (;;) {
      const view = (await get(`/v1/executions/${id}/result`, { prefer: 'wait=30' })) as ResultView
      if (isOver(view.status)) return view
    }
  }
  const execution: Talk['execution'] = async (id) => get(`/v1/executions/${id}`)
  return {
    headers,
    call,
    get,
    deploy,
    start,
    begin,
    result,
    execution,
    with: (more) => talkTo(service, { ...headers, ...more }, agent),
    inProject: async () => {
      const { status, json, text } = await call('POST', '/v1/projects', { json: { name: unique('project') } })
      if (status !== 201) throw new Error(`a project was not made: ${text}`)
      const projectId = json.id as string
      return { ...talkTo(service, { ...headers, 'x-service-project-id': projectId }, agent), projectId }
    },
    send: (id, name, payload) => call('POST', `/v1/executions/${id}/events`, { json: { name, payload } }),
    cancel: (id) => call('POST', `/v1/executions/${id}/cancel`),
    async run(body, input) {
      const id = await begin(body, input)
      return Object.assign(await result(id), { id })
    },
    async history(id) {
      const entries: Entry[] = []
      for (let cursor = ''; ;) {
        const page = await get(`/v1/executions/${id}/history?limit=200${cursor}`)
        entries.push(...(page.items as Entry[]))
        if (page.nextCursor === null) return entries
        cursor = `&cursor=${page.nextCursor}`
      }
    },
    waitsFor: (id, ...what) =>
      until(async () => {
        const seen = await execution(id)
        const open = seen.waitingFor.map((one) => (one.kind === 'timer' ? 'timer' : one.name))
        return open.toSorted().join() === what.toSorted().join() ? seen : undefined
      }),
  }
}

const isOver = (status: string): boolean => ['completed', 'failed', 'cancelled'].includes(status)

/** Status and code of a refusal. */
export const codeOf = ({ status, json }: Called): readonly [status: number, code: unknown] => [
  status,
  json?.error?.code,
]

export const expectRefused = (answer: Called, status: number, code: string): void =>
  expect(codeOf(answer)).toEqual([status, code])
