// The HTTP server of a runtime: routes from the table, one guard for all requests, one error format.

import { fileURLToPath } from 'node:url'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { ApiError } from '../contract/errors.ts'
import { BODY_LIMIT_BYTES } from '../contract/limits.ts'
import type { OperationSpec } from '../contract/operation-spec.ts'
import { operations, type OperationName } from '../contract/operations.ts'
import { createChangeReaders } from '../operations/change-readers.ts'
import { createBulks } from '../operations/bulks.ts'
import type { Identity } from '../operations/get-health.ts'
import type { OperationPorts } from '../operations/operation-ports.ts'
import { createProgramSchemas } from '../operations/program-schemas.ts'
import { PAGE_HEADERS } from '../pages/page-headers.ts'
import { readPages, type PageFile } from '../pages/pages.ts'
import { createReuseCostly } from '../operations/reuse-costly.ts'
import type { Access } from './access.ts'
import { answerError, asApiError } from './answer-error.ts'
import { addBodyParsers, settleBodyType } from './body-parsers.ts'
import { createHttpServer } from './create-server.ts'
import { createGuard } from './guard.ts'
import { createHandlers, type Answer, type Caller, type Handlers } from './handlers.ts'
import { API_HEADERS, BARE_HEADERS } from './headers.ts'
import { holdAnswer } from './held-answers.ts'
import { withoutLocalPrefix } from './paths.ts'
import { createReadRequest, type CheckedRequest } from './read-request.ts'
import { addSessionRoutes } from './session-routes.ts'
import { sendStream } from './send-stream.ts'
import { createUnknownRoute } from './unknown-route.ts'

export type HttpAppDeps = Omit<OperationPorts, 'schemas' | 'bulks' | 'reuse' | 'readers'> & {
  readonly log: Logger
  readonly identity: Identity
  readonly access: Access
  /** With index.html and assets; the status page by default. */
  readonly pagesFolder?: string
}

const STATUS_PAGE = fileURLToPath(new URL('../../resources/status-page', import.meta.url))
/** Longer than any head may be: over-long ids reach their handler, which does not find them. */
const LONGEST_PARAMETER = 32_768

export const createHttpApp = (deps: HttpAppDeps): FastifyInstance => {
  const { identity, access, log } = deps
  const guard = createGuard(identity.port)
  const unknownRoute = createUnknownRoute(readPages(deps.pagesFolder ?? STATUS_PAGE))
  const bulks = createBulks((error) => log.error({ err: error }, 'a step of a bulk failed'))
  let stopping = false

  const app = Fastify({
    serverFactory: createHttpServer,
    // The server has answered already; Fastify would close the connection before the caller reads the answer.
    clientErrorHandler: () => {},
    routerOptions: { maxParamLength: LONGEST_PARAMETER },
    rewriteUrl: ({ url = '' }) => withoutLocalPrefix(url),
    bodyLimit: BODY_LIMIT_BYTES,
    forceCloseConnections: true,
    // Routes give Fastify no schemas: without its own compilers of them it loads neither.
    schemaController: { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } },
    // Below, in the shape of all other errors.
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => {
      answerError(reply, guard(request.raw) ?? asApiError(error, log))
    },
  })

  app.addHook('onRequest', (request, reply, done) => {
    const refusal = guard(request.raw) ?? (stopping ? shuttingDown() : access.check(request))
    if (refusal !== undefined) return answerError(reply, refusal)
    if (request.is404) {
      const route = unknownRoute(request.raw)
      return route.kind === 'page' ? sendPage(reply, route.file) : answerError(reply, route.error)
    }
    settleBodyType(request.raw)
    done()
  })
  app.setErrorHandler((error, _request, reply) => answerError(reply, asApiError(error, log)))
  // Never reached: the hook above has answered.
  app.setNotFoundHandler((_request, reply) => answerError(reply, new ApiError('not_found', 'There is nothing here.')))
  app.addHook('preClose', async () => {
    stopping = true
    deps.changes.close()
    await bulks.close()
  })
  addBodyParsers(app)

  const ports = {
    ...deps,
    schemas: createProgramSchemas(deps.now),
    bulks,
    reuse: createReuseCostly(),
    readers: createChangeReaders(deps.changes),
  }
  addSessionRoutes(app, access)
  addRoutes(app, createHandlers(ports, identity), log)
  return app
}

const addRoutes = (app: FastifyInstance, handlers: Handlers, log: Logger): void => {
  for (const [name, spec] of Object.entries(operations) as [OperationName, OperationSpec][]) {
    // The table pairs each name with its parts; TypeScript cannot follow the pair through a loop.
    const handle = handlers[name] as (request: CheckedRequest, caller: Caller) => Answer | Promise<Answer>
    const read = createReadRequest(spec)
    app.route({
      method: spec.method,
      url: spec.path,
      ...(spec.bodyLimitBytes !== undefined && { bodyLimit: spec.bodyLimitBytes }),
      handler: (request, reply) => {
        const answer = handle(read(request), callerOf(reply))
        if (!(answer instanceof Promise)) return send(request, reply, answer)
        answer
          .then((settled) => send(request, reply, settled))
          .catch((error: unknown) => answerError(reply, asApiError(error, log)))
      },
    })
  }
}

const noCompiler = () => () => {
  throw new Error('A route has a schema that Fastify would have to compile')
}

const shuttingDown = () =>
  new ApiError('unavailable', 'The runtime is shutting down.', { connection: 'close', 'retry-after': '1' })

const callerOf = (reply: FastifyReply): Caller => ({ hold: (onGone) => holdAnswer(reply, onGone) })

const send = (request: FastifyRequest, reply: FastifyReply, answer: Answer): void => {
  if (answer.stream !== undefined) return sendStream(request, reply, answer.stream)
  if (answer.json === undefined) return void reply.code(answer.status).headers(BARE_HEADERS).send()
  void reply
    .code(answer.status)
    .headers(API_HEADERS)
    .headers(answer.headers ?? {})
    .send(answer.json)
}

const sendPage = (reply: FastifyReply, file: PageFile): void => {
  void reply
    .headers(PAGE_HEADERS)
    .headers(file.isForever ? { 'cache-control': 'public, max-age=31536000, immutable' } : {})
    .header('content-type', file.contentType)
    .send(file.body)
}
