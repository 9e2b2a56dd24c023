// Sends messages to Restate's ingress. Nobody waits for their outcome.

import type { Dispatcher, Why } from './dispatcher.ts'
import { effectKey } from './effect-key.ts'

const ANSWER_WITHIN_MS = 10_000

/** `urls`: the ingress of each node; a node that does not answer is passed over. */
export const createRestateDispatcher = (urls: readonly string[]): Dispatcher => {
  let turn = 0

  const post = async (url: string, body: object): Promise<void> => {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${text.slice(0, 200)}`)
  }

  const send = async (path: string, body: object, delayMs: number): Promise<void> => {
    const query = delayMs > 0 ? `?delay=${Math.ceil(delayMs)}ms` : ''
    let failure: unknown
    for (const _ of urls) {
      const url = urls[turn++ % urls.length]!
      try {
        return await post(`${url}/${path}/send${query}`, body)
      } catch (error) {
        failure = error
      }
    }
    throw failure
  }

  return {
    poke: (executionId, why: Why, delayMs = 0) => send(`Execution/${executionId}/deliver`, { why }, delayMs),
    perform: ({ executionId, command, attempt }, delayMs) =>
      send(`Effect/${effectKey(executionId, command)}/perform`, { attempt }, delayMs),
    fireAt: (triggerId, at, delayMs) => send(`Schedule/${triggerId}/fire`, { at }, delayMs),
  }
}
