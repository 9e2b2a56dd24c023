// `POST /local/session` exchanges the code of a link for a key, `POST /local/link` makes a code for a new link.

import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { Check } from 'typebox/schema'
import { ApiError } from '../contract/errors.ts'
import { isOfThisUser } from '../identity/peer-user.ts'
import type { Access } from './access.ts'
import { answerError } from './answer-error.ts'
import { API_HEADERS } from './headers.ts'

/** `onlySameUser`: a program opens the link, and other users of a Linux computer see the command lines of programs. */
const LinkWish = Type.Object({ onlySameUser: Type.Literal(true) })
const Exchange = Type.Object({ code: Type.String({ minLength: 1, maxLength: 200 }) })

/** `isOwner`: whether a body proves that its sender runs this runtime. `page`: the address that links name. */
export const addSessionRoutes = (
  app: FastifyInstance,
  access: Access,
  isOwner: (body: unknown) => boolean,
  page: () => string,
): void => {
  app.post('/local/session', { config: { role: 'open' } }, (request, reply) => {
    // The guard has refused other origins; a page always sends its own.
    if (request.headers.origin === undefined) {
      return answerError(reply, new ApiError('forbidden_origin', 'Only a page of this runtime takes a session.'))
    }
    if (!Check(Exchange, request.body)) {
      return answerError(reply, new ApiError('invalid_request', 'The body is { "code": text }.'))
    }
    const key = access.exchange(request.body.code, () => isOfThisUser(request.raw.socket))
    if (key === undefined) {
      const message = 'This link has been used or is older than 10 minutes. Print a new one with `wes link`.'
      return answerError(reply, new ApiError('unauthorized', message))
    }
    return reply.code(201).headers(API_HEADERS).send(JSON.stringify({ key }))
  })
  app.post('/local/link', { config: { role: 'admin' } }, (request, reply) => {
    // Without a token, anybody on this machine may send this.
    const isRefused = access.hasSessions && !access.asksForToken && !isOwner(request.body)
    if (isRefused) return answerError(reply, notTheOwner())
    const code = access.newCode(Check(LinkWish, request.body)) ?? null
    return reply
      .code(201)
      .headers(API_HEADERS)
      .send(JSON.stringify({ code, page: page() }))
  })
}

const notTheOwner = () =>
  new ApiError('unauthorized', 'Links are only for the user who runs this runtime. Print one with `wes link`.')
