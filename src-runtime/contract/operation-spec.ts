// The description of an operation in the table.

import type { TObject, TSchema } from 'typebox'
import type { ErrorCode } from './errors.ts'

export const tags = [
  'projects',
  'programs',
  'executions',
  'overview',
  'triggers',
  'workspace',
  'usage',
  'runtime',
] as const

/** Where the API is served. */
export type Home = 'local' | 'hosted'

/** What a token may do, each including those before it. */
export const roles = ['read', 'write', 'admin'] as const
export type Role = (typeof roles)[number]

export type OperationSpec = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Parameters are written `:name`. */
  readonly path: string
  /** A path that matches, and is another operation's alone. */
  readonly notAt?: string
  readonly tag: (typeof tags)[number]
  readonly summary: string
  readonly description?: string
  /** The only home that serves it; every home when absent. */
  readonly home?: Home
  /** What a caller must be allowed to do; `open`: nothing, not even to be known. */
  readonly role: Role | 'open'
  /** Whether `X-Service-Project-Id` chooses the project. */
  readonly takesProject: boolean
  readonly params?: TObject
  /** Coerced; every member is optional. */
  readonly query?: TObject
  /** Named in lower case; every member is optional. */
  readonly headers?: TObject
  /** Never coerced. */
  readonly body?: TSchema
  /** A request without a body counts as `{}`. */
  readonly bodyMayBeMissing?: true
  readonly bodyLimitBytes?: number
  /** Of a GET whose answer may be far larger than one value: what it takes until its length is known. */
  readonly answerBytes?: number
  readonly answers: { readonly [status: number]: AnswerSpec }
  /** Beyond those that every operation can answer with. */
  readonly errors: readonly ErrorCode[]
  /** Those that only the hosted service answers with. */
  readonly hostedErrors?: readonly ErrorCode[]
}

export type AnswerSpec = {
  readonly description: string
  /** Absent when there is no body. */
  readonly schema?: TSchema
  /** Names of headers and what they say. */
  readonly headers?: Readonly<Record<string, string>>
  /** Server-sent events whose `data` has the schema. */
  readonly stream?: true
}

/** Of every body, also of one that is not needed but sent. */
export const bodyErrors = ['invalid_request', 'payload_too_large', 'unsupported_media_type'] as const

/** Errors that any operation can end with: `invalid_request` for a path or a head that cannot be read. */
export const commonErrors = (home: Home, role: OperationSpec['role']): readonly ErrorCode[] => {
  const known: readonly ErrorCode[] = role === 'open' ? ['invalid_request'] : ['invalid_request', 'unauthorized']
  if (home === 'local') return [...known, 'forbidden_host', 'forbidden_origin', 'internal', 'unavailable']
  const allowed: readonly ErrorCode[] = role === 'open' || role === 'read' ? [] : ['forbidden']
  return [...known, ...allowed, 'forbidden_origin', 'rate_limited', 'internal', 'unavailable']
}
