// The description of an operation in the table.

import type { TObject, TSchema } from 'typebox'
import type { ErrorCode } from './errors.ts'

export const tags = ['projects', 'programs', 'executions', 'overview', 'runtime'] as const

export type OperationSpec = {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Parameters are written `:name`. */
  readonly path: string
  readonly tag: (typeof tags)[number]
  readonly summary: string
  readonly description?: string
  /** Whether `X-Service-Project-Id` chooses the project. */
  readonly takesProject: boolean
  readonly params?: TObject
  /** Coerced; every member is optional. */
  readonly query?: TObject
  /** Named in lower case; every member is optional. */
  readonly headers?: TObject
  /** Never coerced. `none`: whatever JSON comes is ignored. */
  readonly body?: TSchema
  readonly bodyLimitBytes?: number
  readonly answers: { readonly [status: number]: AnswerSpec }
  /** Beyond those that every operation can answer with. */
  readonly errors: readonly ErrorCode[]
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

/** Any operation can end with these. */
export const commonErrors = ['forbidden_host', 'forbidden_origin', 'internal', 'unavailable'] as const
