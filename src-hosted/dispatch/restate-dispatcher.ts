// Sends messages to Restate's ingress. Nobody waits for their outcome.

import { MessageRefused, type Dispatcher, type Why } from './dispatcher.ts'
import { effectKey } from './effect-key.ts'
import { TRACE_HEADER } from './trace-header.ts'

const ANSWER_WITHIN_MS = 10_000
/** Time limit of a request while there are other nodes to ask. A message that is sent twice does no harm. */
const PASS_OVER_AFTER_MS = 2_000
/** A node that did not answer comes last for so long. */
const AVOIDED_MS = 5_000
/** Statuses after which a message is sent again: no worker is registered, timed out, too many requests. */
const PASSING = new Set([404, 408, 429])

/** With the key of one that has not ended, Restate adds no other. */
const SWEEP_KEY = 'sweep'

type Message = {
  readonly path: string
  readonly body: object
  readonly trace?: string | undefined
  readonly idempotencyKey?: string
}

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

  const post = async (url: string, message: Message, withinMs: number): Promise<void> => {
    const { path, body, trace, idempotencyKey } = message
    const answer = await fetch(`${url}/${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(trace !== undefined && { [TRACE_HEADER]: trace }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(withinMs),
    })
    const text = await answer.text()
    if (answer.ok) return
    const fault = `${url}/${path} answered ${answer.status}: ${text.slice(0, 200)}`
    const isRefused = answer.status >= 400 && answer.status < 500 && !PASSING.has(answer.status)
    throw isRefused ? new MessageRefused(fault) : new Error(fault)
  }

  /** The nodes take turns. */
  const inOrder = (): readonly string[] => {
    const first = (turn += 1) % urls.length
    const all = [...urls.slice(first), ...urls.slice(0, first)]
    const isAvoided = (url: string): boolean => performance.now() - (failedAt.get(url) ?? -Infinity) < AVOIDED_MS
    return [...all.filter((url) => !isAvoided(url)), ...all.filter(isAvoided)]
  }

  const send = async (message: Message): Promise<void> => {
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

  const messageTo = (handler: string, body: object, delayMs: number): Message => {
    const query = delayMs > 0 ? `?delay=${Math.ceil(delayMs)}ms` : ''
    return { path: `${handler}/send${query}`, body, trace: traceparent?.() }
  }
  const visitOf = (executionId: string, why: Why, delayMs: number): Message =>
    messageTo(`Execution/${executionId}/deliver`, { why }, delayMs)

  return {
    poke: (executionId, why, delayMs = 0) => send(visitOf(executionId, why, delayMs)),
    sweep: (executionId) => send({ ...visitOf(executionId, 'sweep', 0), idempotencyKey: SWEEP_KEY }),
    perform: ({ executionId, command, attempt }, delayMs) =>
      send(messageTo(`Effect/${effectKey(executionId, command)}/perform`, { attempt }, delayMs)),
  }
}
