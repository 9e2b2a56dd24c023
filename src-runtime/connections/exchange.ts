// One request to a hosted service, and what may come back of its answer.

import { HOLD_LIMIT_SECONDS } from '../contract/limits.ts'
import { DEPLOY_BODY_LIMIT_BYTES } from '../shared/deploy-limit.ts'
import { crossing, type SendRequest } from '../shared/send-request.ts'
import { ANSWER_HEADERS, ConnectionProblem, problemAnswer } from './problems.ts'
import { noAnswer, notJson, redirected, refusedToken, tooSlow, type Target } from './service-problems.ts'
import { type WithheldToken, withholdToken } from './withhold-token.ts'

export type ServiceRequest = Pick<Request, 'method' | 'headers' | 'body'> & {
  /** `/v1/…`, with its query. */
  readonly path: string
  readonly signal: AbortSignal
  readonly onClosed?: () => void
}

/** Throws a ConnectionProblem if the service does not answer, or with something that is not its API's. */
export type Exchange = (target: Target, token: string | undefined, request: ServiceRequest) => Promise<Response>

/** Until the head of an answer comes, beyond what `Prefer: wait` allows. */
export const HEAD_LIMIT_MS = 30_000

const REQUEST_HEADERS = [
  'accept',
  'content-type',
  'idempotency-key',
  'if-match',
  'last-event-id',
  'prefer',
  'x-service-project-id',
]
/** Everything that the API answers with. Others could change what the page's origin is allowed to do. */
const ANSWER_HEADERS_CROSSING = [
  'allow',
  'content-type',
  'date',
  'etag',
  'location',
  'preference-applied',
  'retry-after',
]

export const createExchange =
  (send: SendRequest, headLimitMs: number): Exchange =>
  async (target, token, request) => {
    const { method, headers, path, onClosed } = request
    if (Number(headers.get('content-length') ?? 0) > DEPLOY_BODY_LIMIT_BYTES) throw tooLarge()
    const late = createDeadline(headLimitMs + waitOf(headers.get('prefer')))
    const upload = limitedBody(request, late.restart)
    try {
      const answer = await send({
        url: new URL(target.address + path),
        method,
        headers: {
          ...crossing(headers, REQUEST_HEADERS),
          'accept-encoding': 'identity',
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
        },
        body: upload.body,
        signal: AbortSignal.any([request.signal, late.signal]),
        ...(onClosed !== undefined && { onClosed }),
      })
      return await accepted(target, answer, method, token === undefined ? undefined : withholdToken(token))
    } catch (error) {
      if (error instanceof ConnectionProblem || request.signal.aborted) throw error
      if (upload.isTooLarge()) throw tooLarge()
      throw late.signal.aborted ? tooSlow(target) : noAnswer(target, error)
    } finally {
      late.end()
    }
  }

export const createDeadline = (ms: number) => {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(), ms)
  return {
    signal: controller.signal,
    restart: () => void timer.refresh(),
    end: () => clearTimeout(timer),
  }
}

/** In ms. */
const waitOf = (prefer: string | null): number => {
  const seconds = Number(/(?:^|[,;\s])wait\s*=\s*"?(\d{1,5})/i.exec(prefer ?? '')?.[1] ?? 0)
  return Math.min(seconds, HOLD_LIMIT_SECONDS) * 1_000
}

/** Tells of each part that was sent, and ends when there are too many bytes. */
const limitedBody = ({ method, body }: ServiceRequest, onSent: () => void) => {
  if (body === null || method === 'GET' || method === 'HEAD') return { body: null, isTooLarge: () => false }
  let bytes = 0
  const counted = body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform: (part, controller) => {
        bytes += part.byteLength
        if (bytes > DEPLOY_BODY_LIMIT_BYTES) return controller.error(tooLarge())
        onSent()
        controller.enqueue(part)
      },
    }),
  )
  return { body: counted, isTooLarge: () => bytes > DEPLOY_BODY_LIMIT_BYTES }
}

const tooLarge = () =>
  new ConnectionProblem('payload_too_large', `The body is larger than ${DEPLOY_BODY_LIMIT_BYTES / 2 ** 20} MiB.`)

const accepted = async (
  target: Target,
  answer: Response,
  method: string,
  token: WithheldToken | undefined,
): Promise<Response> => {
  const { status, body } = answer
  const textOf = (name: string): string | null => {
    const value = answer.headers.get(name)
    return value === null || token === undefined ? value : token.inText(value)
  }
  const problem =
    status >= 300 && status < 400 && status !== 304
      ? redirected(target, textOf('location'))
      : isOfTheApi(answer, method)
        ? undefined
        : notJson(target, status, textOf('content-type'))
  if (problem !== undefined || status === 401) {
    await body?.cancel()
    if (problem !== undefined) throw problem
    return problemAnswer(refusedToken(target))
  }
  const headers = new Headers(ANSWER_HEADERS)
  for (const name of ANSWER_HEADERS_CROSSING) {
    const value = textOf(name)
    if (value !== null) headers.set(name, value)
  }
  return new Response(body === null || token === undefined ? body : token.inBody(body), { status, headers })
}

const API_TYPE = /^(?:application\/json|text\/event-stream)\s*(?:;|$)/i

const isOfTheApi = ({ status, body, headers }: Response, method: string): boolean => {
  const encoding = headers.get('content-encoding')
  if (encoding !== null && encoding.toLowerCase() !== 'identity') return false
  const type = headers.get('content-type')
  if (type !== null) return API_TYPE.test(type)
  return body === null || method === 'HEAD' || status === 204 || headers.get('content-length') === '0'
}
