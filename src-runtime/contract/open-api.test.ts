import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { Check } from 'typebox/schema'
import { describe, expect, it } from 'vitest'
import { DURATION_PATTERN, durationMs } from '../shared/durations.ts'
import { TEXT_PATTERN } from '../shared/patterns.ts'
import { errorCodes } from './errors.ts'
import { openApiDocument } from './open-api.ts'
import type { OperationSpec } from './operation-spec.ts'
import { operations, operationsOf } from './operations.ts'

type Schema = { readonly [keyword: string]: unknown }
type Content = { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> }
type Operation = {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly security: readonly object[]
  readonly parameters: readonly {
    readonly name: string
    readonly in: string
    readonly required: boolean
    readonly schema: Schema
  }[]
  readonly requestBody?: Content & { readonly required: boolean }
  readonly responses: Readonly<Record<string, Content & { readonly description: string; readonly headers?: object }>>
}
type Document = {
  readonly openapi: string
  readonly tags: readonly { readonly name: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

const text = JSON.stringify(openApiDocument({ version: '1.2.3', home: 'local' }))
const document = JSON.parse(text) as Document
const all = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
)
const table = Object.entries(operations) as [string, OperationSpec][]
const servedHere = operationsOf('local')

describe('the OpenAPI document', () => {
  it('has every operation of the table once, and no others', () => {
    expect(all.map(({ operation }) => operation.operationId).toSorted()).toEqual(
      servedHere.map(([name]) => name).toSorted(),
    )
    for (const [name, spec] of servedHere) {
      const found = document.paths[spec.path.replaceAll(/:(\w+)/g, '{$1}')]?.[spec.method.toLowerCase()]
      expect(found?.operationId).toBe(name)
    }
  })

  it('names no component as generators for Go name the constructor of another one', () => {
    const { components } = openApiDocument({ version: '1.2.3', home: 'hosted' }) as unknown as Document
    const names = Object.keys(components.schemas)
    expect(names.filter((name) => names.includes(`New${name}`))).toEqual([])
  })

  it('describes the bulk that is asked for as one object, whose members generators find', () => {
    const { properties, ...others } = document.components.schemas['BulkRequest']!
    expect(Object.keys(properties as object)).toEqual(['action', 'ids', 'filter'])
    expect(Object.keys(others)).not.toEqual(expect.arrayContaining([expect.stringMatching(/^(any|one|all)Of$/)]))
  })

  it('refers only to its own components, and uses each', () => {
    const references = new Set([...text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name))
    expect([...references].toSorted()).toEqual(Object.keys(document.components.schemas).toSorted())
    expect(text.match(/"\$ref":/g)!.length).toBe(text.match(/"\$ref":"#\/components\/schemas\/\w+"/g)!.length)
  })

  it('declares the parameters of every path, and only those', () => {
    for (const { path, operation } of all) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      const declared = operation.parameters.filter((parameter) => parameter.in === 'path')
      expect(declared.map(({ name }) => name)).toEqual(inPath)
      expect(declared.every(({ required }) => required)).toBe(true)
      const names = operation.parameters.map((parameter) => `${parameter.in} ${parameter.name}`)
      expect(new Set(names).size).toBe(names.length)
    }
  })

  it('declares the important headers', () => {
    const headersOf = (name: string) =>
      all
        .find(({ operation }) => operation.operationId === name)!
        .operation.parameters.filter((one) => one.in === 'header')
        .map((one) => one.name)
    expect(headersOf('startExecution')).toEqual(['Idempotency-Key', 'Prefer', 'X-Service-Project-Id'])
    expect(headersOf('getResult')).toEqual(['Prefer', 'X-Service-Project-Id'])
    expect(headersOf('streamChanges')).toEqual(['Last-Event-Id', 'X-Service-Project-Id'])
    expect(headersOf('listProjects')).toEqual([])
    const send = all.find(({ operation }) => operation.operationId === 'sendEvent')!.operation
    expect(Object.keys(send.responses['401']!.headers!)).toEqual(['WWW-Authenticate'])
    expect(Object.keys(send.responses['429']!.headers!)).toEqual(['Retry-After'])
  })

  it('describes a body for each answer that has one, and one error format', () => {
    for (const { operation } of all) {
      for (const [status, response] of Object.entries(operation.responses)) {
        expect(response.description.length).toBeGreaterThan(0)
        const schemas = Object.values(response.content ?? {}).map(({ schema }) => schema)
        expect(schemas).toHaveLength(status === '204' ? 0 : 1)
        if (Number(status) >= 400) expect(schemas[0]).toEqual({ $ref: '#/components/schemas/Error' })
      }
      expect(operation.tags.every((tag) => document.tags.some(({ name }) => name === tag))).toBe(true)
    }
    const { error } = document.components.schemas['Error']!['properties'] as { error: { properties: { code: Schema } } }
    expect(error.properties.code['enum']).toEqual(errorCodes)
  })

  it('promises no RFC 3339 for the times of waits and timers, whose years may be after 9999', () => {
    const [event, timer] = document.components.schemas['WaitingFor']!['anyOf'] as { properties: Schema }[]
    const { since, timeoutAt, wakeAt } = { ...event!.properties, ...timer!.properties } as Record<string, Schema>
    expect([since!['format'], timeoutAt!['format'], wakeAt!['format']]).toEqual(['date-time', undefined, undefined])
  })

  it('says which times are taken in a request', () => {
    const schemaOf = (path: string, name: string): RegExp => {
      const { schema } = document.paths[path]!['get']!.parameters.find((parameter) => parameter.name === name)!
      return new RegExp(schema['pattern'] as string)
    }
    for (const [path, name] of [
      ['/v1/executions', 'createdAfter'],
      ['/v1/executions/counts', 'finishedBefore'],
      ['/v1/metrics', 'from'],
    ] as const) {
      const texts = ['2026-01-31', '2026-12-01T12:00Z', '2026-10-20T12:00:00.5+02:00', '', 'now', '2026-01-31T12:00:00']
      const noDays = ['2026-00-01', '2026-13-01', '2026-01-00', '2026-01-32T12:00Z']
      const taken = [...texts, ...noDays].filter((text) => schemaOf(path, name).test(text))
      expect(taken).toEqual(texts.slice(0, 3))
    }
  })

  it('has plain schemas, without members of the library', () => {
    expect(text).not.toContain('~')
    expect(document.components.schemas['ProjectRequest']).toEqual({
      type: 'object',
      required: ['name'],
      properties: {
        name: {
          type: 'string',
          minLength: 1,
          maxLength: 80,
          pattern: TEXT_PATTERN,
          description: expect.stringContaining('Unique') as string,
        },
      },
    })
  })
})

describe('a body that the server refuses', () => {
  const { schemas } = (JSON.parse(JSON.stringify(openApiDocument({ version: '1', home: 'hosted' }))) as Document)
    .components
  it.each<[string, unknown, readonly unknown[]]>([
    [
      'BulkRequest',
      { action: 'cancel', ids: ['exe_1'] },
      [{ action: 'cancel' }, { action: 'cancel', ids: ['a'], filter: {} }],
    ],
    [
      'RetryPolicy',
      { initialInterval: ' 1.5H .5 min2ms ' },
      [{ initialInterval: 'soon' }, { maxInterval: '5' }, { maxInterval: '1 s s' }],
    ],
    [
      'EnvironmentChange',
      { set: { A_1: 'x\n' } },
      [{ set: { 'a-b': '' } }, { set: { PATH: '' } }, { set: { A: '\0' } }],
    ],
    ['ProjectRequest', { name: 'Shop 1' }, [{ name: 'a\nb' }, { name: 'a\u2028b' }, { name: '' }]],
    ['TokenRequest', { name: 'ci', role: 'read' }, [{ name: '\u0085', role: 'read' }]],
    ['WorkspaceChange', { name: 'Shop' }, [{ name: '\t' }]],
  ])('does not fit %s where a schema can say why', (name, good, bad) => {
    const schema = { $ref: `#/components/schemas/${name}`, components: { schemas } }
    expect(Check(schema, good)).toBe(true)
    expect(bad.filter((one) => Check(schema, one))).toEqual([])
  })

  it('is a duration that does not match the pattern of durations', () => {
    const pattern = new RegExp(DURATION_PATTERN)
    const parts = fc.constantFrom('1', '1.5', '.5', '5.', '-1', ' ', 's', 'M', 'Hours', 'weeks', 'x', 'ms', 'min', '')
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 6 }), (chosen) => {
        const text = chosen.join('')
        expect([text, pattern.test(text)]).toEqual([text, durationMs(text) !== undefined])
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('callers', () => {
  const hosted = JSON.parse(JSON.stringify(openApiDocument({ version: '1.2.3', home: 'hosted' }))) as Document
  const securityOf = (one: Document, path: string, method: string) => one.paths[path]?.[method]?.security

  it('are everybody on open routes, and elsewhere tokens with the role', () => {
    expect(securityOf(document, '/healthz', 'get')).toEqual([])
    expect(securityOf(hosted, '/v1/programs/deploy', 'post')).toEqual([{ token: ['write'] }])
    expect(securityOf(hosted, '/v1/projects', 'post')).toEqual([{ token: ['admin'] }])
  })

  it('are also everybody on a local runtime without a token', () => {
    expect(securityOf(document, '/v1/projects', 'get')).toEqual([{}, { token: ['read'] }])
  })

  it('are described with the errors that they may get', () => {
    const statusesOf = (one: Document, path: string, method: string) =>
      Object.keys(one.paths[path]?.[method]?.responses ?? {})
    expect(statusesOf(hosted, '/v1/programs/deploy', 'post')).toEqual(expect.arrayContaining(['401', '403', '429']))
    expect(statusesOf(document, '/healthz', 'get')).not.toContain('401')
  })

  it('may get invalid_request from every operation, for a path or a head that cannot be read', () => {
    for (const [path, operations] of [...Object.entries(document.paths), ...Object.entries(hosted.paths)]) {
      for (const [method, { responses }] of Object.entries(operations)) {
        expect([method, path, Object.keys(responses)]).toEqual([method, path, expect.arrayContaining(['400'])])
      }
    }
  })

  it('are not described for operations that the home does not serve', () => {
    expect(Object.keys(document.paths)).toContain('/v1/source')
    expect(Object.keys(hosted.paths)).not.toContain('/v1/source')
  })
})

describe('the table of operations', () => {
  it('declares for every operation with a body that the body may be too large or have another type', () => {
    for (const [name, spec] of table.filter(([, { method }]) => method === 'POST')) {
      expect([name, spec.errors]).toEqual([
        name,
        expect.arrayContaining(['invalid_request', 'payload_too_large', 'unsupported_media_type']) as string[],
      ])
    }
  })

  it('has each method and path once', () => {
    const keys = table.map(([, { method, path }]) => `${method} ${path}`)
    expect(new Set(keys).size).toBe(keys.length)
  })
})

describe('the OpenAPI document of the hosted service', () => {
  const hosted = JSON.parse(JSON.stringify(openApiDocument({ version: '1.2.3', home: 'hosted' }))) as Document

  it('has every operation that it serves, with the role that a token needs', () => {
    for (const [name, spec] of operationsOf('hosted')) {
      const found = hosted.paths[spec.path.replaceAll(/:(\w+)/g, '{$1}')]?.[spec.method.toLowerCase()]
      expect(found?.operationId).toBe(name)
      expect(found?.security).toEqual(spec.role === 'open' ? [] : [{ token: [spec.role] }])
    }
  })

  it('says of a local runtime what is so there alone', () => {
    expect(hosted.paths['/v1/programs/deploy']?.['post']?.description).toContain('A local runtime stores')
    expect(hosted.paths['/v1/bulk']?.['post']?.description).toContain('A local runtime forgets')
  })

  it('names quotas where they are, and nothing of them for a local runtime', () => {
    expect(hosted.paths['/v1/executions']?.['post']?.responses['429']?.description).toContain('quota_exceeded')
    expect(document.paths['/v1/executions']?.['post']?.responses['429']?.description).toBe('`rate_limited`')
    expect(hosted.tags.map(({ name }) => name)).toContain('triggers')
    expect(document.tags.map(({ name }) => name)).not.toContain('triggers')
  })
})

describe('the pages of the API', () => {
  const pageOf = (name: string) => readFileSync(join(import.meta.dirname, '../../docs', name), 'utf8')
  const pages = { local: pageOf('api.md'), hosted: pageOf('hosted-api.md') }

  it('list each operation with its answers and errors', () => {
    // Said once, above the tables.
    const ofAll = new Set(['invalid_request', 'payload_too_large', 'unsupported_media_type'])
    for (const [, { home, method, path, role, answers, errors }] of table) {
      const page = home === 'hosted' ? pages.hosted : pages.local
      const names = [`\`${method} ${path}\``, `\`…${path.slice(path.lastIndexOf('/'))}\``]
      const row = page.split('\n').find((line) => line.startsWith('|') && names.some((name) => line.includes(name)))
      const [, , ...cells] = row?.split('|').map((cell) => cell.trim()) ?? []
      const [success = '', codes = ''] = cells.slice(home === 'hosted' ? 1 : 0)
      expect([path, success.match(/\d+/g)?.toSorted(), codes.match(/\w+/g)?.toSorted() ?? []]).toEqual([
        path,
        Object.keys(answers),
        errors.filter((code) => !ofAll.has(code)).toSorted(),
      ])
      if (home === 'hosted') expect([path, cells[0]]).toEqual([path, role])
    }
  })

  it('explain each error code', () => {
    expect(errorCodes.filter((code) => !`${pages.local}${pages.hosted}`.includes(`\`${code}\``))).toEqual([])
  })
})
