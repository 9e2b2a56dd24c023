// The HTTP client of the workloads: one keep-alive pool per origin.

import { Pool } from 'undici'

const pools = new Map<string, Pool>()

const poolFor = (origin: string): Pool => {
  let pool = pools.get(origin)
  if (pool === undefined) {
    pool = new Pool(origin, { connections: 1_100, pipelining: 1, headersTimeout: 180_000, bodyTimeout: 180_000 })
    pools.set(origin, pool)
  }
  return pool
}

export type Call = (
  method: 'GET' | 'POST',
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<unknown>

/** Calls one service, with headers of its own. A call rejects unless the status is a success. */
export const callerOf =
  (origin: string, own: Readonly<Record<string, string>> = {}): Call =>
  async (method, path, body, headers) => {
    const answer = await poolFor(origin).request({
      method,
      path,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...own, ...headers },
      body: body === undefined ? null : JSON.stringify(body),
    })
    const text = await answer.body.text()
    if (answer.statusCode >= 300) throw new Error(`${method} ${path} -> ${answer.statusCode} ${text.slice(0, 300)}`)
    const value: unknown = text === '' ? null : JSON.parse(text)
    return value
  }

export const dropPools = async (): Promise<void> => {
  const dropped = [...pools.values()]
  pools.clear()
  await Promise.allSettled(dropped.map(async (pool) => pool.destroy()))
}
