import { pino } from 'pino'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { processorMs } from '../../src-runtime/shared/processor-time.test-support.ts'
import { startCollector } from './collector.test-support.ts'
import { startTracing } from './start-tracing.ts'
import { readTracingOptions } from './tracing-options.ts'

const CALLER = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' }
const traceparent = `00-${CALLER.traceId}-${CALLER.spanId}-01`

afterEach(() => void vi.unstubAllEnvs())

const start = (url: string, env: Readonly<Record<string, string>> = {}) => {
  const all = { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_BSP_SCHEDULE_DELAY: '20', ...env }
  for (const [name, value] of Object.entries(all)) vi.stubEnv(name, value)
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) })
  const tracing = startTracing(readTracingOptions(process.env)!, { version: '1.2.3', role: 'worker', log })
  onTestFinished(() => tracing.stop())
  return { tracing, lines }
}

const collector = async (options?: Parameters<typeof startCollector>[0]) => {
  const started = await startCollector(options)
  onTestFinished(started.close)
  return started
}

it('a span belongs to the one within which it begins, and the first one to its caller', async () => {
  const { url, spans, keys } = await collector()
  const { tracing } = start(url, { OTEL_EXPORTER_OTLP_HEADERS: 'x-key=secret', OTEL_SERVICE_NAME: 'of tests' })
  expect(process.env['OTEL_EXPORTER_OTLP_HEADERS']).toBeUndefined()
  await tracing.during('outer', { cause: { as: 'parent', traceparent } }, async () => {
    await tracing.during('inner', { attributes: { one: 1 } }, async () => {})
  })
  await tracing.stop()
  expect([...keys]).toEqual(['secret'])
  const [inner, outer] = spans
  expect(outer).toMatchObject({ name: 'outer', traceId: CALLER.traceId, parentSpanId: CALLER.spanId })
  expect(inner).toMatchObject({ name: 'inner', parentSpanId: outer!.spanId, attributes: { one: 1 } })
  expect(inner!.resource).toMatchObject({
    'service.name': 'of tests',
    'service.version': '1.2.3',
    'wes.role': 'worker',
  })
})

it('a trace goes on where its text was sent to, and ends where none was', async () => {
  const { url, spans } = await collector()
  const { tracing } = start(url)
  const sent = await tracing.during('sender', {}, async () => tracing.traceparent())
  await tracing.continuing(sent, () => tracing.during('receiver', {}, async () => {}))
  await tracing.continuing('nonsense', () => tracing.during('stranger', {}, async () => {}))
  await tracing.during('linked', { cause: { as: 'link', traceparent } }, async () => {})
  await tracing.stop()
  const [sender, receiver, stranger, linked] = spans
  expect(sender!.parentSpanId).toBeUndefined()
  expect(receiver).toMatchObject({ traceId: sender!.traceId, parentSpanId: sender!.spanId })
  expect(stranger!.parentSpanId).toBeUndefined()
  expect(linked).toMatchObject({ parentSpanId: undefined, links: [CALLER.traceId] })
  expect(linked!.traceId).not.toBe(CALLER.traceId)
})

it('what rejects has failed, and its message is not sent', async () => {
  const { url, spans, text } = await collector()
  const { tracing } = start(url)
  const failing = tracing.during('fails', {}, () => Promise.reject(new TypeError('a secret')))
  await expect(failing).rejects.toThrow('a secret')
  await tracing.stop()
  expect(spans[0]).toMatchObject({ isError: true, attributes: { 'error.type': 'TypeError' } })
  expect(text()).not.toContain('a secret')
})

it('what a caller does not keep is not sent', async () => {
  const { url, spans } = await collector()
  const { tracing } = start(url)
  const cause = { as: 'parent', traceparent: traceparent.replace(/01$/, '00') } as const
  await tracing.during('dropped', { cause }, async () => {})
  await tracing.during('kept', {}, async () => {})
  await tracing.stop()
  expect(spans.map(({ name }) => name)).toEqual(['kept'])
})

it('a collector that is away is named once', async () => {
  const gone = await startCollector()
  await gone.close()
  const { tracing, lines } = start(gone.url, { OTEL_EXPORTER_OTLP_TIMEOUT: '100' })
  for (let round = 0; round < 3; round += 1) await tracing.during('lost', {}, async () => {})
  await vi.waitUntil(() => lines.length > 0)
  await tracing.during('lost too', {}, async () => {})
  await tracing.stop()
  expect(lines).toEqual([expect.stringContaining('traces cannot be sent to the collector')])
})

it('a collector that never answers slows nobody, and a stop does not wait for it', async () => {
  const slow = await collector({ answers: false })
  const { tracing } = start(slow.url, {
    OTEL_BSP_MAX_QUEUE_SIZE: '100',
    OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '10',
    OTEL_BSP_EXPORT_TIMEOUT: '600000',
    OTEL_EXPORTER_OTLP_TIMEOUT: '600000',
  })
  const before = processorMs()
  for (let count = 0; count < 10_000; count += 1) tracing.begin('one of many', {}).end()
  expect(processorMs() - before).toBeLessThan(2_000)
  await Promise.all([tracing.stop(), tracing.stop()])
})
