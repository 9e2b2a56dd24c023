// Tells of every answer of an HTTP server, to metrics and to the log: which operation, never which address.

import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { Metrics } from './metrics.ts'

export const observeApi = (app: FastifyInstance, metrics: Metrics, log: Logger): void => {
  app.addHook('onResponse', (request, reply, done) => {
    const operation = (request.is404 ? undefined : request.routeOptions.config.operation) ?? 'none'
    const isHeld = request.headers.prefer?.toString().includes('wait') === true
    metrics.answered(operation, reply.statusCode, isHeld ? undefined : reply.elapsedTime / 1_000)
    logAnswer(log, { requestId: request.id, operation, status: reply.statusCode, ms: Math.round(reply.elapsedTime) })
    done()
  })
}

export const observeHooks = (app: FastifyInstance, metrics: Metrics, log: Logger): void => {
  app.addHook('onResponse', (request, reply, done) => {
    metrics.hookAnswered(reply.statusCode, reply.elapsedTime / 1_000)
    const ms = Math.round(reply.elapsedTime)
    logAnswer(log, { requestId: request.id, operation: 'callWebhook', status: reply.statusCode, ms })
    done()
  })
}

const logAnswer = (log: Logger, answer: object): void => {
  if (log.isLevelEnabled('info')) log.info(answer, 'answered')
}
