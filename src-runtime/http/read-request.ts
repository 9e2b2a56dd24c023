// Checks the parts of a request against the table. Queries are text, and are coerced; bodies are JSON, and are not.
// Members that the table does not name are ignored.

import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { Static, TObject, TSchema } from 'typebox'
import { ApiError } from '../contract/errors.ts'
import type { OperationSpec } from '../contract/operation-spec.ts'
import { describeFaults } from '../shared/schema-faults.ts'
import { createValidator, type Validator } from '../shared/create-validator.ts'
import { headerText } from './header-text.ts'
import { refuseRepeated } from './repeated-header.ts'

/** A request as handlers get it; `RequestOf` in the contract says what the parts are for each operation. */
export type CheckedRequest = {
  readonly params: unknown
  readonly query: unknown
  readonly headers: unknown
  readonly body: unknown
  readonly projectId: string | undefined
}

export type ReadRequest = (request: FastifyRequest) => CheckedRequest

const PROJECT_HEADER = 'x-service-project-id'
/** Headers whose value is a list. */
const LISTS: ReadonlySet<string> = new Set(['prefer'])

export const createReadRequest = (spec: OperationSpec): ReadRequest => {
  const readQuery = spec.query === undefined ? undefined : createReadQuery(spec.query)
  const readHeaders = spec.headers === undefined ? undefined : createReadHeaders(spec.headers)
  const checkBody = spec.body === undefined ? undefined : createCheckBody(spec.body, spec.bodyMayBeMissing)
  return (request) => ({
    params: request.params,
    query: readQuery?.(request.query as Texts),
    headers: readHeaders?.(request.raw),
    body: checkBody?.(request.body),
    projectId: spec.takesProject ? projectIn(request.headers[PROJECT_HEADER] as string | undefined) : undefined,
  })
}

/** Empty is absent, as an empty option of a client is. */
const projectIn = (header: string | undefined): string | undefined => (header ? headerText(header) : undefined)

type Texts = Readonly<Record<string, string | readonly string[] | undefined>>

const createCheckBody = (schema: TSchema, mayBeMissing = false) => {
  const validator = createValidator(schema)
  return (given: unknown) => {
    const body = given === undefined && mayBeMissing ? {} : given
    if (validator.check(body)) return body
    throw refusal('body', validator, body)
  }
}

const createReadHeaders = (schema: TObject) => {
  const validator = createValidator(schema)
  const names = Object.keys(schema.properties)
  return (message: IncomingMessage): Static<TObject> => {
    // As they came: stored keys are of this form, and those that differ in their bytes are different.
    const picked: Record<string, unknown> = {}
    const texts: Record<string, unknown> = {}
    for (const name of names) {
      const value = message.headers[name]
      if (value === undefined) continue
      if (!LISTS.has(name)) refuseRepeated(message, name)
      picked[name] = value
      texts[name] = typeof value === 'string' ? headerText(value) : value
    }
    if (validator.check(texts)) return picked
    throw refusal('headers', validator, texts)
  }
}

const createReadQuery = (schema: TObject) => {
  const validator = createValidator(schema)
  const members = Object.entries(schema.properties).map(([name, member]) => ({
    name,
    coerce: coercionTo(member),
    repeatable: typeOf(member) === 'array',
  }))
  return (query: Texts): Static<TObject> => {
    const picked: Record<string, unknown> = {}
    for (const { name, coerce, repeatable } of members) {
      const text = query[name]
      if (typeof text === 'object' && !repeatable) throw new ApiError('invalid_request', `query/${name} must come once`)
      if (text !== undefined) picked[name] = coerce(text)
    }
    if (validator.check(picked)) return picked
    throw refusal('query', validator, picked)
  }
}

type Coercion = (text: string | readonly string[]) => unknown

const typeOf = (schema: TSchema): unknown => (schema as { type?: unknown }).type

const coercionTo = (schema: TSchema): Coercion => {
  switch (typeOf(schema)) {
    case 'integer':
      return (text) => (typeof text === 'string' && /^-?\d+$/.test(text) ? Number(text) : text)
    case 'boolean':
      return (text) => (text === 'true' ? true : text === 'false' ? false : text)
    case 'array':
      return (text) => (typeof text === 'string' ? [text] : text)
    default:
      return (text) => text
  }
}

const refusal = (part: string, validator: Validator<TSchema>, value: unknown): ApiError =>
  new ApiError(
    'invalid_request',
    part === 'body' && value === undefined ? 'A JSON body is needed.' : describeFaults(part, validator.errors(value)),
  )
