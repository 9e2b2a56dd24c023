import type { ExecutionError } from './contract-types.ts'

export type ServiceRuntimeErrorOptions = {
  /** The HTTP status; 0 when no answer came. */
  readonly status: number
  readonly code: string
  readonly message: string
  readonly cause?: unknown
  readonly retryAfterMs?: number
}

/**
 * Every failure that the service, or the way to it, is the reason for.
 *
 * `code` is the service's error code, or one of the client's own:
 * - `network_error` (status 0): no answer came; `cause` is what `fetch` threw.
 * - `invalid_response`: the answer was not what the API answers, so most likely another server answered.
 * - `execution_failed`, `execution_cancelled` (status 200): a wait found the Execution ended that way; `cause` is the
 *   Execution's `error`, if it has one.
 * - `wait_timeout` (status 0): a wait took longer than its `timeout`.
 */
export class ServiceRuntimeError extends Error {
  override readonly name = 'ServiceRuntimeError'
  readonly status: number
  readonly code: string
  /** How long the service asked to wait before another try, where it did. */
  declare readonly retryAfterMs?: number

  constructor(options: ServiceRuntimeErrorOptions) {
    super(options.message, options.cause === undefined ? undefined : { cause: options.cause })
    this.status = options.status
    this.code = options.code
    if (options.retryAfterMs !== undefined) this.retryAfterMs = options.retryAfterMs
  }
}

/** What a wait rejects with when the Execution ended badly. */
export const executionEnded = (
  id: string,
  status: 'failed' | 'cancelled',
  error: ExecutionError | undefined,
): ServiceRuntimeError =>
  new ServiceRuntimeError({
    status: 200,
    code: `execution_${status}`,
    message:
      status === 'cancelled' && error === undefined
        ? `Execution ${id} was cancelled`
        : `Execution ${id} ${status === 'failed' ? 'failed' : 'was cancelled'}: ${error?.message ?? 'the service gave no reason'}`,
    cause: error,
  })
