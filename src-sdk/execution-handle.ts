import type { CancelReceipt, EventReceipt, ResultView } from './contract-types.ts'
import { eventNameOf, type EventReference } from './definitions.ts'
import { idempotencyHeader } from './idempotency-header.ts'
import { optionalMember, path } from './request-parts.ts'
import { type CallOptions, hasText, type Transport } from './transport.ts'
import { type ReadResult, type WaitOptions, waitForResult } from './wait-for-result.ts'

/** One Execution. Its functions do not depend on `this`. */
export type ExecutionHandle<Result = unknown> = {
  readonly id: string
  /**
   * Waits until the Execution ends. Resolves with the Program's result, undefined if it returned nothing.
   *
   * Rejects with a ServiceRuntimeError: `execution_failed` or `execution_cancelled` (status 200, `cause` the
   * Execution's `error`), `wait_timeout`, the service's refusal, or `network_error` when the service stays unreachable
   * for about two minutes (with a `timeout`: until then). A restart of the service in between goes unnoticed. An
   * aborted `signal` rejects with its `reason`. What the next attempt cannot change, such as a certificate that is not
   * trusted, rejects at once.
   */
  result(this: void, options?: WaitOptions): Promise<Result>
  /** Sends a named event once. The service buffers it until the Program waits for it. */
  send<Payload = unknown>(
    this: void,
    event: string | EventReference<Payload>,
    ...payload: PayloadArgument<NoInfer<Payload>>
  ): Promise<EventReceipt>
  /** Cancels the Execution, whose Program may still clean up. May be repeated. */
  cancel(this: void, options?: CallOptions): Promise<CancelReceipt>
}

/** A payload may be left out only where its type allows it. */
export type PayloadArgument<Payload> = undefined extends Payload
  ? [payload?: Payload, options?: SendOptions]
  : [payload: Payload, options?: SendOptions]

export type SendOptions = CallOptions & {
  /** 1–255 characters. Within 24 h, an equal event with the same key is stored once and gets the same response. */
  readonly idempotencyKey?: string | undefined
}

export const createExecutionHandle = <Result>(transport: Transport, id: string): ExecutionHandle<Result> =>
  Object.freeze({
    id,
    result: async (options?: WaitOptions): Promise<Result> =>
      (await waitForResult(id, readResultOf(transport, id), options)) as Result,
    send: async (event: string | EventReference, payload?: unknown, options?: SendOptions) =>
      sendEvent(transport, id, eventNameOf(event), payload, options),
    cancel: (options?: CallOptions) => cancelExecution(transport, id, options),
  })

export const hasStatus = /* @__PURE__ */ hasText('status')

/** Requests the result, and asks the service to hold its response. */
export const readResultOf =
  (transport: Transport, id: string): ReadResult =>
  async (waitSeconds, signal) => {
    const at = path`/v1/executions/${id}/result`
    const headers = { Prefer: `wait=${waitSeconds}` }
    const answer = await transport<ResultView>({ method: 'GET', path: at, headers, signal, isAnswer: hasStatus })
    return { view: answer.value, held: /\bwait\b/i.test(answer.header('preference-applied') ?? '') }
  }

export const sendEvent = async (
  transport: Transport,
  id: string,
  name: string,
  payload: unknown,
  options: SendOptions = {},
): Promise<EventReceipt> => {
  const answer = await transport<EventReceipt>({
    method: 'POST',
    path: path`/v1/executions/${id}/events`,
    body: { name, ...optionalMember('payload', payload) },
    headers: idempotencyHeader(options.idempotencyKey),
    options,
  })
  return answer.value
}

export const cancelExecution = async (
  transport: Transport,
  id: string,
  options?: CallOptions,
): Promise<CancelReceipt> =>
  (await transport<CancelReceipt>({ method: 'POST', path: path`/v1/executions/${id}/cancel`, options })).value
