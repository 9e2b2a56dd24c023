import { queryOptions } from '@tanstack/react-query'
import { askEvery } from './ask-again.ts'
import { keptData } from './kept-data.ts'
import { queryKey } from './query-keys.ts'
import type { Scope } from './scope.ts'
import { serviceNow } from './service-clock.ts'

/** The spans, which end now, and their steps: about a hundred points each. */
export const SPANS = {
  '15m': { label: '15 minutes', ms: 15 * 60_000, stepMs: 10_000 },
  '1h': { label: 'hour', ms: 60 * 60_000, stepMs: 30_000 },
  '6h': { label: '6 hours', ms: 6 * 60 * 60_000, stepMs: 5 * 60_000 },
  '24h': { label: '24 hours', ms: 24 * 60 * 60_000, stepMs: 15 * 60_000 },
  '7d': { label: '7 days', ms: 7 * 24 * 60 * 60_000, stepMs: 2 * 60 * 60_000 },
  '30d': { label: '30 days', ms: 30 * 24 * 60 * 60_000, stepMs: 8 * 60 * 60_000 },
} as const

export type Span = keyof typeof SPANS
export const SPAN_NAMES = Object.keys(SPANS) as [Span, ...Span[]]

const REFRESH_MS = 2_000

/** Reads the span that ends now, again every two seconds because its end moves. */
export const metricsQuery = (scope: Scope, span: Span, programId: string | undefined) =>
  queryOptions({
    queryKey: queryKey(scope, 'metrics', span, programId ?? null),
    queryFn: ({ signal }) => {
      const { ms, stepMs } = SPANS[span]
      // Steps begin at whole multiples of their length, so that a step keeps its bounds while the span moves on.
      const to = Math.ceil(serviceNow(scope.connection) / stepMs) * stepMs
      return scope
        .until(signal)
        .client.getMetrics({ from: new Date(to - ms), to: new Date(to), step: stepMs, programId })
    },
    placeholderData: keptData(scope),
    refetchInterval: askEvery(REFRESH_MS),
  })
