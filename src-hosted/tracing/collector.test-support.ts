// A small OpenTelemetry collector: takes traces over HTTP, and keeps them.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export type CollectedSpan = {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly links: readonly string[]
  readonly isError: boolean
  readonly attributes: Readonly<Record<string, unknown>>
  /** Of the process that sent it. */
  readonly resource: Readonly<Record<string, unknown>>
}

export type Collector = {
  readonly url: string
  readonly spans: readonly CollectedSpan[]
  /** All bodies as they came. */
  text(): string
  /** Header `x-key` of all requests. */
  readonly keys: ReadonlySet<string>
  close(): Promise<void>
}

type Attributes = readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[]
type Body = {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Attributes }
    readonly scopeSpans: readonly {
      readonly spans: readonly {
        readonly name: string
        readonly traceId: string
        readonly spanId: string
        readonly parentSpanId?: string
        readonly attributes: Attributes
        readonly links?: readonly { readonly traceId: string }[]
        readonly status?: { readonly code?: number }
      }[]
    }[]
  }[]
}

/** `answers: false`: it takes everything and never answers. */
export const startCollector = async ({ answers = true } = {}): Promise<Collector> => {
  const spans: CollectedSpan[] = []
  const bodies: string[] = []
  const keys = new Set<string>()
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => (body += text))
    request.on('end', () => {
      bodies.push(body)
      keys.add(String(request.headers['x-key']))
      if (request.method !== 'POST' || request.url !== '/v1/traces') return void response.writeHead(404).end()
      spans.push(...read(JSON.parse(body) as Body))
      if (answers) response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    text: () => bodies.join('\n'),
    keys,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const read = ({ resourceSpans }: Body): readonly CollectedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap((scope) =>
      scope.spans.map(({ name, traceId, spanId, parentSpanId, attributes, links, status }) => ({
        name,
        traceId,
        spanId,
        parentSpanId: parentSpanId || undefined,
        links: (links ?? []).map((link) => link.traceId),
        isError: status?.code === 2,
        attributes: valuesOf(attributes),
        resource: valuesOf(resource.attributes),
      })),
    ),
  )

const valuesOf = (attributes: Attributes): Readonly<Record<string, unknown>> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
