import Fastify from 'fastify'
import { pino } from 'pino'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { startCollector } from './collector.test-support.ts'
import { startTracing } from './start-tracing.ts'
import { traceApi } from './trace-requests.ts'
import { readTracingOptions } from './tracing-options.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` }

afterEach(() => void vi.unstubAllEnvs())

/** Nothing is kept but what a caller keeps. */
const start = async (ratio: string) => {
  const collector = await startCollector()
  onTestFinished(collector.close)
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.url)
  vi.stubEnv('OTEL_TRACES_SAMPLER', 'parentbased_traceidratio')
  vi.stubEnv('OTEL_TRACES_SAMPLER_ARG', ratio)
  const about = { version: '1.2.3', role: 'api', log: pino({ level: 'silent' }) }
  const tracing = startTracing(readTracingOptions(process.env)!, about)
  onTestFinished(() => tracing.stop())
  const app = Fastify()
  onTestFinished(() => app.close())
  traceApi(app, tracing)
  app.addHook('onRequest', (request, reply, done) => {
    const isKnown = request.headers.authorization !== undefined || request.routeOptions.config.role === 'open'
    if (isKnown) done()
    else void reply.code(401).send()
  })
  app.post('/known', { config: { role: 'write', operation: 'startExecution' } }, async () => 'done')
  app.get('/open', { config: { role: 'open', operation: 'getOpenApi' } }, async () => 'done')
  const spans = async () => {
    await tracing.stop()
    return collector.spans
  }
  return { app, spans }
}

it('only a request of a known caller joins the trace of its caller', async () => {
  const { app, spans } = await start('1')
  await app.inject({ method: 'POST', url: '/known', headers })
  await app.inject({ method: 'GET', url: '/open', headers })
  await app.inject({ method: 'POST', url: '/known', headers: { ...headers, authorization: 'yes' } })
  const [refused, open, known] = await spans()
  expect(refused).toMatchObject({ links: [traceId], attributes: { 'http.response.status_code': 401 } })
  expect(open).toMatchObject({ links: [traceId], attributes: { 'http.response.status_code': 200 } })
  for (const span of [refused, open]) expect(span!.traceId).not.toBe(traceId)
  expect(known).toMatchObject({ traceId, parentSpanId: '00f067aa0ba902b7', links: [] })
})

it('strangers cannot choose which traces are kept', async () => {
  const { app, spans } = await start('0')
  await app.inject({ method: 'POST', url: '/known', headers })
  await app.inject({ method: 'GET', url: '/open', headers })
  await app.inject({ method: 'POST', url: '/known', headers: { ...headers, authorization: 'yes' } })
  expect((await spans()).map(({ traceId: id }) => id)).toEqual([traceId])
})
