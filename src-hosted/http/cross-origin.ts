// Lets pages of listed origins call the API, with a token and never with a session. Without a list no page of another
// origin can read an answer.

import type { FastifyReply, FastifyRequest } from 'fastify'

const ALLOWED: Readonly<Record<string, string>> = {
  'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
  'access-control-allow-headers':
    'Authorization, Content-Type, Idempotency-Key, If-Match, Last-Event-ID, Prefer, X-Service-Project-Id',
  'access-control-max-age': '600',
}

const EXPOSED = 'ETag, Location, Preference-Applied, Retry-After'

/** Returns whether it has answered: what a browser asks before it sends the request, which carries no token. */
export const createCrossOrigin = (
  origins: readonly string[],
): ((request: FastifyRequest, reply: FastifyReply) => boolean) => {
  const allowed = new Set(origins.map((origin) => new URL(origin).origin))
  return (request, reply) => {
    if (allowed.size === 0 || !/^\/v1(?:[/?]|$)/.test(request.originalUrl)) return false
    void reply.header('vary', 'Origin')
    const { origin } = request.headers
    if (origin === undefined || !allowed.has(origin)) return false
    void reply.headers({ 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED })
    if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined) return false
    void reply.code(204).headers(ALLOWED).send()
    return true
  }
}
