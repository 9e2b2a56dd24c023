// `POST /local/session` exchanges the code of a link for a key, `POST /local/link` makes a code for a new link.

import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { Check } from 'typebox/schema'
import { ApiError } from '../contract/errors.ts'
import type { Access } from './access.ts'
import { answerError } from './answer-error.ts'
import { API_HEADERS } from './headers.ts'

const Exchange = Type.Object({ code: Type.String({ minLength: 1, maxLength: 200 }) })

export const addSessionRoutes = (app: FastifyInstance, access: Access): void => {
  app.post('/local/session', { config: { role: 'open' } }, (request, reply) => {
    // The guard has refused other origins; a page always sends its own.
    if (request.headers.origin === undefined) {
      return answerError(reply, new ApiError('forbidden_origin', 'Only a page of this runtime takes a session.'))
    }
    if (!Check(Exchange, request.body)) {
      return answerError(reply, new ApiError('invalid_request', 'The body is { "code": text }.'))
    }
    const key = access.exchange(request.body.code)
    if (key === undefined) {
      const message = 'This link has been used or is older than 10 minutes. Print a new one with `wes link`.'
      return answerError(reply, new ApiError('unauthorized', message))
    }
    return reply.code(201).headers(API_HEADERS).send(JSON.stringify({ key }))
  })
  app.post('/local/link', { config: { role: 'admin' } }, (_request, reply) =>
    reply
      .code(201)
      .headers(API_HEADERS)
      .send(JSON.stringify({ code: access.newCode() ?? null })),
  )
}
