// Why a request for a connection is refused or fails. Every answer of this room that is not the service's own is one of
// these.

const statuses = {
  invalid_request: 400,
  invalid_address: 400,
  token_missing: 401,
  unauthorized: 401,
  not_found: 404,
  connection_not_found: 404,
  method_not_allowed: 405,
  connection_exists: 409,
  too_many_connections: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  internal: 500,
  redirected: 502,
  not_the_service: 502,
  wrong_service: 502,
  newer_service: 502,
  unreachable: 503,
  token_locked: 503,
  too_slow: 504,
} as const

export type ProblemCode = keyof typeof statuses

/** Its message is for the user to read: it says what happened, with which service, and what to do. It has no secrets. */
export class ConnectionProblem extends Error {
  override readonly name = 'ConnectionProblem'
  readonly code: ProblemCode
  readonly headers: Readonly<Record<string, string>> | undefined

  constructor(code: ProblemCode, message: string, headers?: Readonly<Record<string, string>>) {
    super(message)
    this.code = code
    this.headers = headers
  }
}

export const ANSWER_HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
}

export const problemAnswer = ({ code, message, headers }: ConnectionProblem): Response =>
  Response.json({ error: { code, message } }, { status: statuses[code], headers: { ...ANSWER_HEADERS, ...headers } })
