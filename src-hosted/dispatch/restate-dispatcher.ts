// Sends messages to Restate's ingress. Nobody waits for their outcome.

import { MessageRefused, type Dispatcher } from './dispatcher.ts'
import { effectKey } from './effect-key.ts'
import { TRACE_HEADER } from './trace-header.ts'

const ANSWER_WITHIN_MS = 10_000
/** Time limit of a request while there are other nodes to ask. A message that is sent twice does no harm. */
const PASS_OVER_AFTER_MS = 2_000
/** A node that did not answer comes last for so long. */
const AVOIDED_MS = 5_000
/** Statuses after which a message is sent again: no worker is registered, timed out, too many requests. */
const PASSING = new Set([404, 408, 429])

type Message = { readonly path: string; readonly body: object; readonly trace?: string | undefined }

/**
 * `urls`: the ingress of each node; a node that does not answer is passed over. `traceparent`: of what asks now; absent where
 * nothing is traced.
 */
export const createRestateDispatcher = (
  urls: readonly string[],
  traceparent?: () => string | undefined,
): Dispatcher => {
  let turn = 0
  const failedAt = new Map<string, number>()

  const post = async (url: string, { path, body, trace }: Message, withinMs: number): Promise<void> => {
    const answer = await fetch(`${url}/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(trace !== undefined && { [TRACE_HEADER]: trace }) },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(withinMs),
    })
    const text = await answer.text()
    if (answer.ok) return
    const message = `${url}/${path} answered ${answer.status}: ${text.slice(0, 200)}`
    const isRefused = answer.status >= 400 && answer.status < 500 && !PASSING.has(answer.status)
    throw isRefused ? new MessageRefused(message) : new Error(message)
  }

  /** The nodes take turns. */
  const inOrder = (): readonly string[] => {
    const first = (turn += 1) % urls.length
    const all = [...urls.slice(first), ...urls.slice(0, first)]
    const isAvoided = (url: string): boolean => performance.now() - (failedAt.get(url) ?? -Infinity) < AVOIDED_MS
    return [...all.filter((url) => !isAvoided(url)), ...all.filter(isAvoided)]
  }

  const send = async (path: string, body: object, delayMs: number, trace?: string): Promise<void> => {
    const query = delayMs > 0 ? `?delay=${Math.ceil(delayMs)}ms` : ''
    const message = { path: `${path}/send${query}`, body, trace }
    let failure: unknown
    for (const [index, url] of inOrder().entries()) {
      try {
        const isLast = index === urls.length - 1
        await post(url, message, isLast ? ANSWER_WITHIN_MS : PASS_OVER_AFTER_MS)
        failedAt.delete(url)
        return
      } catch (error) {
        if (error instanceof MessageRefused) throw error
        failedAt.set(url, performance.now())
        failure = error
      }
    }
    throw failure
  }

  return {
    poke: (executionId, why, delayMs = 0) =>
      send(`Execution/${executionId}/deliver`, { why }, delayMs, traceparent?.()),
    perform: ({ executionId, command, attempt }, delayMs) =>
      send(`Effect/${effectKey(executionId, command)}/perform`, { attempt }, delayMs, traceparent?.()),
  }
}
