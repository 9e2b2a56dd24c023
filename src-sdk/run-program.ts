// Starts an Execution and waits for its end. The start asks the service to hold its response for a moment. If the
// Execution has not ended by then, or the service does not hold responses, the wait continues as in `result()`.
//
// The service may have accepted a start whose connection broke. The start is therefore sent again with the same
// idempotency key, which returns the id and starts no second Execution.

import type { Execution } from './contract-types.ts'
import { readResultOf } from './execution-handle.ts'
import { idempotencyHeader } from './idempotency-header.ts'
import { wasNeverConnected } from './network-failure.ts'
import { createPauses } from './pauses.ts'
import { createRefusals } from './repeat-refused.ts'
import { ServiceRuntimeError } from './service-runtime-error.ts'
import type { Transport } from './transport.ts'
import { ask, checkTimeout, isOfGateway, type WaitOptions, waitForResult } from './wait-for-result.ts'
import { type WebAbortSignal, web } from './web-platform.ts'

/** Short, because only the answer names the Execution. */
const HOLD_SECONDS = 1

type SendStart = (headers: Readonly<Record<string, string>>, signal: WebAbortSignal) => Promise<Execution>

export type RunProgramOptions = WaitOptions & { readonly idempotencyKey?: string | undefined }

export const runProgram = async (
  transport: Transport,
  send: SendStart,
  options: RunProgramOptions,
  maxRetries: number,
): Promise<unknown> => {
  const { signal, timeout = Infinity } = options
  checkTimeout(timeout)
  const deadline = web.performance.now() + timeout
  const started = await startSurely(send, options, deadline, maxRetries)
  const wait = { signal, timeout, deadline }
  return waitForResult(started.id, readResultOf(transport, started.id), wait, started)
}

const startSurely = async (
  send: SendStart,
  { signal, timeout = Infinity, idempotencyKey = randomKey() }: RunProgramOptions,
  deadline: number,
  maxRetries: number,
): Promise<Execution> => {
  const pauses = createPauses()
  const refusals = createRefusals(maxRetries, idempotencyKey !== undefined, deadline)
  let unanswered: ServiceRuntimeError | undefined
  let isSent = false
  for (;;) {
    const remaining = deadline - web.performance.now()
    if (signal?.aborted) throw signal.reason ?? new Error('The run was aborted')
    if (remaining <= 0) throw timedOut(timeout, isSent, unanswered)

    const holdSeconds = Math.min(HOLD_SECONDS, Math.floor(remaining / 1000))
    const headers = { Prefer: `wait=${holdSeconds}`, ...idempotencyHeader(idempotencyKey) }
    const read = async (limit: WebAbortSignal) => ({ view: await send(headers, limit), held: true })
    isSent = true
    const answer = await ask(read, { holdSeconds, remaining, signal })
    if (answer.kind === 'view') return answer.view as Execution
    if (answer.kind === 'ended') continue // the loop's head says which

    const { error } = answer
    if (unanswered === undefined && !mayBeAccepted(error)) {
      await refusals.pauseAfter(error, signal)
      continue
    }
    if (idempotencyKey === undefined) throw error
    pauses.countFailure(answer.attemptMs)
    if (pauses.areSpent() && timeout === Infinity) throw error
    unanswered = error
    await pauses.afterFailure(error, deadline, signal)
  }
}

/** Not when the service said no, and not when nothing listens. */
const mayBeAccepted = (error: ServiceRuntimeError): boolean => {
  const { status, cause } = error
  return status === 502 || status === 504 || isOfGateway(error) || (status === 0 && !wasNeverConnected(cause))
}

/** Without `randomUUID`, which browsers have in secure contexts alone. React Native has no `crypto`. */
const randomKey = (): string | undefined =>
  web.crypto &&
  Array.from(web.crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')

const timedOut = (timeout: number, isSent: boolean, cause: ServiceRuntimeError | undefined): ServiceRuntimeError =>
  new ServiceRuntimeError({
    status: 0,
    code: 'wait_timeout',
    message:
      (isSent
        ? `The start was not answered within ${timeout} ms: the Execution may have been started`
        : `The start was not sent within ${timeout} ms: no Execution was started`) +
      (cause === undefined ? '' : `; the last attempt failed: ${cause.message}`),
    cause,
  })
