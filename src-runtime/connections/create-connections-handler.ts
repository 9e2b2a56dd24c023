// Answers a page's requests for `/local/connections*` and `/hosted/<id>/*`. Plain web types, so that every home can offer
// it. It does not ask who sends a request: its home does.

import type { TSchema } from 'typebox'
import { Check, Errors } from 'typebox/schema'
import { describeFaults } from '../shared/schema-faults.ts'
import type { SendRequest } from '../shared/send-request.ts'
import { createAskJson, readJson } from './ask-json.ts'
import type { Connections } from './connections.ts'
import { createExchange, HEAD_LIMIT_MS } from './exchange.ts'
import { createForwardHosted } from './forward-hosted.ts'
import { ConnectionChange, ConnectionTest, NewConnection, NewToken } from './models.ts'
import { ANSWER_HEADERS, ConnectionProblem, problemAnswer } from './problems.ts'
import { createServiceCheck } from './service-check.ts'
import { createTestConnection } from './test-connection.ts'

export type ConnectionsHandlerDeps = {
  readonly connections: Connections
  readonly send: SendRequest
  /** Of this app. A service of a later generation is refused. */
  readonly version: string
  /** In ms. */
  readonly now: () => number
  /** Gets an error that the answer does not describe. */
  readonly onUnexpected: (error: unknown) => void
  /** Until the head of an answer comes, in ms. */
  readonly headLimitMs?: number
}

/** Rejects only if the request was aborted. */
export type ConnectionsHandler = (request: Request) => Promise<Response>

const LIST = '/local/connections'
const BODY_LIMIT_BYTES = 65_536

export const createConnectionsHandler = (deps: ConnectionsHandlerDeps): ConnectionsHandler => {
  const { connections, send, version, now, onUnexpected } = deps
  const headLimitMs = deps.headLimitMs ?? HEAD_LIMIT_MS
  const exchange = createExchange(send, headLimitMs)
  const askJson = createAskJson(exchange, headLimitMs)
  const services = createServiceCheck(askJson, version, now)
  const forward = createForwardHosted(connections, services, exchange)
  const testConnection = createTestConnection(connections, services, askJson)

  const list: Route = {
    GET: async () => Response.json(await connections.list()),
    POST: async (request) => Response.json(await connections.add(await read(request, NewConnection)), { status: 201 }),
  }
  const test: Route = {
    POST: async (request) => {
      const tested = await testConnection(await read(request, ConnectionTest), request.signal)
      return 'refused' in tested ? tested.refused : Response.json(tested)
    },
  }
  const one = (id: string): Route => ({
    PATCH: async (request) => Response.json(await connections.change(id, await read(request, ConnectionChange))),
    DELETE: async () => {
      await connections.remove(id)
      return new Response(null, { status: 204 })
    },
  })
  const tokenOf = (id: string): Route => ({
    PUT: async (request) => Response.json(await connections.replaceToken(id, await read(request, NewToken))),
  })

  const routeOf = (pathname: string): Route | undefined => {
    if (pathname === LIST) return list
    if (pathname === `${LIST}/test`) return test
    const [, id, token] = /^\/local\/connections\/([a-z0-9-]{1,40})(\/token)?$/.exec(pathname) ?? []
    if (id === undefined) return undefined
    return token === undefined ? one(id) : tokenOf(id)
  }

  const answer = async (request: Request): Promise<Response> => {
    const url = new URL(request.url)
    const [, id, path] = /^\/hosted\/([^/]+)(\/v1\/.*)$/.exec(url.pathname) ?? []
    if (id !== undefined && path !== undefined && !climbs(path)) return forward(id, path + url.search, request)
    const route = routeOf(url.pathname)
    if (route === undefined) throw new ConnectionProblem('not_found', 'There is nothing here.')
    const act = Object.hasOwn(route, request.method) ? route[request.method] : undefined
    if (act !== undefined) return withHeaders(await act(request))
    const allow = Object.keys(route).join(', ')
    throw new ConnectionProblem('method_not_allowed', `${request.method} is not possible here; ${allow} is.`, { allow })
  }

  return async (request) => {
    try {
      return await answer(request)
    } catch (error) {
      if (error instanceof ConnectionProblem) return problemAnswer(error)
      if (request.signal.aborted) throw error
      onUnexpected(error)
      return problemAnswer(new ConnectionProblem('internal', 'Something went wrong here; the log says what.'))
    }
  }
}

type Route = Readonly<Record<string, (request: Request) => Promise<Response>>>

/** Whether a server that decodes the path might leave `/v1/`. */
const climbs = (path: string): boolean => {
  try {
    return decodeURIComponent(path)
      .split(/[/\\]/)
      .some((segment) => segment === '..' || segment === '.')
  } catch {
    return true
  }
}

const withHeaders = (answer: Response): Response => {
  for (const [name, value] of Object.entries(ANSWER_HEADERS)) answer.headers.set(name, value)
  return answer
}

const read = async <Schema extends TSchema>(request: Request, schema: Schema) => {
  if (!/^application\/json\s*(?:;|$)/i.test(request.headers.get('content-type') ?? '')) {
    throw new ConnectionProblem('unsupported_media_type', 'A body must come with content-type: application/json.')
  }
  const body = await readJson(request, BODY_LIMIT_BYTES)
  if (Check(schema, body)) return body
  throw new ConnectionProblem('invalid_request', faultOf(schema, body))
}

/** Never with the text of a body or with what its parser says about it: that may quote the token. */
const faultOf = (schema: TSchema, body: unknown): string => {
  if (body === undefined) return 'The body must be JSON, and short.'
  const [, errors] = Errors(schema, body)
  const isToken = errors.some(({ instancePath, keyword }) => instancePath === '/token' && keyword !== 'boolean')
  if (isToken) return 'A token is 1 to 4,096 visible ASCII characters, without spaces and line ends.'
  return describeFaults('body', errors)
}
