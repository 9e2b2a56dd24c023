// The HTTP server of a home: routes from the table, one guard for all requests, one error format.

import { fileURLToPath } from 'node:url'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { ApiError } from '../contract/errors.ts'
import { BODY_LIMIT_BYTES } from '../contract/limits.ts'
import type { Home } from '../contract/operation-spec.ts'
import { operationsOf, type OperationsOf } from '../contract/operations.ts'
import { PAGE_HEADERS } from '../pages/page-headers.ts'
import { readPages, type PageFile } from '../pages/pages.ts'
import type { Principal } from '../ports/principal.ts'
import { createLoopTurns } from '../shared/loop-turns.ts'
import { answerError, asApiError, shuttingDown } from './answer-error.ts'
import { isOfTheApi, neededRole, refuseRole, type Authenticate } from './authenticate.ts'
import { addBodyParsers, settleBodyType } from './body-parsers.ts'
import { createHttpServer } from './create-server.ts'
import type { Guard } from './guard.ts'
import type { Answer, Caller, Handlers } from './handler.ts'
import { API_HEADERS, BARE_HEADERS } from './headers.ts'
import { holdAnswer } from './held-answers.ts'
import { withoutPagePrefix } from './paths.ts'
import { readAccepted } from './read-accepted.ts'
import { createReadRequest, type CheckedRequest } from './read-request.ts'
import { requestIdOf } from './request-id.ts'
import { takeRoom, type OwnRoom, type RequestRoom } from './request-room.ts'
import { sendStream, type OnRevoked } from './send-stream.ts'
import { createUnknownRoute } from './unknown-route.ts'

export type HttpAppDeps<Where extends Home, Who extends Principal, Ports> = {
  readonly home: Where
  readonly handlers: Handlers<OperationsOf<Where>, Ports>
  readonly authenticate: Authenticate<Who>
  /** The ports of the caller's workspace; called for each request. */
  readonly portsOf: (who: Who) => Ports
  /** Bounds the memory of requests whose caller is known; absent: nothing does. */
  readonly room?: RequestRoom<Who>
  /** Refuses requests before anything else is looked at. */
  readonly guard: Guard
  /** Adds hooks that get each request before the guard does. */
  readonly addFirstHooks?: (app: FastifyInstance) => void
  /** Lets pages of other origins read the answer. Returns whether that was all the page asked for, and it is answered. */
  readonly crossOrigin?: (request: FastifyRequest, reply: FastifyReply) => boolean
  /**
   * Calls back when the caller may hold nothing open any more, since its token is not valid any more; not after the
   * function that it returns was called.
   */
  readonly whenRevoked?: (who: Who, listener: () => void) => () => void
  /** Of a request that took longer to arrive, it is asked again who sends it; 2 s unless given. */
  readonly askAgainMs?: number
  /** Routes that are no part of `/v1`. */
  readonly addRoutes?: (app: FastifyInstance) => void
  /** When the server stops taking requests: ends what callers wait for. Absent: that was ended before. */
  readonly onStopping?: () => Promise<void>
  readonly log: Logger
  /** Whether the last address of `X-Forwarded-For` is who sends a request; otherwise the connection says it. */
  readonly trustProxy?: boolean
  /** With index.html and assets; the status page by default. */
  readonly pagesFolder?: string
}

/** Who sends a request, and when that was asked (`performance.now()`): the answer waits where the process stands still. */
type Asked<Who> = { readonly who: Who; readonly at: number; room?: OwnRoom }

const STATUS_PAGE = fileURLToPath(new URL('../../resources/status-page', import.meta.url))
/** A token that was revoked while its request arrived counts no longer than others. */
const ASK_AGAIN_MS = 2_000
/** Longer than any head may be: over-long ids reach their handler, which does not find them. */
const LONGEST_PARAMETER = 32_768

export const createHttpApp = <Where extends Home, Who extends Principal, Ports>(
  deps: HttpAppDeps<Where, Who, Ports>,
): FastifyInstance => {
  const { home, guard, authenticate, log } = deps
  const unknownRoute = createUnknownRoute(
    home,
    readPages(deps.pagesFolder ?? STATUS_PAGE, { home, compresses: home === 'hosted' }),
  )
  const callers = new WeakMap<FastifyRequest, Asked<Who>>()
  let stopping = false

  const app = Fastify({
    serverFactory: (listener) => createHttpServer(listener),
    // The server has answered already; Fastify would close the connection before the caller reads the answer.
    clientErrorHandler: () => {},
    genReqId: requestIdOf,
    routerOptions: { maxParamLength: LONGEST_PARAMETER },
    rewriteUrl: ({ url = '' }) => withoutPagePrefix(home, url),
    trustProxy: deps.trustProxy === true && isProxy,
    bodyLimit: BODY_LIMIT_BYTES,
    forceCloseConnections: true,
    // Routes give Fastify no schemas: without its own compilers of them it loads neither.
    schemaController: { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } },
    // Below, in the shape of all other errors.
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => {
      if (deps.crossOrigin?.(request, reply) === true) return
      const refusal = guard(request.raw)
      if (refusal !== undefined) return answerError(reply, refusal)
      // The dashboard says itself that its address cannot be read.
      const route = unknownRoute(request.raw)
      if (route.kind === 'page') return sendPage(request, reply, route.file)
      refuseTarget(request, asApiError(error, log, request)).then(
        (refused) => answerError(reply, refused),
        (fault: unknown) => answerError(reply, asApiError(fault, log, request)),
      )
    },
  })

  /** No hook sees a request whose target cannot be read. */
  const refuseTarget = async (request: FastifyRequest, fault: ApiError): Promise<ApiError> => {
    const who = isOfTheApi(request.raw.url) ? await authenticate(request) : undefined
    return who instanceof ApiError ? who : fault
  }

  const answerUnknown = (request: FastifyRequest, reply: FastifyReply): void => {
    const route = unknownRoute(request.raw)
    return route.kind === 'page' ? sendPage(request, reply, route.file) : answerError(reply, route.error)
  }

  const proceed = (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    if (request.is404) return answerUnknown(request, reply)
    settleBodyType(request.raw)
    done()
  }

  deps.addFirstHooks?.(app)
  app.addHook('onRequest', (request, reply, done) => {
    if (deps.crossOrigin?.(request, reply) === true) return
    const refusal = guard(request.raw) ?? (stopping ? shuttingDown(home) : undefined)
    if (refusal !== undefined) return answerError(reply, refusal)
    const needed = neededRole(request)
    if (needed === 'open') return proceed(request, reply, done)
    const onFault = (error: unknown): void => answerError(reply, asApiError(error, log, request))
    const at = performance.now()
    const admit = (who: Who | ApiError): void => {
      const refused = who instanceof ApiError ? who : refuseRole(needed, who.role)
      if (refused !== undefined) return answerError(reply, refused)
      const asked: Asked<Who> = { who: who as Who, at }
      callers.set(request, asked)
      if (deps.room === undefined || request.is404) return proceed(request, reply, done)
      const enter = (own: OwnRoom | ApiError): void => {
        if (own instanceof ApiError) return answerError(reply, own)
        asked.room = own
        proceed(request, reply, done)
      }
      const own = takeRoom(deps.room, asked.who, request, reply)
      if (!(own instanceof Promise)) return enter(own)
      own.then(enter).catch(onFault)
    }
    const who = authenticate(request)
    if (!(who instanceof Promise)) return admit(who)
    who.then(admit).catch(onFault)
  })
  app.setErrorHandler((error, request, reply) => answerError(reply, asApiError(error, log, request)))
  // Never reached: the hook above has answered.
  app.setNotFoundHandler((_request, reply) => answerError(reply, new ApiError('not_found', 'There is nothing here.')))
  app.addHook('preClose', async () => {
    stopping = true
    await deps.onStopping?.()
  })
  addBodyParsers(app, (request) => callers.get(request)?.room?.turn)
  deps.addRoutes?.(app)
  // The router would take the last part of such a path for an id.
  for (const [, { method, notAt }] of operationsOf(home)) {
    if (notAt !== undefined) app.route({ method, url: notAt, handler: answerUnknown })
  }
  addRoutes(app, deps, (request) => callers.get(request))
  return app
}

const addRoutes = <Where extends Home, Who extends Principal, Ports>(
  app: FastifyInstance,
  {
    home,
    handlers,
    authenticate,
    portsOf,
    whenRevoked,
    askAgainMs = ASK_AGAIN_MS,
    log,
  }: HttpAppDeps<Where, Who, Ports>,
  askedOf: (request: FastifyRequest) => Asked<Who> | undefined,
): void => {
  /** Making a large page keeps the process busy, so only one begins in each round of the event loop. */
  const pageTurns = createLoopTurns()
  for (const [name, spec] of operationsOf(home)) {
    // The table pairs each name with its parts; TypeScript cannot follow the pair through a loop.
    const handle = (handlers as Handlers<typeof name, Ports>)[name] as (
      ports: Ports | undefined,
      request: CheckedRequest,
      caller: Caller,
    ) => Answer | Promise<Answer>
    const read = createReadRequest(spec)
    app.route({
      method: spec.method,
      url: spec.path,
      config: {
        role: spec.role,
        operation: name,
        ...(spec.answerBytes !== undefined && { answerBytes: spec.answerBytes }),
      },
      ...(spec.bodyLimitBytes !== undefined && { bodyLimit: spec.bodyLimitBytes }),
      handler: (request, reply) => {
        const asked = askedOf(request)
        const who = asked?.who
        const room = asked?.room
        const onRevoked: OnRevoked = (listener) => (who && whenRevoked?.(who, listener)) ?? (() => {})
        const hold: Caller['hold'] = (onGone) => {
          const release = holdAnswer(reply, onGone)
          if (release === undefined) return undefined
          if (room?.hold('answer') === false) {
            release()
            return undefined
          }
          const unlisten = onRevoked(onGone)
          return async () => {
            release()
            unlisten()
            return room?.resume()
          }
        }
        const send = (settled: Answer): void => {
          if (settled.stream !== undefined) {
            if (room?.hold('stream') === false) throw tooManyHeld()
            return sendStream(request, reply, settled.stream, onRevoked)
          }
          room?.answer(settled.json ?? '')
          sendWhole(reply, settled)
        }
        const onFault = (error: unknown): void => answerError(reply, asApiError(error, log, request))
        const answer = (): void => {
          const settled = handle(who && portsOf(who), read(request), { hold })
          if (!(settled instanceof Promise)) return send(settled)
          settled.then(send).catch(onFault)
        }
        const act = (): void => {
          if (who === undefined || spec.answerBytes === undefined) return answer()
          pageTurns(who.workspaceId).then(answer).catch(onFault)
        }
        if (asked === undefined || performance.now() - asked.at < askAgainMs) return act()
        const actUnlessRevoked = async (): Promise<void> => {
          const known = await authenticate(request)
          if (known instanceof ApiError && known.code === 'unauthorized') throw known
          act()
        }
        actUnlessRevoked().catch(onFault)
      },
    })
  }
}

const tooManyHeld = () =>
  new ApiError('rate_limited', 'This workspace has too many streams and held answers open here: close some.', {
    'retry-after': '1',
  })

/** The proxy in front set the last address, which is the first one here behind its own. Those before are what its caller sent. */
const isProxy = (_address: string, index: number): boolean => index === 0

const noCompiler = () => () => {
  throw new Error('A route has a schema that Fastify would have to compile')
}

const sendWhole = (reply: FastifyReply, answer: Answer): void => {
  if (answer.json === undefined) return void reply.code(answer.status).headers(BARE_HEADERS).send()
  void reply
    .code(answer.status)
    .headers(API_HEADERS)
    .headers(answer.headers ?? {})
    .send(answer.bytes ?? answer.json)
}

const sendPage = (request: FastifyRequest, reply: FastifyReply, file: PageFile): void => {
  void reply
    .headers(PAGE_HEADERS)
    .headers(file.isForever ? { 'cache-control': 'public, max-age=31536000, immutable' } : {})
    .header('content-type', file.contentType)
  if (file.gzipped === undefined) return void reply.send(file.body)
  void reply.header('vary', 'accept-encoding')
  if (!acceptsGzip(request.headers['accept-encoding'])) return void reply.send(file.body)
  file.gzipped().then(
    (body) => reply.header('content-encoding', 'gzip').send(body),
    () => reply.send(file.body),
  )
}

const acceptsGzip = (accepted: string | readonly string[] = ''): boolean =>
  readAccepted(String(accepted)).some(({ type, isTaken }) => type === 'gzip' && isTaken)
