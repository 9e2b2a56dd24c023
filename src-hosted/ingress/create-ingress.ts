// The HTTP server of webhooks: `POST /:publicId` starts the Execution of a Trigger. It knows no tokens; who knows the
// address, and where one is asked for the signing secret, may call it. Nothing here logs an address.

import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { ApiError } from '../../src-runtime/contract/errors.ts'
import { BODY_LIMIT_BYTES } from '../../src-runtime/contract/limits.ts'
import { answerError, asApiError, shuttingDown } from '../../src-runtime/http/answer-error.ts'
import { createHttpServer } from '../../src-runtime/http/create-server.ts'
import { guardSyntaxOfHost } from '../../src-runtime/http/guard.ts'
import { API_HEADERS } from '../../src-runtime/http/headers.ts'
import { requestIdOf } from '../../src-runtime/http/request-id.ts'
import { refuseRepeated } from '../../src-runtime/http/repeated-header.ts'
import { isBodyLarge } from '../../src-runtime/http/request-room.ts'
import { createLoopTurns } from '../../src-runtime/shared/loop-turns.ts'
import type { TriggerStore } from '../store/tenancy.ts'
import { underStandardNames } from '../triggers/signatures.ts'
import type { StartPorts } from '../triggers/start-from-trigger.ts'
import type { ArrivingBodies } from '../limits/arriving-bodies.ts'
import {
  admitCall,
  callWebhook,
  findWebhook,
  noteRefusal,
  noTrigger,
  type CallWebhookDeps,
  type OwnedWebhook,
  type WebhookCall,
} from './call-webhook.ts'
import { createNoteLatest } from './note-latest.ts'

export type IngressDeps = Omit<CallWebhookDeps, 'portsOf' | 'note'> & {
  readonly portsOf: (
    owner: Parameters<CallWebhookDeps['portsOf']>[0],
  ) => StartPorts & { readonly tenant: { readonly triggers: Pick<TriggerStore, 'noteFired'> } }
  readonly bodies: ArrivingBodies
  /** Of a call that took longer to arrive, its webhook is read again; 1 s unless given. */
  readonly readAgainMs?: number
  readonly log: Logger
}

const READ_AGAIN_MS = 1_000

/** A webhook, and when it was asked for (`performance.now()`). */
type Called = { readonly webhook: OwnedWebhook; readonly at: number }

export const createIngress = ({ bodies, readAgainMs = READ_AGAIN_MS, log, ...rest }: IngressDeps): FastifyInstance => {
  const notes = createNoteLatest(
    (owned, fired) => rest.portsOf(owned).tenant.triggers.noteFired(owned.trigger.id, fired),
    log,
  )
  const deps: CallWebhookDeps = { ...rest, note: notes.note }
  const called = new WeakMap<FastifyRequest, Called>()
  const turns = createLoopTurns()
  let isStopping = false
  const app = Fastify({
    serverFactory: (listener) => createHttpServer(listener, 'POST'),
    clientErrorHandler: () => {},
    genReqId: requestIdOf,
    routerOptions: { maxParamLength: LONGEST_PARAMETER },
    bodyLimit: BODY_LIMIT_BYTES,
    forceCloseConnections: true,
    return503OnClosing: false,
    // A target that cannot be read: no hook sees it.
    frameworkErrors: (_error, { method }, reply) =>
      answerError(reply, method === 'POST' ? noTrigger() : onlyPost(method)),
  })
  const find = async (request: FastifyRequest): Promise<OwnedWebhook> => {
    const at = performance.now()
    const webhook = await findWebhook(deps, (request.params as { readonly publicId: string }).publicId)
    called.set(request, { webhook, at })
    return webhook
  }
  /** Until it settles, nothing of the body is read. */
  const admit = async (request: FastifyRequest): Promise<void> => {
    const webhook = await find(request)
    admitCall(deps, webhook, headersOf(request))
    for (const name of KEY_HEADERS) refuseRepeated(request.raw, name)
  }
  /** While the body arrived, it may have been removed, disabled, or given another secret. */
  const afterBody = (request: FastifyRequest): OwnedWebhook | Promise<OwnedWebhook> => {
    const { webhook, at } = called.get(request)!
    if (performance.now() - at < readAgainMs) return webhook
    called.delete(request)
    return find(request)
  }
  const refuse = (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const refusal = asApiError(error, log, request)
    const webhook = called.get(request)?.webhook
    if (webhook !== undefined) noteRefusal(deps, webhook, refusal)
    // What still comes is read, and not kept.
    request.raw.unpipe()
    answerError(reply, refusal)
  }

  app.removeAllContentTypeParsers()
  // The bytes are needed as they came: they are what is signed.
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    const call = called.get(request)
    if (call !== undefined && isBodyLarge(request)) await turns(call.webhook.workspaceId)
    return body
  })
  app.addHook('preParsing', (request, reply, payload, done) => {
    const call = called.get(request)
    if (call === undefined || !isBodyLarge(request)) return done(null, payload)
    const { stream, giveBack } = bodies.begin(call.webhook.workspaceId)
    reply.raw.once('close', giveBack)
    if (request.raw.socket.destroyed) giveBack() // before that could be heard
    payload.on('error', (error) => stream.destroy(error))
    done(null, payload.pipe(stream))
  })
  app.addHook('onRequest', (request, reply, done) => {
    const refusal = guardSyntaxOfHost(request.raw) ?? (isStopping ? shuttingDown('hosted') : undefined)
    if (refusal !== undefined) return answerError(reply, refusal)
    if (request.method !== 'POST') return answerError(reply, onlyPost(request.method))
    if (request.is404) return answerError(reply, noTrigger())
    const enter = (): void => done()
    admit(request)
      .then(enter)
      .catch((error: unknown) => refuse(error, request, reply))
  })
  app.addHook('preClose', (done) => {
    isStopping = true
    done()
  })
  app.addHook('onClose', () => notes.stop())
  app.setErrorHandler(refuse)
  app.setNotFoundHandler((_request, reply) => answerError(reply, noTrigger()))
  app.post('/:publicId', (request, reply) => {
    const call = async (): Promise<string> => callWebhook(deps, await afterBody(request), callOf(request))
    call().then(
      (executionId) => accept(reply, executionId),
      (error: unknown) => refuse(error, request, reply),
    )
  })
  return app
}

const LONGEST_PARAMETER = 32_768
const KEY_HEADERS = ['webhook-id', 'svix-id', 'idempotency-key']

const headersOf = (request: FastifyRequest) => underStandardNames(request.headers as WebhookCall['headers'])

const callOf = (request: FastifyRequest) => ({
  headers: headersOf(request),
  body: (request.body as Buffer | undefined) ?? Buffer.alloc(0),
})

const accept = (reply: FastifyReply, executionId: string): void => {
  void reply.code(202).headers(API_HEADERS).send(JSON.stringify({ executionId }))
}

const onlyPost = (method: string) =>
  new ApiError('method_not_allowed', `${method} is not allowed here; use POST.`, { allow: 'POST' })
