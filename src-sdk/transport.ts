// Sends one HTTP request, reads the response, and turns anything but success into a ServiceRuntimeError.

import type { Address } from './address.ts'
import { isRecord } from './is-record.ts'
import { hides407, isOfNextJs } from './network-failure.ts'
import { withinLimit } from './request-limit.ts'
import { ServiceRuntimeError } from './service-runtime-error.ts'
import {
  type FetchFunction,
  type FetchInit,
  type ReadResponse,
  hasCacheOption,
  type WebAbortSignal,
  web,
} from './web-platform.ts'

export type TransportRequest = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Made with `path`, or constant. */
  readonly path: string
  readonly query?: string
  /** Sent as JSON when present. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Of the call: its signal ends the request before the client's time limit does. */
  readonly options?: CallOptions | undefined
  /** Of a request that has limits of its own. */
  readonly signal?: WebAbortSignal
  /** The default is for acknowledgements. */
  readonly isAnswer?: IsAnswer
}

/** Whether parsed JSON can be the answer of the API, by a member that each such answer has. */
export type IsAnswer = (value: unknown) => boolean

export const hasText =
  (member: string): IsAnswer =>
  (value) =>
    isRecord(value) && typeof value[member] === 'string'

export const hasObject =
  (member: string): IsAnswer =>
  (value) =>
    isRecord(value) && isRecord(value[member])

export const hasList =
  (member: string): IsAnswer =>
  (value) =>
    isRecord(value) && Array.isArray(value[member])

export const hasId: IsAnswer = /* @__PURE__ */ hasText('id')
export const hasItems: IsAnswer = /* @__PURE__ */ hasList('items')

/** The interface leaves the form of an acknowledgement open: it may be empty. */
const isAcknowledgement: IsAnswer = (value) => value === undefined || isRecord(value)

/** The last argument of each method. */
export type CallOptions = {
  /** Ends the call, which rejects with the signal's `reason`. The service may have received the request. */
  readonly signal?: WebAbortSignal | undefined
}

export type TransportAnswer<Value> = {
  /** The parsed JSON; undefined for an empty body. */
  readonly value: Value
  readonly header: (name: string) => string | undefined
}

export type Transport = <Value>(request: TransportRequest) => Promise<TransportAnswer<Value>>

/** Sends a request and returns the response, whatever its status. Throws a ServiceRuntimeError when none came. */
export type Exchange = (request: TransportRequest) => Promise<{ readonly response: ReadResponse; readonly url: string }>

export type Get = <Answer>(path: string, isAnswer: IsAnswer, options?: CallOptions) => Promise<Answer>
export type Post = <Answer>(path: string, isAnswer: IsAnswer, body: unknown, options?: CallOptions) => Promise<Answer>

/** Decides whether to call `send` again. `deadline`: of `web.performance`; the signal aborts then too. */
export type Repeat = <Answer>(
  request: TransportRequest,
  deadline: number,
  signal: WebAbortSignal,
  send: () => Promise<Answer>,
) => Promise<Answer>

const once: Repeat = (_request, _deadline, _signal, send) => send()

/** Throws when the text is not JSON. */
export type ParseJson = (text: string) => unknown

export const createExchange =
  (address: Address, fetch: FetchFunction): Exchange =>
  async ({ method, path, query = '', body, headers, signal }) => {
    const url = address.baseUrl + path + query
    const init: FetchInit = {
      method,
      headers: {
        Accept: 'application/json',
        ...(address.token === undefined ? {} : { Authorization: `Bearer ${address.token}` }),
        ...(address.projectId === undefined ? {} : { 'X-Service-Project-Id': address.projectId }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: toJson(body, method, path) }),
      ...(signal === undefined ? {} : { signal }),
      redirect: 'manual', // followed, a POST could become a GET, and the token would go elsewhere
      ...(hasCacheOption() ? { cache: 'no-store' } : {}),
    }
    try {
      return { response: await fetch(url, init), url }
    } catch (cause) {
      if (isOfNextJs(cause)) throw cause
      throw hides407(cause) ? refusalOfProxy(method, url, cause) : noAnswer(method, url, cause)
    }
  }

const toJson = (body: unknown, method: string, path: string): string => {
  try {
    return JSON.stringify(body)
  } catch (cause) {
    throw new ServiceRuntimeError({
      status: 0,
      code: 'invalid_request',
      message: `The body of ${method} ${path} cannot be JSON: ${describeCause(cause)}`,
      cause,
    })
  }
}

/** `limitMs` is the time limit of each request without a signal of its own, with its repeats. */
export const createTransport = (
  exchange: Exchange,
  { baseUrl }: Address,
  limitMs: number,
  parse: ParseJson = JSON.parse,
  repeat: Repeat = once,
): Transport => {
  const send: Transport = async <Value>(request: TransportRequest) => {
    const { method, isAnswer = isAcknowledgement } = request
    const { response, url } = await exchange(request)
    const { text, value } = await readBody(response, method, url, parse)
    if (!isSuccess(response)) throw refusal(response, value, method, url)
    const isText = value === undefined && text.trim() !== ''
    if (isText && isCutOff(response, text)) throw noAnswer(method, url, new Error('its JSON was cut off'))
    if (isText || !isAnswer(value)) {
      const got = JSON.stringify(value === undefined ? text : value).slice(0, LONGEST_SHOWN)
      throw new ServiceRuntimeError({
        status: response.status,
        code: 'invalid_response',
        message: `${method} ${url} answered ${response.status} with ${got}, which is no answer of the API; check that the address is the service's.`,
      })
    }
    return { value: value as Value, header: (name: string) => response.headers?.get(name) ?? undefined }
  }
  return <Value>(request: TransportRequest) =>
    request.signal === undefined
      ? withinLimit(limitMs, `${request.method} ${baseUrl}${request.path}`, request.options?.signal, (signal) =>
          repeat(request, web.performance.now() + limitMs, signal, () => send<Value>({ ...request, signal })),
        )
      : send<Value>(request)
}

/** Characters of an answer in a message. */
const LONGEST_SHOWN = 100

const isSuccess = ({ status }: ReadResponse): boolean => status >= 200 && status <= 299

/** Reads the error of a response. */
export const refusalOf = async (response: ReadResponse, method: string, url: string): Promise<ServiceRuntimeError> =>
  refusal(response, (await readBody(response, method, url)).value, method, url)

const readBody = async (
  response: ReadResponse,
  method: string,
  url: string,
  parse: ParseJson = JSON.parse,
): Promise<{ readonly text: string; readonly value: unknown }> => {
  let text: string
  try {
    if (response.text === undefined) return { text: '', value: await response.json?.() }
    text = await response.text()
  } catch (cause) {
    if (cause instanceof ServiceRuntimeError) throw cause
    throw noAnswer(method, url, cause) // the connection broke in the middle of the response
  }
  return { text, value: tryParse(parse, text) }
}

/** As by a proxy that lost its connection to the service. */
const isCutOff = ({ headers }: ReadResponse, text: string): boolean =>
  headers?.get('content-type')?.startsWith('application/json') === true && tryParse(JSON.parse, text) === undefined

export const tryParse = (parse: ParseJson, text: string): unknown => {
  try {
    return parse(text)
  } catch {
    return undefined
  }
}

const noAnswer = (method: string, url: string, cause: unknown): ServiceRuntimeError =>
  new ServiceRuntimeError({
    status: 0,
    code: 'network_error',
    message: `${method} ${url} got no answer: ${describeCause(cause)}`,
    cause,
  })

const refusalOfProxy = (method: string, url: string, cause: unknown): ServiceRuntimeError =>
  new ServiceRuntimeError({ status: 407, code: codeOfStatus(407), message: proxyRefused(method, url), cause })

const proxyRefused = (method: string, url: string): string =>
  `${method} ${url} answered 407: a proxy in front of the service wants a user name and a password`

/** Its messages end with `:SSL routines:FUNCTION:REASON:FILE:LINE:`. */
const OPENSSL = /:SSL routines:[^:]*:([^:]+):/

/** `fetch` hides the reason behind "fetch failed"; the innermost message is the useful one. */
const describeCause = (cause: unknown): string => {
  let said = String(cause)
  for (let inner = cause, depth = 0; isRecord(inner) && depth < 5; inner = inner['cause'], depth += 1) {
    const text = inner['message'] || inner['code']
    if (typeof text === 'string' && text !== '') said = text
  }
  const [, refusal] = OPENSSL.exec(said) ?? []
  return refusal === undefined ? said : `TLS failed: ${refusal}`
}

const refusal = (response: ReadResponse, value: unknown, method: string, url: string): ServiceRuntimeError => {
  const error = isRecord(value) && isRecord(value['error']) ? value['error'] : {}
  const { code, message } = error
  const status = response.status || 302 // browsers hide the status of a redirect
  const retryAfterMs = readRetryAfter(response.headers)
  return new ServiceRuntimeError({
    status,
    code: typeof code === 'string' && code !== '' ? code : codeOfStatus(status),
    message: typeof message === 'string' && message !== '' ? message : unexplained(method, url, response),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  })
}

/** With what browsers show in place of a status. */
const REDIRECTS: ReadonlySet<number> = /* @__PURE__ */ new Set([0, 301, 302, 303, 307, 308])

const unexplained = (method: string, url: string, { status, headers }: ReadResponse): string => {
  if (status === 407) return proxyRefused(method, url)
  if (!REDIRECTS.has(status)) return `${method} ${url} answered ${status}`
  const location = headers?.get('location') ?? undefined // hidden by browsers, like the status
  const redirect = location === undefined ? 'a redirect' : `a redirect to ${location}`
  return `${method} ${url} answered with ${redirect}, and redirects are not followed; check that the address is the service's.`
}

/** For responses from something other than the service, most often a proxy's error page. */
const codeOfStatus = (status: number): string => {
  const known: Readonly<Record<number, string>> = {
    400: 'invalid_request',
    401: 'unauthorized',
    403: 'forbidden',
    404: 'not_found',
    405: 'method_not_allowed',
    413: 'payload_too_large',
    415: 'unsupported_media_type',
    429: 'rate_limited',
    500: 'internal',
    502: 'unavailable',
    503: 'unavailable',
    504: 'unavailable',
  }
  return known[status] ?? `http_${status}`
}

/** Seconds, or a date. From a date the answer's own `Date` is subtracted, so the clocks need not be equal. */
const readRetryAfter = (headers: ReadResponse['headers']): number | undefined => {
  const said = headers?.get('retry-after')?.trim() ?? ''
  if (/^\d{1,6}$/.test(said)) return Number(said) * 1000
  const delayMs = readDate(said) - readDate(headers?.get('date') ?? '')
  return Number.isNaN(delayMs) ? undefined : Math.max(0, delayMs)
}

/** Of the one form that servers send, such as `Wed, 21 Oct 2026 07:28:00 GMT`. */
const readDate = (text: string): number => (/^[A-Z][a-z]{2}, .* GMT$/.test(text) ? Date.parse(text) : NaN)
