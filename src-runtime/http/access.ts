// Who may use a local runtime: everybody on this machine, or with a token, those who send it and pages with a key. Hosted
// connections are for pages with a key alone. A page exchanges the code in the link that `wes dev` and `wes link` print for
// its key.

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { ApiError } from '../contract/errors.ts'
import type { Principal } from '../ports/principal.ts'
import { forgetOldest } from '../shared/forget-oldest.ts'
import { bearerOf, type Authenticate } from './authenticate.ts'

export type Access = {
  readonly authenticate: Authenticate<Principal>
  /** Whether `/v1` requires a token. */
  readonly asksForToken: boolean
  /** Whether there are keys for pages. */
  readonly hasSessions: boolean
  /** Whether the request has the key of a session. */
  hasSession(request: Pick<FastifyRequest, 'headers'>): boolean
  /** For a link: good for one exchange within ten minutes, on request only by the same user. Undefined where there are no sessions. */
  newCode(onlySameUser?: boolean): string | undefined
  /** The key for a code; undefined when the code is not good. `isSameUser`: whether this runtime's user asks. */
  exchange(code: string, isSameUser: () => boolean): string | undefined
}

export const SESSION_HEADER = 'x-wes-session'

/** Everyone who may use the runtime counts as the one who runs it. */
const OWNER: Principal = { workspaceId: 'local', tokenId: 'local', role: 'admin' }

const CODE_LIFE_MS = 600_000
/** Limits of codes and keys; the oldest are dropped. */
const MOST_CODES = 100
const MOST_KEYS = 1_000

/** `offersConnections`: there are keys for pages, also without a token. */
export const createAccess = (token: string | undefined, now: () => number, offersConnections: boolean): Access => {
  const hasSessions = offersConnections || token !== undefined
  /** By their digests. */
  const codes = new Map<string, { readonly until: number; readonly onlySameUser: boolean }>()
  const keys = new Set<string>()
  const expected = token === undefined ? undefined : digest(token)

  const hasSession: Access['hasSession'] = ({ headers }) => {
    const key = headers[SESSION_HEADER]
    return typeof key === 'string' && keys.has(textDigest(key))
  }

  return {
    asksForToken: token !== undefined,
    hasSessions,
    hasSession,
    authenticate: (request) => {
      if (expected === undefined) return OWNER
      const bearer = bearerOf(request)
      if (bearer instanceof ApiError) return bearer
      if (bearer !== undefined && timingSafeEqual(digest(bearer), expected)) return OWNER
      if (hasSession(request)) return OWNER
      return unauthorized(request.headers[SESSION_HEADER] !== undefined)
    },
    newCode: (onlySameUser = false) => {
      if (!hasSessions) return undefined
      const code = randomBytes(24).toString('base64url')
      codes.set(textDigest(code), { until: now() + CODE_LIFE_MS, onlySameUser })
      forgetOldest(codes, MOST_CODES)
      return code
    },
    exchange: (code, isSameUser) => {
      const digested = textDigest(code)
      const known = codes.get(digested)
      // It stays good for the user's own browser.
      if (known?.onlySameUser === true && !isSameUser()) return undefined
      codes.delete(digested)
      if (known === undefined || known.until < now()) return undefined
      const key = randomBytes(32).toString('base64url')
      keys.add(textDigest(key))
      forgetOldest(keys, MOST_KEYS)
      return key
    },
  }
}

const unauthorized = (hadKey: boolean): ApiError =>
  new ApiError(
    'unauthorized',
    `This runtime asks for a token. ${hadKey ? 'The session of this page has ended. ' : ''}In a browser, open the link that \`wes dev\` printed, or print a new one with \`wes link\`; elsewhere send the token as a bearer token.`,
    { 'www-authenticate': 'Bearer' },
  )

/** Secrets are kept and compared as digests: they have equal length, and reveal nothing. */
const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
const textDigest = (text: string): string => digest(text).toString('base64url')
