// Sends messages to Restate's ingress. Nobody waits for their outcome.

import type { Dispatcher, Why } from './dispatcher.ts'
import { effectKey } from './effect-key.ts'
import { TRACE_HEADER } from './trace-header.ts'

const ANSWER_WITHIN_MS = 10_000

/**
 * `urls`: the ingress of each node; a node that does not answer is passed over. `traceparent`: of what asks now; absent where
 * nothing is traced.
 */
export const createRestateDispatcher = (
  urls: readonly string[],
  traceparent?: () => string | undefined,
): Dispatcher => {
  let turn = 0

  const post = async (url: string, body: object, trace: string | undefined): Promise<void> => {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(trace !== undefined && { [TRACE_HEADER]: trace }) },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${text.slice(0, 200)}`)
  }

  const send = async (path: string, body: object, delayMs: number, trace?: string): Promise<void> => {
    const query = delayMs > 0 ? `?delay=${Math.ceil(delayMs)}ms` : ''
    let failure: unknown
    for (const _ of urls) {
      const url = urls[turn++ % urls.length]!
      try {
        return await post(`${url}/${path}/send${query}`, body, trace)
      } catch (error) {
        failure = error
      }
    }
    throw failure
  }

  return {
    poke: (executionId, why: Why, delayMs = 0) =>
      send(`Execution/${executionId}/deliver`, { why }, delayMs, traceparent?.()),
    perform: ({ executionId, command, attempt }, delayMs) =>
      send(`Effect/${effectKey(executionId, command)}/perform`, { attempt }, delayMs, traceparent?.()),
    fireAt: (triggerId, at, delayMs) => send(`Schedule/${triggerId}/fire`, { at }, delayMs),
  }
}
