// Lets pages of listed origins call the API, with a token and never with a session. Without a list no page of another
// origin can read an answer.

import type { FastifyInstance } from 'fastify'

const ALLOWED: Readonly<Record<string, string>> = {
  'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
  'access-control-allow-headers':
    'Authorization, Content-Type, Idempotency-Key, If-Match, Last-Event-ID, Prefer, X-Service-Project-Id',
  'access-control-max-age': '600',
}

const EXPOSED = 'ETag, Location, Preference-Applied, Retry-After'

export const addCrossOrigin = (app: FastifyInstance, origins: readonly string[]): void => {
  if (origins.length === 0) return
  const allowed = new Set(origins.map((origin) => new URL(origin).origin))
  app.addHook('onRequest', (request, reply, done) => {
    if (!/^\/v1(?:[/?]|$)/.test(request.originalUrl)) return done()
    void reply.header('vary', 'Origin')
    const { origin } = request.headers
    if (origin === undefined || !allowed.has(origin)) return done()
    void reply.headers({ 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED })
    // What a browser asks before it sends the request; it carries no token.
    if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined) return done()
    void reply.code(204).headers(ALLOWED).send()
  })
}
