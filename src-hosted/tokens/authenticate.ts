// Who sends a request to the hosted API: a bearer token under `/v1`, the session of the dashboard under `/hosted/current`.

import { ApiError } from '../../src-runtime/contract/errors.ts'
import { bearerOf, type Authenticate } from '../../src-runtime/http/authenticate.ts'
import type { LimitsOf } from '../limits/limits.ts'
import type { TokenBuckets } from '../limits/token-buckets.ts'
import type { KnownToken } from '../store/tenancy.ts'
import type { Credential, KnownCallers } from './known-callers.ts'
import type { HostedPrincipal } from './principal.ts'
import { originFault, sessionKeyOf, type SessionRules } from './session-rules.ts'
import { isTokenText, secretDigest } from './token-text.ts'

export type AuthenticateDeps = {
  readonly callers: KnownCallers
  readonly limits: LimitsOf
  readonly buckets: TokenBuckets
  readonly sessions: SessionRules
  /** A token was used. */
  readonly noteUse: (tokenId: string) => void
}

type Answer = HostedPrincipal | ApiError

export const createAuthenticate = (deps: AuthenticateDeps): Authenticate<HostedPrincipal> => {
  const admit = (known: KnownToken | undefined, kind: Credential, digest: Buffer): Answer => {
    if (known === undefined) return unauthorized(kind)
    const limits = deps.limits(known.workspaceId)
    const rate = { perSecond: limits.requestsPerSecond, burst: limits.requestBurst }
    const waitSeconds = deps.buckets.take(known.tokenId, rate)
    if (waitSeconds !== undefined) return rateLimited(limits.requestsPerSecond, waitSeconds)
    deps.noteUse(known.tokenId)
    const { workspaceId, defaultProjectId, tokenId, role } = known
    return { workspaceId, defaultProjectId, tokenId, role, credential: digest.toString('base64') }
  }

  const find = (kind: Credential, secret: string): Answer | Promise<Answer> => {
    const digest = secretDigest(secret)
    const known = deps.callers.find(kind, digest)
    return known instanceof Promise ? known.then((settled) => admit(settled, kind, digest)) : admit(known, kind, digest)
  }

  return (request) => {
    if (!isFromPage(request.originalUrl)) {
      const token = bearerOf(request)
      if (token instanceof ApiError) return token
      return token === undefined || !isTokenText(token) ? unauthorized('token') : find('token', token)
    }
    const fault = originFault(deps.sessions, request)
    if (fault !== undefined) return fault
    const key = sessionKeyOf(deps.sessions, request.headers.cookie)
    return key === undefined ? unauthorized('session') : find('session', key)
  }
}

/** The dashboard's own path to the API, where tokens count for nothing. */
const isFromPage = (target: string): boolean => target.startsWith('/hosted/')

const unauthorized = (kind: Credential): ApiError =>
  new ApiError(
    'unauthorized',
    kind === 'token'
      ? 'The bearer token is missing, or it is not valid.'
      : 'There is no session, or it has ended: sign in with a token.',
    { 'www-authenticate': 'Bearer' },
  )

const rateLimited = (perSecond: number, waitSeconds: number): ApiError =>
  new ApiError('rate_limited', `This token may send ${perSecond} requests per second.`, {
    'retry-after': String(waitSeconds),
  })
