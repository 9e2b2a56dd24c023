// Asks a service for a short JSON answer, which must be there as a whole in time.

import { createDeadline, type Exchange } from './exchange.ts'
import { ConnectionProblem } from './problems.ts'
import { noAnswer, type Target, tooSlow } from './service-problems.ts'

/** `json`: undefined if it is none, or too long. Throws a ConnectionProblem, unless the signal is aborted. */
export type AskJson = (
  target: Target,
  token: string | undefined,
  path: string,
  limits: { readonly limitBytes: number; readonly signal?: AbortSignal },
) => Promise<{ readonly answer: Response; readonly json: unknown }>

export const createAskJson =
  (exchange: Exchange, limitMs: number): AskJson =>
  async (target, token, path, { limitBytes, signal }) => {
    const late = createDeadline(limitMs)
    const either = AbortSignal.any([late.signal, ...(signal === undefined ? [] : [signal])])
    try {
      const headers = new Headers({ accept: 'application/json' })
      const answer = await exchange(target, token, { method: 'GET', path, headers, body: null, signal: either })
      return { answer, json: await readJson(answer, limitBytes) }
    } catch (error) {
      if (error instanceof ConnectionProblem || signal?.aborted === true) throw error
      throw late.signal.aborted ? tooSlow(target) : noAnswer(target, error)
    } finally {
      late.end()
    }
  }

/** Undefined if it is no JSON, or too long. */
export const readJson = async ({ body }: Pick<Response, 'body'>, limitBytes: number): Promise<unknown> => {
  const parts: Uint8Array[] = []
  let bytes = 0
  // Without a body there are no parts.
  for await (const part of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += part.byteLength
    if (bytes > limitBytes) return undefined
    parts.push(part)
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8')) as unknown
  } catch {
    return undefined
  }
}
