// Asks Restate's admin API, on whichever node answers.

import type { Static, TSchema } from 'typebox'
import { Check } from 'typebox/schema'

export type RestateAdmin = {
  /** Rejects with a `RefusedByRestate`, and when no node answers. */
  call(method: string, path: string, body?: object): Promise<unknown>
  /** The same, for an answer of this shape. */
  read<Schema extends TSchema>(schema: Schema, method: string, path: string, body?: object): Promise<Static<Schema>>
  /** For each node, whether it does what is asked, or refuses it, within `limitMs`. Each rejects as `call` does. */
  askEach(method: string, path: string, body: object, limitMs: number): readonly Promise<unknown>[]
  /** Rejects what is asked and has no answer yet. */
  stop(): void
}

export class RefusedByRestate extends Error {
  override readonly name = 'RefusedByRestate'
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

const ANSWER_WITHIN_MS = 10_000

/** `urls`: of each node; one that does not answer is passed over, and the one that answered last is asked first. */
export const createRestateAdmin = (urls: readonly string[]): RestateAdmin => {
  /** Which of them answered last. */
  let best = 0
  const stopping = new AbortController()
  const withinMs = (ms: number): AbortSignal => AbortSignal.any([stopping.signal, AbortSignal.timeout(ms)])

  const askAny = async (method: string, path: string, body?: object): Promise<Response> => {
    const first = best
    let failure: unknown
    for (const offset of urls.keys()) {
      const next = (first + offset) % urls.length
      try {
        const answer = await ask(urls[next]!, method, path, body, withinMs(ANSWER_WITHIN_MS))
        best = next
        return answer
      } catch (error) {
        stopping.signal.throwIfAborted()
        failure = error
      }
    }
    throw failure
  }

  const call: RestateAdmin['call'] = async (method, path, body) => {
    const answer = await askAny(method, path, body)
    if (!answer.ok) throw await refusal(answer, method, path)
    const text = await answer.text()
    return text === '' ? undefined : (JSON.parse(text) as unknown)
  }

  return {
    call,
    read: async (schema, method, path, body) => {
      const answer = await call(method, path, body)
      if (Check(schema, answer)) return answer
      throw new Error(`Restate's answer to ${method} ${path} has another shape than expected`)
    },
    askEach: (method, path, body, limitMs) => urls.map((url) => ask(url, method, path, body, withinMs(limitMs))),
    stop: () => stopping.abort(),
  }
}

const ask = async (
  url: string,
  method: string,
  path: string,
  body: object | undefined,
  signal: AbortSignal,
): Promise<Response> => {
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { accept: 'application/json', ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal,
  })
  if (answer.status >= 500) throw await refusal(answer, method, path)
  return answer
}

const refusal = async (answer: Response, method: string, path: string): Promise<RefusedByRestate> => {
  const text = (await answer.text()).slice(0, 500)
  return new RefusedByRestate(answer.status, `Restate answered ${answer.status} to ${method} ${path}: ${text}`)
}
