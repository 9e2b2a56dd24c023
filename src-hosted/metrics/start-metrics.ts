// A port for those who watch a process: `/metrics`, `/ready` and `/healthz`. It asks nobody who they are.

import { createServer } from 'node:http'
import { bindServer } from '../../src-runtime/shared/bind-server.ts'
import type { Metrics } from './metrics.ts'
import type { Sources } from './prometheus.ts'

export type MetricsPort = {
  readonly port: number
  readonly metrics: Metrics
  /** From now on the process is ready, and `sources` are asked. */
  ready(sources: Sources): void
  /** It stops: others are to take its work. */
  notReady(): void
  /** May be called twice. */
  stop(): Promise<void>
}

export const startMetrics = async (options: {
  readonly host: string
  readonly port: number
  readonly version: string
  readonly role: string
}): Promise<MetricsPort> => {
  const { host, port, ...about } = options
  const { createPrometheus } = await import('./prometheus.ts')
  const prometheus = createPrometheus(about)
  let sources: Sources | undefined
  let isReady = false

  const answer = async (path: string): Promise<readonly [status: number, type: string, body: string]> => {
    if (path === '/healthz') return [200, 'text/plain', 'ok\n']
    if (path === '/ready') return isReady ? [200, 'text/plain', 'ready\n'] : [503, 'text/plain', 'not ready\n']
    if (path === '/metrics') return [200, prometheus.contentType, await prometheus.text(sources)]
    return [404, 'text/plain', 'there are /metrics, /ready and /healthz\n']
  }
  const server = createServer((request, response) => {
    const [path = ''] = (request.url ?? '').split('?')
    answer(path).then(
      ([status, type, body]) => response.writeHead(status, { 'content-type': type }).end(body),
      () => response.writeHead(500).end(),
    )
  })
  const bound = await bindServer(server, host, port)
  let stopped: Promise<void> | undefined
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return {
    port: bound,
    metrics: prometheus.metrics,
    ready: (asked) => {
      sources = asked
      isReady = true
    },
    notReady: () => {
      isReady = false
    },
    stop: () => (stopped ??= stop()),
  }
}
