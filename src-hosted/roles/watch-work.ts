// The same work, which also tells what it does.

import type { Work } from '../dispatch/dispatcher.ts'
import { measureWork } from '../metrics/measure.ts'
import { traceWork } from '../tracing/trace-parts.ts'
import type { Base } from './base.ts'

export const watchWork = (work: Work, { metrics, tracing }: Pick<Base, 'metrics' | 'tracing'>): Work => {
  const measured = measureWork(work, metrics)
  return tracing === undefined ? measured : traceWork(measured, tracing)
}
