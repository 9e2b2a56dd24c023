// Turns every error into the API's error format. Errors that are not meant for the caller are logged.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { ApiError, errorJson } from '../contract/errors.ts'
import { BODY_LIMIT_BYTES } from '../contract/limits.ts'
import type { Home } from '../contract/operation-spec.ts'
import { isUnavailable } from '../operations/is-unavailable.ts'
import { HostsStoppedError, HostsUnavailableError } from '../shared/hosts-unavailable.ts'
import { DiskFaultError, DiskFullError, StoreClosedError } from '../shared/store-errors.ts'
import { answerEarly, isArriving } from './answer-early.ts'
import { API_HEADERS } from './headers.ts'
import { logUnserved } from './log-unserved.ts'

export const asApiError = (error: unknown, log: Logger, request: FastifyRequest): ApiError => {
  const requestId = request.id
  if (error instanceof ApiError) return error
  if (isUnavailable(error)) {
    if (!isOfStop(error)) logUnserved(log, error.message, requestId)
    return new ApiError('unavailable', whyUnavailable(error), { 'retry-after': '1' })
  }
  const { statusCode, message, code } = (error ?? {}) as { statusCode?: unknown; message?: unknown; code?: unknown }
  if (statusCode === 413) return bodyTooLarge(request.routeOptions.bodyLimit)
  if (statusCode === 415) return unsupportedMediaType()
  // Node says `aborted` to whoever reads the body. The caller is gone, but a webhook's Trigger shows why nothing started.
  if (statusCode === 400 && code === 'ECONNRESET') {
    return new ApiError('invalid_request', 'The connection ended before the whole body arrived.')
  }
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500) {
    return new ApiError('invalid_request', `The request cannot be read${reasonOf(message)}.`)
  }
  log.error({ err: error, requestId }, 'a request failed')
  return new ApiError('internal', 'Something went wrong here; the log says what.')
}

/** The process stops, so nothing is wrong. */
const isOfStop = (error: Error): boolean => error instanceof StoreClosedError || error instanceof HostsStoppedError

const whyUnavailable = (error: Error): string => {
  if (error instanceof DiskFullError) return 'The disk that holds the data is full: make room on it, then try again.'
  if (error instanceof DiskFaultError) {
    return 'The disk that holds the data cannot be read or written: see to it, then try again.'
  }
  const what =
    error instanceof HostsUnavailableError ? 'Programs cannot be checked' : 'The data cannot be reached or stored'
  return `${what} right now: try again.`
}

const reasonOf = (message: unknown) => (typeof message === 'string' ? `: ${message.slice(0, 200)}` : '')

const bodyTooLarge = (limitBytes = BODY_LIMIT_BYTES) =>
  new ApiError('payload_too_large', `The body is larger than ${limitBytes / 2 ** 20} MiB.`)

export const unsupportedMediaType = () =>
  new ApiError(
    'unsupported_media_type',
    'A body must come with content-type: application/json, in UTF-8 and not compressed.',
  )

export const shuttingDown = (home: Home): ApiError => {
  const what = home === 'local' ? 'runtime' : 'service'
  return new ApiError('unavailable', `The ${what} is shutting down.`, { connection: 'close', 'retry-after': '1' })
}

export const answerError = (reply: FastifyReply, error: ApiError): void => {
  // A server that stops has answered what took long.
  if (reply.raw.headersSent) return
  // Fastify would close the connection, and a caller who is still sending would lose the answer.
  void reply.removeHeader('connection')
  // A server that stops closes it all the same, and Node says so only where the header was never removed.
  const headers = { ...API_HEADERS, ...(!reply.raw.shouldKeepAlive && { connection: 'close' }), ...error.headers }
  const body = errorJson(error.code, error.message)
  if (isArriving(reply.request.raw)) answerEarly(reply, error.status, headers, body)
  else void reply.code(error.status).headers(headers).send(body)
}
