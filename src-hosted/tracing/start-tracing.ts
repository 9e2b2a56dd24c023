// The only use of OpenTelemetry's packages, loaded only where traces are wanted. Nothing is registered for the whole process.

import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Span as OpenTelemetrySpan,
  type SpanContext,
} from '@opentelemetry/api'
import { ExportResultCode, parseTraceParent } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
  type Resource,
} from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type Sampler,
  type SpanExporter,
} from '@opentelemetry/sdk-trace'
import type { Logger } from 'pino'
import { messageOf } from '../../src-runtime/shared/message-of.ts'
import { within } from '../../src-runtime/shared/within.ts'
import type { About, Span, Tracing } from './tracing.ts'
import type { SamplerOptions, TracingOptions } from './tracing-options.ts'

const STOP_MS = 2_000

export const startTracing = (
  { sampler, batch }: TracingOptions,
  about: { readonly version: string; readonly role: string; readonly log: Logger },
): Tracing => {
  const exporter = reportFailures(new OTLPTraceExporter(), about.log)
  const provider = new TracerProvider({
    resource: resourceOf(about),
    sampler: samplerOf(sampler),
    spanProcessors: [new BatchSpanProcessor({ exporter, ...batch })],
  })
  // The exporter has read them; they may hold a key, which no process that is started may see.
  for (const kind of ['', 'TRACES_']) delete process.env[`OTEL_EXPORTER_OTLP_${kind}HEADERS`]
  const tracer = provider.getTracer('wes', about.version)
  const current = new AsyncLocalStorage<Context>()
  const contextNow = (): Context => current.getStore() ?? ROOT_CONTEXT

  const begin = (name: string, { kind, attributes = {}, beganAt = performance.now(), cause }: About): Span => {
    const from = contextOf(cause?.traceparent)
    const base = cause === undefined ? contextNow() : cause.as === 'parent' ? from : ROOT_CONTEXT
    const linked = cause?.as === 'link' ? trace.getSpanContext(from) : undefined
    const links = linked && [{ context: linked }]
    const options = { kind: KINDS[kind ?? 'internal'], attributes, startTime: beganAt, ...(links && { links }) }
    const span = tracer.startSpan(name, options, base)
    return spanOf(span, (act) => current.run(trace.setSpan(base, span), act))
  }
  let stopped: Promise<void> | undefined
  return {
    begin,
    during: async (name, given, act) => {
      const span = begin(name, given)
      try {
        return await span.within(() => act(span))
      } catch (error) {
        span.fail(error instanceof Error ? error.name : 'unknown')
        throw error
      } finally {
        span.end()
      }
    },
    continuing: (traceparent, act) => current.run(contextOf(traceparent), act),
    traceparent: () => textOf(trace.getSpanContext(contextNow())),
    // What cannot be sent in time is lost; the service does not wait for its collector.
    stop: () =>
      (stopped ??= within(
        STOP_MS,
        provider.shutdown().catch(() => {}),
      )),
  }
}

const KINDS = { internal: SpanKind.INTERNAL, server: SpanKind.SERVER, consumer: SpanKind.CONSUMER } as const

const spanOf = (span: OpenTelemetrySpan, within: Span['within']): Span => ({
  set: (attributes) => void span.setAttributes(attributes),
  fail: (reason) => void span.setAttribute('error.type', reason).setStatus({ code: SpanStatusCode.ERROR }),
  within,
  // On the clock of its beginning.
  end: () => span.end(performance.now()),
})

const contextOf = (traceparent: string | undefined): Context => {
  const parent = traceparent === undefined ? null : parseTraceParent(traceparent)
  return parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true })
}

const textOf = (span: SpanContext | undefined): string | undefined =>
  span && `00-${span.traceId}-${span.spanId}-${(span.traceFlags & 0xff).toString(16).padStart(2, '0')}`

const samplerOf = ({ ratio, followsParent }: SamplerOptions): Sampler => {
  const root =
    ratio === 1 ? new AlwaysOnSampler() : ratio === 0 ? new AlwaysOffSampler() : new TraceIdRatioBasedSampler(ratio)
  return followsParent ? new ParentBasedSampler({ root }) : root
}

const resourceOf = ({ version, role }: { readonly version: string; readonly role: string }): Resource =>
  defaultResource()
    .merge(
      resourceFromAttributes({
        'service.name': 'wes',
        'service.version': version,
        'service.instance.id': randomUUID(),
        'wes.role': role,
      }),
    )
    .merge(detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] }))

/** Says when traces begin to fail, and when they are sent again: not each time. */
const reportFailures = (exporter: SpanExporter, log: Logger): SpanExporter => {
  let fails = false
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const failed = result.code !== ExportResultCode.SUCCESS
        if (failed && !fails)
          log.warn(
            { reason: result.error && messageOf(result.error) },
            'traces cannot be sent to the collector; some are lost',
          )
        if (!failed && fails) log.warn('traces are sent to the collector again')
        fails = failed
        done(result)
      }),
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  }
}
