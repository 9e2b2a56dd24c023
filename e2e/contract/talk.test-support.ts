// Talks to a runtime process as any client could: HTTP, and nothing that the client library does for its callers.

import { request } from 'node:http'
import { connect } from 'node:net'
import type { Execution, HistoryEntry, ResultView } from '#sdk/index.ts'
import type { RuntimeProcess } from '../runtime-process.test-support.ts'

/** What an answer says, to be compared; ids are read from it. */
export type Body = { readonly [member: string]: unknown; readonly id: string }

export type Answer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly json: Body
}

/** With the data that entries of all types may have. */
export type Entry = Omit<HistoryEntry, 'data'> & {
  readonly data?: { readonly wakeAt?: string; readonly level?: string; readonly message?: string }
}

type Call = { readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }

export type Talk = {
  call(method: string, path: string, how?: Call): Promise<Answer>
  deploy(id: string, code: string, more?: object): Promise<Answer>
  /** Deploys `async (ctx, input) => { body }` as a Program of its own and starts it. Answers the Execution's id. */
  begin(body: string, input?: unknown): Promise<string>
  send(id: string, name: string, payload?: unknown): Promise<Answer>
  cancel(id: string): Promise<Answer>
  execution(id: string): Promise<Execution>
  /** The result view, once the Execution is over. */
  result(id: string): Promise<ResultView>
  /** `begin`, then `result`. */
  run(body: string, input?: unknown): Promise<ResultView & { readonly id: string }>
  history(id: string): Promise<readonly Entry[]>
  /** The Execution, once it waits for all these: names of events, `timer`. */
  waitsFor(id: string, ...what: string[]): Promise<Execution>
  /** Bytes in, bytes out, until the other side closes. */
  raw(text: string): Promise<string>
}

const WAIT_LIMIT_MS = 8_000
const RAW_LIMIT_MS = 5_000

export const until = async <Value>(look: () => Promise<Value | undefined>): Promise<Value> => {
  const deadline = Date.now() + WAIT_LIMIT_MS
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (Date.now() > deadline) throw new Error('it did not happen in time')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

let programs = 0

export const talkTo = (runtime: RuntimeProcess): Talk => {
  const call = (method: string, path: string, how: Call = {}) => send(runtime.url(), method, path, how)
  // Whoever asks knows what is there.
  const read = async <Shape>(path: string, headers = {}) =>
    (await call('GET', path, { headers })).json as unknown as Shape
  const deploy = (id: string, code: string, more: object = {}) =>
    call('POST', '/v1/programs/deploy', { body: { format: 'wes.program/1', id, program: { code }, ...more } })
  const begin = async (body: string, input?: unknown) => {
    const programId = `p${(programs += 1)}`
    const deployed = await deploy(programId, `({ run: async (ctx, input) => { ${body} } })`)
    if (deployed.status !== 201) throw new Error(JSON.stringify(deployed.json))
    return (await call('POST', '/v1/executions', { body: { programId, input } })).json.id
  }
  const result = (id: string) => read<ResultView>(`/v1/executions/${id}/result`, { prefer: 'wait=30' })
  const execution = (id: string) => read<Execution>(`/v1/executions/${id}`)
  return {
    call,
    deploy,
    begin,
    result,
    execution,
    send: (id, name, payload) => call('POST', `/v1/executions/${id}/events`, { body: { name, payload } }),
    cancel: (id) => call('POST', `/v1/executions/${id}/cancel`),
    async run(body, input) {
      const id = await begin(body, input)
      return Object.assign(await result(id), { id })
    },
    async history(id) {
      const entries: Entry[] = []
      for (let cursor = ''; ;) {
        const page = await read<{ items: Entry[]; nextCursor: string | null }>(
          `/v1/executions/${id}/history?limit=200${cursor}`,
        )
        entries.push(...page.items)
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
    raw: (text) => exchange(Number(new URL(runtime.url()).port), text),
  }
}

const send = (base: string, method: string, path: string, { body, headers }: Call): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { host, port } = new URL(base)
    const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body)
    const type = text === undefined ? {} : { 'content-type': 'application/json' }
    const asked = request(
      { host: '127.0.0.1', port, method, path, headers: { host, ...type, ...headers } },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const { statusCode = 0 } = response
          const said = Buffer.concat(chunks).toString()
          const isJson = response.headers['content-type']?.startsWith('application/json') === true && said !== ''
          resolve({ status: statusCode, headers: response.headers, json: (isJson ? JSON.parse(said) : said) as Body })
        })
      },
    )
    asked.on('error', reject)
    asked.end(text)
  })

const exchange = (port: number, text: string): Promise<string> =>
  new Promise((resolve) => {
    let said = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    const late = setTimeout(() => socket.destroy(), RAW_LIMIT_MS)
    socket.setEncoding('latin1').on('data', (chunk: string) => (said += chunk))
    socket.on('error', () => {})
    socket.on('close', () => {
      clearTimeout(late)
      resolve(said)
    })
  })
