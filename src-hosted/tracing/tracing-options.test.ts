import { expect, it } from 'vitest'
import { readTracingOptions } from './tracing-options.ts'

const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://collector.example:4318'
const read = (env: Readonly<Record<string, string>> = {}) => readTracingOptions({ OTEL_EXPORTER_OTLP_ENDPOINT, ...env })

it.each([
  {},
  { OTEL_EXPORTER_OTLP_ENDPOINT: '' },
  { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SDK_DISABLED: 'True' },
  { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_EXPORTER: 'none' },
])('nothing is traced with %j', (env) => {
  expect(readTracingOptions(env)).toBeUndefined()
})

it('an address is enough', () => {
  const expected = { sampler: { ratio: 1, followsParent: true }, batch: {} }
  expect(read()).toEqual({ collectorUrl: 'http://collector.example:4318/', ...expected })
  const collectorUrl = 'https://collector.example/x'
  const whole = readTracingOptions({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collectorUrl })
  expect(whole).toEqual({ collectorUrl, ...expected })
})

it.each([
  ['always_on', { ratio: 1, followsParent: false }],
  ['always_off', { ratio: 0, followsParent: false }],
  ['traceidratio', { ratio: 0.25, followsParent: false }],
  ['parentbased_always_off', { ratio: 0, followsParent: true }],
  ['parentbased_traceidratio', { ratio: 0.25, followsParent: true }],
])('the sampler %s is known', (sampler, expected) => {
  const read25 = read({ OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: '0.25' })
  expect(read25?.sampler).toEqual(expected)
})

it('sizes of batches are read', () => {
  const batch = { OTEL_BSP_SCHEDULE_DELAY: '100', OTEL_BSP_MAX_QUEUE_SIZE: '4096' }
  expect(read(batch)?.batch).toEqual({ scheduledDelayMillis: 100, maxQueueSize: 4096 })
})

it.each([
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'key@somewhere'],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
  ['OTEL_TRACES_EXPORTER', 'zipkin'],
  ['OTEL_TRACES_SAMPLER', 'sometimes'],
  ['OTEL_BSP_MAX_QUEUE_SIZE', '-7'],
  ['OTEL_BSP_SCHEDULE_DELAY', 'soon'],
])('%s=%s is refused by name, and its value is not repeated', (name, value) => {
  const refuse = () => read({ [name]: value })
  expect(refuse).toThrow(`${name} must be `)
  expect(refuse).not.toThrow(value)
})

it('a ratio above 1 is refused', () => {
  const env = { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '1.5' }
  expect(() => read(env)).toThrow('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1')
})
