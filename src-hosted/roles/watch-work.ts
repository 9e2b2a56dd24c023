// The same work, which also tells what it does.

import type { Work } from '../dispatch/dispatcher.ts'
import { measureFire, measureWork } from '../metrics/measure.ts'
import type { FireDue } from '../store/tenancy.ts'
import { traceFire, traceWork } from '../tracing/trace-parts.ts'
import type { Base } from './base.ts'

export const watchWork = (work: Work, { metrics, tracing }: Pick<Base, 'metrics' | 'tracing'>): Work => {
  const measured = measureWork(work, metrics)
  return tracing === undefined ? measured : traceWork(measured, tracing)
}

export const watchFire = (fire: FireDue, { metrics, tracing }: Pick<Base, 'metrics' | 'tracing'>): FireDue => {
  const measured = measureFire(fire, metrics)
  return tracing === undefined ? measured : traceFire(measured, tracing)
}
