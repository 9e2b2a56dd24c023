// The part of the service for callers: `/v1`, the dashboard, and the regular work.

import type { FastifyInstance } from 'fastify'
import packageJson from '../../package.json' with { type: 'json' }
import { createHttpApp } from '../../src-runtime/http/create-http-app.ts'
import { describeApi } from '../../src-runtime/http/describe-api.ts'
import { guardSyntaxOfHost } from '../../src-runtime/http/guard.ts'
import { sharedHandlers } from '../../src-runtime/http/handlers.ts'
import { getHealth, type Service } from '../../src-runtime/operations/get-health.ts'
import { findPages } from '../../src-runtime/pages/find-pages.ts'
import { systemClock } from '../../src-runtime/shared/clock.ts'
import { createCrossOrigin } from '../http/cross-origin.ts'
import { hostedOnlyHandlers } from '../http/hosted-handlers.ts'
import { createRequestMemory } from '../limits/request-memory.ts'
import { observeApi } from '../metrics/observe-answers.ts'
import type { HostedPorts } from '../ports/hosted-ports.ts'
import type { HostedOptions } from '../shared/hosted-options.ts'
import { traceApi } from '../tracing/trace-requests.ts'
import { openAccess } from '../tokens/open-access.ts'
import type { HostedPrincipal } from '../tokens/principal.ts'
import type { Base } from './base.ts'
import type { WorkspacePortsOf } from './workspace-ports.ts'

export const createApi = (
  { store, secrets, limits, log, metrics, tracing, onStop }: Omit<Base, 'dispatcher' | 'ids' | 'onCommitted'>,
  options: {
    readonly api: HostedOptions['api']
    /** Where webhooks are called. */
    readonly hooksUrl: string
    readonly portsOf: WorkspacePortsOf
  },
): FastifyInstance => {
  const { api, hooksUrl, portsOf } = options
  const publicUrl = api.publicUrl ?? `http://localhost:${api.port}`
  const { now } = store
  const access = openAccess({ access: store.access, limits, publicUrl, clock: systemClock, now, log })
  onStop(access.stop)

  const portsOfCaller = (principal: HostedPrincipal): HostedPorts => ({
    ...portsOf(principal),
    principal,
    limits: limits(principal.workspaceId),
    secrets,
    hooksUrl,
    forgetToken: access.forgetToken,
  })

  const service: Service = { home: 'hosted', version: packageJson.version, startedAt: now() }
  return createHttpApp({
    home: 'hosted',
    handlers: {
      ...sharedHandlers,
      ...hostedOnlyHandlers,
      getHealth: () => ({ status: 200, json: getHealth(service) }),
      getOpenApi: describeApi(service),
    },
    authenticate: access.authenticate,
    portsOf: portsOfCaller,
    room: createRequestMemory(),
    whenRevoked: access.whenRevoked,
    guard: guardSyntaxOfHost,
    addFirstHooks: (app) => {
      observeApi(app, metrics, log)
      if (tracing !== undefined) traceApi(app, tracing)
    },
    crossOrigin: createCrossOrigin(api.allowOrigins),
    addRoutes: access.addRoutes,
    log,
    trustProxy: api.trustProxy,
    pagesFolder: findPages(),
  })
}
