import type { ExecutionError } from './contract-types.ts'

/** The codes of the service, and the client's own. */
export type KnownErrorCode =
  | 'invalid_request'
  | 'invalid_input'
  | 'unauthorized'
  | 'invalid_signature'
  | 'forbidden'
  | 'forbidden_host'
  | 'forbidden_origin'
  | 'not_found'
  | 'project_not_found'
  | 'program_not_found'
  | 'version_not_found'
  | 'execution_not_found'
  | 'bulk_not_found'
  | 'trigger_not_found'
  | 'token_not_found'
  | 'hosted_only'
  | 'local_only'
  | 'method_not_allowed'
  | 'project_exists'
  | 'execution_finished'
  | 'execution_not_finished'
  | 'version_in_use'
  | 'command_not_open'
  | 'precondition_failed'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'program_not_runnable'
  | 'invalid_artifact'
  | 'idempotency_conflict'
  | 'rate_limited'
  | 'quota_exceeded'
  | 'internal'
  | 'unavailable'
  | 'network_error'
  | 'invalid_response'
  | 'execution_failed'
  | 'execution_cancelled'
  | 'wait_timeout'

export type ServiceRuntimeErrorOptions = {
  /** The HTTP status; 0 when no answer came. */
  readonly status: number
  readonly code: string
  readonly message: string
  readonly cause?: unknown
  readonly retryAfterMs?: number
}

/**
 * A failure of the service, or of the connection to it.
 *
 * `code` is the service's error code, or one of the client's own:
 * - `network_error` (status 0): no response came, or it was cut off; `cause` is what `fetch` threw.
 * - `invalid_request` (status 0): what was to be sent cannot be JSON: a function, a symbol, a BigInt, a cycle; nothing
 * was sent.
 * - `invalid_response`: the response is not one of the API; most likely another server sent it.
 * - `execution_failed`, `execution_cancelled` (status 200): a wait found the Execution ended that way; `cause` is the
 * Execution's `error`, if it has one.
 * - `wait_timeout` (status 0): a wait took longer than its `timeout`.
 */
export class ServiceRuntimeError extends Error {
  override readonly name = 'ServiceRuntimeError'
  readonly status: number
  /** A newer service may have further codes, and a proxy's answer has one such as `http_418`. */
  readonly code: KnownErrorCode | (string & {})
  /** Declared for projects whose `lib` is older than ES2022. */
  declare readonly cause?: unknown
  /** How long to wait before a retry, if the service said so. */
  declare readonly retryAfterMs?: number
  /** Of `result()` and `run()`: the Execution's id, if the start was answered. */
  declare executionId?: string

  constructor(options: ServiceRuntimeErrorOptions) {
    super(options.message, options.cause === undefined ? undefined : { cause: options.cause })
    this.status = options.status
    this.code = options.code
    if (options.retryAfterMs !== undefined) this.retryAfterMs = options.retryAfterMs
  }
}

/** The error of a wait whose Execution failed or was cancelled. */
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
