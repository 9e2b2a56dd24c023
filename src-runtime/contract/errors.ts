// Every error code of the API, with its status.

export const errorStatuses = {
  invalid_request: 400,
  invalid_input: 400,
  unauthorized: 401,
  invalid_signature: 401,
  forbidden: 403,
  forbidden_host: 403,
  forbidden_origin: 403,
  not_found: 404,
  project_not_found: 404,
  program_not_found: 404,
  version_not_found: 404,
  execution_not_found: 404,
  bulk_not_found: 404,
  trigger_not_found: 404,
  token_not_found: 404,
  hosted_only: 404,
  local_only: 404,
  method_not_allowed: 405,
  project_exists: 409,
  execution_finished: 409,
  execution_not_finished: 409,
  version_in_use: 409,
  command_not_open: 409,
  precondition_failed: 412,
  payload_too_large: 413,
  unsupported_media_type: 415,
  program_not_runnable: 422,
  invalid_artifact: 422,
  idempotency_conflict: 422,
  rate_limited: 429,
  quota_exceeded: 429,
  internal: 500,
  unavailable: 503,
} as const

export type ErrorCode = keyof typeof errorStatuses

export const errorCodes = Object.keys(errorStatuses) as readonly ErrorCode[]

/** The one domain error: a request was refused. Its message is for the caller to read; it carries no secrets. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: ErrorCode
  readonly status: number
  /** Sent with the answer, such as `Retry-After` and `Allow`. */
  readonly headers: Readonly<Record<string, string>> | undefined

  constructor(code: ErrorCode, message: string, headers?: Readonly<Record<string, string>>) {
    super(message)
    this.code = code
    this.status = errorStatuses[code]
    this.headers = headers
  }
}

export const errorJson = (code: ErrorCode, message: string): string => JSON.stringify({ error: { code, message } })
