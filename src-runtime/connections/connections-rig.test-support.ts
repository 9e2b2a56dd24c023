// A handler with connections in a folder of its own, and everything that it logged.

import { mkdtempSync, rmSync } from 'node:fs'
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSendRequest } from '../shared/send-request.ts'
import { connectionsFile } from './connections-file.ts'
import { createConnections } from './connections.ts'
import { createConnectionsHandler } from './create-connections-handler.ts'
import { createMemoryKeeper, type TokenKeeper } from './token-keeper.ts'

export type Answered = {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The error's, if it is one. */
  readonly code: string | undefined
  readonly message: string
}

export type ConnectionsRig = ReturnType<typeof createConnectionsRig>

export const createConnectionsRig = (
  options: { readonly keeper?: TokenKeeper; readonly headLimitMs?: number; readonly idleMs?: number } = {},
) => {
  const folder = mkdtempSync(join(tmpdir(), 'wes-connections-'))
  const file = join(folder, 'connections.json')
  const unexpected: unknown[] = []
  const damages: string[] = []
  const keeper = options.keeper ?? createMemoryKeeper()
  const open = () =>
    createConnections(
      connectionsFile(file, (fault) => void damages.push(fault)),
      keeper,
    )
  const connections = open()
  const agents = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) }
  const handle = createConnectionsHandler({
    connections,
    send: createSendRequest({ ...agents, ...(options.idleMs !== undefined && { idleMs: options.idleMs }) }),
    version: '0.1.0',
    now: () => performance.now(),
    onUnexpected: (error) => void unexpected.push(error),
    ...(options.headLimitMs !== undefined && { headLimitMs: options.headLimitMs }),
  })

  const request = (method: string, path: string, init: RequestInit & { readonly duplex?: 'half' } = {}) =>
    handle(new Request(`http://localhost${path}`, { method, ...init }))

  const call = async (method: string, path: string, json?: unknown): Promise<Answered> => {
    const body =
      json === undefined ? {} : { body: JSON.stringify(json), headers: { 'content-type': 'application/json' } }
    return answered(await request(method, path, body))
  }

  return {
    file,
    folder,
    connections,
    handle,
    keeper,
    /** As the next process would. */
    open,
    request,
    call,
    unexpected,
    damages,
    add: async (
      name: string,
      address: string,
      token = 'wes_the-token',
      rest: Readonly<Record<string, unknown>> = {},
    ) => {
      const wanted = { name, address, colour: 'blue', isProduction: false, token, keep: 'run', ...rest }
      return call('POST', '/local/connections', wanted)
    },
    dispose: () => {
      agents.http.destroy()
      agents.https.destroy()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export const answered = async (answer: Response): Promise<Answered> => {
  const text = await answer.text()
  const { code, message = '' } = errorIn(text)
  return { status: answer.status, headers: answer.headers, text, code, message }
}

const errorIn = (text: string): { readonly code?: string; readonly message?: string } => {
  try {
    return (JSON.parse(text) as { readonly error?: { readonly code: string; readonly message: string } }).error ?? {}
  } catch {
    return {}
  }
}
