import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { queryKey } from './query-keys.ts'
import type { Scope } from './scope.ts'

/** Spans that end now, and the steps they are cut into: a hundred points or so each. */
export const SPANS = {
  '15m': { label: '15 minutes', ms: 15 * 60_000, step: '10s' },
  '1h': { label: '1 hour', ms: 60 * 60_000, step: '30s' },
  '6h': { label: '6 hours', ms: 6 * 60 * 60_000, step: '5m' },
  '24h': { label: '24 hours', ms: 24 * 60 * 60_000, step: '15m' },
  '7d': { label: '7 days', ms: 7 * 24 * 60 * 60_000, step: '2h' },
  '30d': { label: '30 days', ms: 30 * 24 * 60 * 60_000, step: '8h' },
} as const

export type Span = keyof typeof SPANS
export const SPAN_NAMES = Object.keys(SPANS) as [Span, ...Span[]]

const REFRESH_MS = 2_000

/** The span that ends now: asked again every two seconds, since its end moves. */
export const metricsQuery = (scope: Scope, span: Span, programId: string | undefined) =>
  queryOptions({
    queryKey: queryKey(scope, 'metrics', span, programId ?? null),
    queryFn: () => {
      const to = Date.now()
      const { ms, step } = SPANS[span]
      return scope.client.getMetrics({ from: new Date(to - ms), to: new Date(to), step, programId })
    },
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  })
