// `/local/connections*` and `/hosted/*` for pages with a session: a page of another program, or another user of this
// computer, must not use the tokens of hosted services.

import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { webStream } from '../shared/web-stream.ts'
import { ApiError } from '../contract/errors.ts'
import { SESSION_HEADER, type Access } from './access.ts'
import { answerError, asApiError } from './answer-error.ts'
import { API_HEADERS } from './headers.ts'
import { holdAnswer } from './held-answers.ts'

type ConnectionsRoutesDeps = {
  readonly access: Pick<Access, 'hasSession'>
  readonly handle: (request: Request) => Promise<Response>
  readonly log: Logger
}

const METHODS: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

export const addConnectionsRoutes = (app: FastifyInstance, { access, handle, log }: ConnectionsRoutesDeps): void => {
  const open = new Set<AbortController>()
  app.addHook('preClose', (done) => {
    for (const controller of open) controller.abort()
    done()
  })

  const respond = (request: FastifyRequest, reply: FastifyReply): void => {
    const { method } = request
    if (!METHODS.includes(method)) {
      const allow = METHODS.join(', ')
      return answerError(reply, new ApiError('method_not_allowed', `${method} is not possible here.`, { allow }))
    }
    const controller = new AbortController()
    const release = holdAnswer(reply, () => controller.abort())
    if (release === undefined) {
      const headers = { 'retry-after': '1' }
      return answerError(reply, new ApiError('rate_limited', 'This connection waits for too many answers.', headers))
    }
    open.add(controller)
    exchange(request, reply, handle, controller.signal)
      .catch((error: unknown) => {
        if (reply.raw.headersSent || reply.raw.destroyed) return reply.raw.destroy()
        // Only a stop aborts a request whose caller is still there.
        answerError(reply, controller.signal.aborted ? stopping() : asApiError(error, log, request))
      })
      .finally(() => {
        release()
        open.delete(controller)
      })
  }

  app.register((scope, _options, done) => {
    // Bodies pass as they come.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, payload, parsed) => parsed(null, payload))
    scope.addHook('onRequest', (request, reply, next) => {
      // A page learns from it what time it is at a service, whose clock may be another than this machine's.
      reply.raw.sendDate = false
      if (access.hasSession(request)) return next()
      void reply.code(401).headers(API_HEADERS).send(sessionRequired(request))
    })
    for (const url of ['/local/connections', '/local/connections/*', '/hosted/*']) {
      scope.all(url, { config: { role: 'open' } }, respond)
    }
    done()
  })
}

const stopping = () => new ApiError('unavailable', 'The runtime is stopping.', { 'retry-after': '1' })

/** Another code than a service's refusal of its token. */
const sessionRequired = ({ headers }: FastifyRequest): string => {
  const why =
    headers[SESSION_HEADER] === undefined
      ? 'This page may not use hosted connections yet.'
      : 'The session of this page has ended.'
  const message = `${why} Open the link that \`wes dev\` or \`npm start\` printed, or print a new one with \`wes link\`.`
  return JSON.stringify({ error: { code: 'session_required', message } })
}

const exchange = async (
  request: FastifyRequest,
  reply: FastifyReply,
  handle: ConnectionsRoutesDeps['handle'],
  signal: AbortSignal,
): Promise<void> => {
  const { status, headers, body } = await handle(webRequest(request, signal))
  reply.hijack()
  const { raw } = reply
  raw.writeHead(status, Object.fromEntries(headers))
  if (body === null || request.method === 'HEAD') {
    raw.end()
    return
  }
  // A stream of events has a head long before its first event.
  raw.flushHeaders()
  await pipeline(Readable.fromWeb(body), raw)
}

const webRequest = (request: FastifyRequest, signal: AbortSignal): Request => {
  const { method, originalUrl, body } = request
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) if (typeof value === 'string') headers.set(name, value)
  const url = originalUrl.startsWith('/') ? `http://localhost${originalUrl}` : originalUrl
  const hasBody = body instanceof Readable && method !== 'GET' && method !== 'HEAD'
  return new Request(url, {
    method,
    headers,
    signal,
    ...(hasBody && {
      // A caller reads the answer only when it has sent everything.
      body: webStream(body, 'drain'),
      duplex: 'half',
    }),
  })
}
