// A span for each request of an HTTP server: which route, never which address.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Span, Tracing } from './tracing.ts'

/** Asked for all the time by those who watch the service. */
const NOT_TRACED: ReadonlySet<string> = new Set(['getHealth'])
const OF_EXECUTION = /^\/v1\/executions\/:(\w+)/

/** Strangers may not say to which trace a request belongs, nor that it is kept: only known callers may. */
export const traceApi = (app: FastifyInstance, tracing: Tracing): void => {
  traceRequests(app, (request, isAdmitted, beganAt) => {
    const { operation, role } = request.routeOptions.config
    if (request.is404 || operation === undefined || NOT_TRACED.has(operation)) return undefined
    const as = isAdmitted && role !== 'open' ? 'parent' : 'link'
    return begin(tracing, request, { as, beganAt }, { 'wes.operation': operation, ...executionOf(request) })
  })
}

/** Strangers call webhooks. */
export const traceHooks = (app: FastifyInstance, tracing: Tracing): void => {
  traceRequests(app, (request, _isAdmitted, beganAt) =>
    begin(tracing, request, { as: 'link', beganAt }, { 'wes.operation': 'callWebhook' }),
  )
}

const begin = (
  tracing: Tracing,
  request: FastifyRequest,
  { as, beganAt }: { readonly as: 'parent' | 'link'; readonly beganAt: number },
  attributes: Readonly<Record<string, string>>,
): Span => {
  const route = request.routeOptions.url ?? ''
  const { traceparent } = request.headers
  return tracing.begin(`${request.method} ${route}`, {
    kind: 'server',
    beganAt,
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

type Start = (request: FastifyRequest, isAdmitted: boolean, beganAt: number) => Span | undefined

const traceRequests = (app: FastifyInstance, start: Start): void => {
  const begun = new WeakMap<FastifyRequest, number>()
  const spans = new WeakMap<FastifyRequest, Span>()
  const startOnce = (request: FastifyRequest, isAdmitted: boolean): void => {
    const beganAt = begun.get(request)
    if (beganAt === undefined) return
    begun.delete(request)
    const span = start(request, isAdmitted, beganAt)
    if (span !== undefined) spans.set(request, span)
  }
  app.addHook('onRequest', (request, _reply, done) => {
    begun.set(request, performance.now())
    done()
  })
  // A request that is refused, because its caller is not known or may not do this, does not come here.
  app.addHook('preParsing', (request, _reply, _payload, done) => {
    startOnce(request, true)
    done()
  })
  // Entered here and not earlier: what runs once the body has arrived would not belong to the span.
  app.addHook('preHandler', (request, _reply, done) => {
    const span = spans.get(request)
    if (span === undefined) done()
    else span.within(done)
  })
  app.addHook('onResponse', (request, { statusCode }, done) => {
    startOnce(request, false)
    const span = spans.get(request)
    span?.set({ 'http.response.status_code': statusCode })
    if (statusCode >= 500) span?.fail(String(statusCode))
    span?.end()
    done()
  })
}
