// `POST /session` exchanges a token for the session of the dashboard, `DELETE /session` ends it.

import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { Check } from 'typebox/schema'
import { ApiError } from '../../src-runtime/contract/errors.ts'
import { answerError } from '../../src-runtime/http/answer-error.ts'
import { BARE_HEADERS } from '../../src-runtime/http/headers.ts'
import type { TokenBuckets } from '../limits/token-buckets.ts'
import type { AccessStore } from '../store/tenancy.ts'
import type { KnownCallers } from './known-callers.ts'
import { originFault, SESSION_LIFE_MS, sessionCookie, sessionKeyOf, type SessionRules } from './session-rules.ts'
import { isTokenText, secretDigest } from './token-text.ts'

export type SessionDeps = {
  readonly rules: SessionRules
  readonly access: Pick<AccessStore, 'startSession' | 'endSession'>
  readonly callers: KnownCallers
  readonly buckets: TokenBuckets
}

const SignIn = Type.Object({ token: Type.String({ minLength: 1, maxLength: 200 }) })
const KEY_BYTES = 32
/** Of each address that requests come from. */
const SIGN_INS = { perSecond: 0.5, burst: 10 }

export const addSessionRoutes = (app: FastifyInstance, deps: SessionDeps): void => {
  const { rules, access, callers, buckets } = deps
  const done = (reply: FastifyReply, key?: string) =>
    reply.code(204).headers(BARE_HEADERS).header('set-cookie', sessionCookie(rules, key)).send()

  app.post('/session', { config: { role: 'open' } }, async (request, reply) => {
    const fault = originFault(rules, request)
    if (fault !== undefined) return answerError(reply, fault)
    const waitSeconds = buckets.take(`sign-in:${request.ip}`, SIGN_INS)
    if (waitSeconds !== undefined) return answerError(reply, tooManySignIns(waitSeconds))
    const { body } = request
    if (!Check(SignIn, body)) {
      return answerError(reply, new ApiError('invalid_request', 'The body must be { "token": text }.'))
    }
    const token = body.token.trim()
    const known = isTokenText(token) ? await callers.find('token', secretDigest(token)) : undefined
    if (known === undefined) return answerError(reply, new ApiError('unauthorized', 'This token is not valid.'))
    const key = randomBytes(KEY_BYTES).toString('base64url')
    await access.startSession({ digest: secretDigest(key), tokenId: known.tokenId, lifeMs: SESSION_LIFE_MS })
    return done(reply, key)
  })

  app.delete('/session', { config: { role: 'open' } }, async (request, reply) => {
    const fault = originFault(rules, request)
    if (fault !== undefined) return answerError(reply, fault)
    const key = sessionKeyOf(rules, request.headers.cookie)
    if (key !== undefined) {
      const digest = secretDigest(key)
      await access.endSession(digest)
      callers.forget({ digest })
    }
    return done(reply)
  })
}

const tooManySignIns = (waitSeconds: number): ApiError =>
  new ApiError('rate_limited', 'Too many attempts to sign in from this address.', {
    'retry-after': String(waitSeconds),
  })
