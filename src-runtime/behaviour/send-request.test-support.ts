// Sends a request in a test, and reads the whole answer.

import { request, type Dispatcher } from 'undici'

export type CallOptions = {
  readonly json?: unknown
  /** A body as it is sent. */
  readonly body?: string | Buffer
  /** One with several values comes several times. */
  readonly headers?: Readonly<Record<string, string | string[]>>
}

export type Called = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  // Tests read answers freely, and assert what matters.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly json: any
}

export const sendRequest = async (
  dispatcher: Dispatcher,
  method: string,
  url: string,
  { json, body, headers }: CallOptions = {},
): Promise<Called> => {
  const answer = await request(url, {
    method: method as 'GET',
    dispatcher,
    headers: { ...(json !== undefined && { 'content-type': 'application/json' }), ...headers },
    body: json === undefined ? (body ?? null) : JSON.stringify(json),
  })
  const text = await answer.body.text()
  return { status: answer.statusCode, headers: answer.headers as Called['headers'], text, json: parsed(text) }
}

/** `undefined`: it is no JSON. */
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
