// The part of the service that webhooks call.

import type { FastifyInstance } from 'fastify'
import { systemClock } from '../../src-runtime/shared/clock.ts'
import { createArrivingBodies } from '../limits/arriving-bodies.ts'
import { createIngress } from '../ingress/create-ingress.ts'
import { createTokenBuckets } from '../limits/token-buckets.ts'
import { observeHooks } from '../metrics/observe-answers.ts'
import { traceHooks } from '../tracing/trace-requests.ts'
import type { Base } from './base.ts'
import type { WorkspacePortsOf } from './workspace-ports.ts'

export const createHooks = (
  { store, secrets, limits, log, metrics, tracing }: Base,
  portsOf: WorkspacePortsOf,
): FastifyInstance => {
  const app = createIngress({
    triggers: store.schedules,
    portsOf,
    secrets,
    limits,
    now: store.now,
    buckets: createTokenBuckets(systemClock.monotonic),
    bodies: createArrivingBodies(),
    log,
  })
  observeHooks(app, metrics, log)
  if (tracing !== undefined) traceHooks(app, tracing)
  return app
}
