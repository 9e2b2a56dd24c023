// A span for each request of an HTTP server: which route, never which address.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Span, Tracing } from './tracing.ts'

/** Asked for all the time by those who watch the service. */
const NOT_TRACED: ReadonlySet<string> = new Set(['getHealth'])
const OF_EXECUTION = /^\/v1\/executions\/:(\w+)/

export const traceApi = (app: FastifyInstance, tracing: Tracing): void => {
  traceRequests(app, (request) => {
    const { operation } = request.routeOptions.config
    if (request.is404 || operation === undefined || NOT_TRACED.has(operation)) return undefined
    return begin(tracing, request, 'parent', { 'wes.operation': operation, ...executionOf(request) })
  })
}

/** Strangers call webhooks: they may not say to which trace a call belongs, nor that it is kept. */
export const traceHooks = (app: FastifyInstance, tracing: Tracing): void => {
  traceRequests(app, (request) => begin(tracing, request, 'link', { 'wes.operation': 'callWebhook' }))
}

const begin = (
  tracing: Tracing,
  request: FastifyRequest,
  as: 'parent' | 'link',
  attributes: Readonly<Record<string, string>>,
): Span => {
  const route = request.routeOptions.url ?? ''
  const { traceparent } = request.headers
  return tracing.begin(`${request.method} ${route}`, {
    kind: 'server',
    attributes: {
      'http.request.method': request.method,
      'http.route': route,
      'wes.request.id': request.id,
      ...attributes,
    },
    cause: { as, traceparent: typeof traceparent === 'string' ? traceparent : undefined },
  })
}

const executionOf = (request: FastifyRequest): Readonly<Record<string, string>> => {
  const name = OF_EXECUTION.exec(request.routeOptions.url ?? '')?.[1]
  const id = name === undefined ? undefined : (request.params as Readonly<Record<string, string>>)[name]
  // What callers put there need not be an id.
  return id !== undefined && /^exe_[0-9a-z]{26}$/.test(id) ? { 'wes.execution.id': id } : {}
}

const traceRequests = (app: FastifyInstance, start: (request: FastifyRequest) => Span | undefined): void => {
  const spans = new WeakMap<FastifyRequest, Span>()
  app.addHook('onRequest', (request, _reply, done) => {
    const span = start(request)
    if (span !== undefined) spans.set(request, span)
    done()
  })
  // Not before: what runs once a body has arrived would not belong to it.
  app.addHook('preHandler', (request, _reply, done) => {
    const span = spans.get(request)
    if (span === undefined) done()
    else span.within(done)
  })
  app.addHook('onResponse', (request, { statusCode }, done) => {
    const span = spans.get(request)
    span?.set({ 'http.response.status_code': statusCode })
    if (statusCode >= 500) span?.fail(String(statusCode))
    span?.end()
    done()
  })
}
