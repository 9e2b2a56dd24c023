// A session of a page with a real `wes dev`, from a link of `wes link`.

import { wes } from '../src-cli/wes.test-support.ts'
import type { FetchFunction } from '../src-sdk/web-platform.ts'
import type { RuntimeProcess } from './runtime-process.test-support.ts'

export type Session = {
  readonly key: string
  /** Sends the key with every request. */
  readonly fetch: FetchFunction
  call(method: string, path: string, json?: unknown): Promise<{ readonly status: number; readonly text: string }>
}

export const openSession = async (runtime: Pick<RuntimeProcess, 'url' | 'dataDir'>): Promise<Session> => {
  const url = runtime.url()
  const printed = await wes(['link', '--data-dir', runtime.dataDir])
  const code = new URL(printed.out.trim()).hash.replace('#code=', '')
  const answer = await fetch(`${url}/local/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ code }),
  })
  const { key } = (await answer.json()) as { readonly key: string }
  const withKey: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers)
    headers.set('x-wes-session', key)
    return fetch(input, { ...init, headers })
  }
  return {
    key,
    fetch: withKey,
    call: async (method, path, json) => {
      const body =
        json === undefined ? {} : { body: JSON.stringify(json), headers: { 'content-type': 'application/json' } }
      const called = await withKey(`${url}${path}`, { method, ...body })
      return { status: called.status, text: await called.text() }
    },
  }
}
