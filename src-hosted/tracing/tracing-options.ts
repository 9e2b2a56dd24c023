// Reads which traces are wanted from OpenTelemetry's variables. What is not read here, the exporter reads itself:
// OTEL_EXPORTER_OTLP_HEADERS, _TIMEOUT, _COMPRESSION, _CERTIFICATE; and OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES.

export type TracingOptions = {
  /** Where the collector is: no effect may connect to it. */
  readonly collectorUrl: string
  readonly sampler: SamplerOptions
  /** The SDK's own values where one is absent. */
  readonly batch: {
    readonly scheduledDelayMillis?: number
    readonly exportTimeoutMillis?: number
    readonly maxQueueSize?: number
    readonly maxExportBatchSize?: number
  }
}

/** `ratio`: of the traces that begin here. `followsParent`: a trace that began elsewhere is kept if it was kept there. */
export type SamplerOptions = { readonly ratio: number; readonly followsParent: boolean }

type Environment = Readonly<Record<string, string | undefined>>

const BATCH = {
  scheduledDelayMillis: 'OTEL_BSP_SCHEDULE_DELAY',
  exportTimeoutMillis: 'OTEL_BSP_EXPORT_TIMEOUT',
  maxQueueSize: 'OTEL_BSP_MAX_QUEUE_SIZE',
  maxExportBatchSize: 'OTEL_BSP_MAX_EXPORT_BATCH_SIZE',
} as const satisfies Record<keyof TracingOptions['batch'], string>

/** `undefined`: no traces. Throws an Error that names the variable which has a wrong value. */
export const readTracingOptions = (env: Environment): TracingOptions | undefined => {
  const name = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'].find((one) => given(env, one))
  if (name === undefined) return undefined
  if (given(env, 'OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return undefined
  const exporter = given(env, 'OTEL_TRACES_EXPORTER') ?? 'otlp'
  if (exporter === 'none') return undefined
  if (exporter !== 'otlp') throw new Error('OTEL_TRACES_EXPORTER must be otlp or none')
  checkProtocol(env)
  return {
    collectorUrl: urlOf(name, given(env, name)!),
    sampler: samplerOf(env),
    batch: Object.fromEntries(
      Object.entries(BATCH).flatMap(([option, variable]) => {
        const value = countOf(env, variable)
        return value === undefined ? [] : [[option, value]]
      }),
    ),
  }
}

/** Empty counts as absent, as OpenTelemetry's specification says. */
const given = (env: Environment, name: string): string | undefined => env[name]?.trim() || undefined

const checkProtocol = (env: Environment): void => {
  for (const name of ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL']) {
    const protocol = given(env, name)
    if (protocol === undefined) continue
    if (protocol.startsWith('http/')) return
    throw new Error(`${name} must be http/json or http/protobuf: traces are sent over HTTP (port 4318 of a collector)`)
  }
}

/** The value is not repeated: it may hold a password. */
const urlOf = (name: string, value: string): string => {
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url.href
  throw new Error(`${name} must be an http(s) URL, such as http://localhost:4318`)
}

const samplerOf = (env: Environment): SamplerOptions => {
  const name = given(env, 'OTEL_TRACES_SAMPLER') ?? 'parentbased_always_on'
  const followsParent = name.startsWith('parentbased_')
  switch (name.replace(/^parentbased_/, '')) {
    case 'always_on':
      return { ratio: 1, followsParent }
    case 'always_off':
      return { ratio: 0, followsParent }
    case 'traceidratio':
      return { ratio: ratioOf(env), followsParent }
    default:
      throw new Error(
        'OTEL_TRACES_SAMPLER must be always_on, always_off or traceidratio, or one of them after parentbased_',
      )
  }
}

const ratioOf = (env: Environment): number => {
  const ratio = Number(given(env, 'OTEL_TRACES_SAMPLER_ARG') ?? 1)
  if (ratio >= 0 && ratio <= 1) return ratio
  throw new Error('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1')
}

const countOf = (env: Environment, name: string): number | undefined => {
  const text = given(env, name)
  if (text === undefined) return undefined
  const value = Number(text)
  if (Number.isSafeInteger(value) && value > 0) return value
  throw new Error(`${name} must be a whole number above 0`)
}
