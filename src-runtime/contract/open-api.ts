// The OpenAPI 3.1 document, made from the table: schemas with a title become components, wherever they stand. `documented` in a
// schema holds keywords that only the document has: requests that break them get an error from the operation, in better words.
// The title of what creates a `Bulk`, for example, is `BulkRequest`: generators for Go name the constructor of `Bulk` `NewBulk`.

import type { TObject, TSchema } from 'typebox'
import { errorStatuses, type ErrorCode } from './errors.ts'
import { ErrorBody } from './models.ts'
import { commonErrors, tags, type AnswerSpec, type Home, type OperationSpec } from './operation-spec.ts'
import { operationsOf } from './operations.ts'

type Json = Readonly<Record<string, unknown>>

const JSON_TYPE = 'application/json'

/** Of the operations that a home serves. */
export const openApiDocument = (options: { readonly version: string; readonly home: Home }): Json => {
  const { home } = options
  const schemas: Record<string, unknown> = {}
  const convert = (schema: TSchema): unknown => toComponents(JSON.parse(JSON.stringify(schema)), schemas)
  const paths: Record<string, Record<string, unknown>> = {}
  for (const [name, spec] of operationsOf(home)) {
    const path = spec.path.replaceAll(/:([a-z]+)/gi, '{$1}')
    paths[path] = { ...paths[path], [spec.method.toLowerCase()]: operationObject(name, spec, home, convert) }
  }
  convert(ErrorBody)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Workflow Execution Service',
      version: options.version,
      description: 'Deploy Programs, run them as durable Executions, and see what they do.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'Where this document was read.' }],
    tags: tags.filter((tag) => operationsOf(home).some(([, spec]) => spec.tag === tag)).map((tag) => ({ name: tag })),
    paths,
    components: { schemas, securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
  }
}

const operationObject = (
  name: string,
  spec: OperationSpec,
  home: Home,
  convert: (schema: TSchema) => unknown,
): Json => ({
  operationId: name,
  tags: [spec.tag],
  summary: spec.summary,
  ...(spec.description !== undefined && { description: spec.description }),
  security: security(home, spec.role),
  parameters: [
    ...parameters('path', spec.params, convert),
    ...parameters('query', spec.query, convert),
    ...parameters('header', spec.headers, convert),
    ...(spec.takesProject ? [PROJECT_PARAMETER] : []),
  ],
  ...(spec.body !== undefined && {
    requestBody: { required: spec.bodyMayBeMissing !== true, content: { [JSON_TYPE]: { schema: convert(spec.body) } } },
  }),
  responses: { ...successes(spec, convert), ...failures(spec, home) },
})

/** Names the role that a token needs. A local runtime asks for a token only when it was started with one. */
const security = (home: Home, role: OperationSpec['role']): readonly Json[] => {
  if (role === 'open') return []
  return home === 'local' ? [{}, { token: [role] }] : [{ token: [role] }]
}

const PROJECT_PARAMETER: Json = {
  name: 'X-Service-Project-Id',
  in: 'header',
  required: false,
  description: 'Id of the project to work in; the default project when absent or empty.',
  schema: { type: 'string' },
}

const parameters = (
  place: 'path' | 'query' | 'header',
  schema: TObject | undefined,
  convert: (schema: TSchema) => unknown,
): readonly Json[] =>
  Object.entries(schema?.properties ?? {}).map(([name, member]) => {
    const { description, ...rest } = convert(member) as Record<string, unknown>
    return {
      name: place === 'header' ? titleCase(name) : name,
      in: place,
      required: place === 'path',
      ...(description !== undefined && { description }),
      schema: rest,
    }
  })

const titleCase = (header: string) => header.replaceAll(/(^|-)([a-z])/g, (match) => match.toUpperCase())

const successes = (spec: OperationSpec, convert: (schema: TSchema) => unknown): Json =>
  Object.fromEntries(
    Object.entries(spec.answers).map(([status, answer]) => [
      status,
      successObject(answer, answer.schema === undefined ? undefined : convert(answer.schema)),
    ]),
  )

const successObject = (answer: AnswerSpec, schema: unknown): Json => ({
  description: answer.description,
  ...(answer.headers !== undefined && {
    headers: Object.fromEntries(
      Object.entries(answer.headers).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
    ),
  }),
  ...(schema !== undefined && { content: { [answer.stream === true ? 'text/event-stream' : JSON_TYPE]: { schema } } }),
})

const RETRIED: readonly ErrorCode[] = ['rate_limited', 'quota_exceeded', 'unavailable']
const RETRY_AFTER: Json = {
  'Retry-After': { description: 'Seconds after which to try again.', schema: { type: 'integer' } },
}
const WWW_AUTHENTICATE: Json = {
  'WWW-Authenticate': { description: 'Always `Bearer`: a token is needed.', schema: { type: 'string' } },
}

const failureHeaders = (codes: readonly ErrorCode[]): Json | undefined => {
  if (codes.includes('unauthorized')) return WWW_AUTHENTICATE
  return codes.some((code) => RETRIED.includes(code)) ? RETRY_AFTER : undefined
}

const failures = (spec: OperationSpec, home: Home): Json => {
  const codes = new Set([
    ...spec.errors,
    ...(home === 'hosted' ? (spec.hostedErrors ?? []) : []),
    ...commonErrors(home, spec.role),
  ])
  const byStatus = Map.groupBy(codes, (code: ErrorCode) => errorStatuses[code])
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => {
      const headers = failureHeaders(codes)
      return [
        String(status),
        {
          description: codes.map((code) => `\`${code}\``).join(', '),
          ...(headers !== undefined && { headers }),
          content: { [JSON_TYPE]: { schema: { $ref: '#/components/schemas/Error' } } },
        },
      ]
    }),
  )
}

/** Moves every schema with a title among the components, and leaves a reference in its place. */
const toComponents = (schema: unknown, components: Record<string, unknown>): unknown => {
  if (Array.isArray(schema)) return schema.map((item) => toComponents(item, components))
  if (typeof schema !== 'object' || schema === null) return schema
  const { title, documented, ...members } = schema as Readonly<Record<string, unknown>>
  const converted = Object.fromEntries(
    Object.entries({ ...members, ...(documented as object | undefined) }).map(([name, member]) => [
      name,
      toComponents(member, components),
    ]),
  )
  if (typeof title !== 'string') return title === undefined ? converted : { title, ...converted }
  components[title] = converted
  return { $ref: `#/components/schemas/${title}` }
}
