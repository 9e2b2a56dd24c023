// Who may use a local runtime: everybody on this machine, or with a token, those who send it and pages with a key. A page
// exchanges the code in the link that `wes dev` and `wes link` print for its key.

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { ApiError } from '../contract/errors.ts'
import type { Principal } from '../ports/principal.ts'
import type { Authenticate } from './authenticate.ts'

export type Access = {
  readonly authenticate: Authenticate<Principal>
  /** For a link: good for one exchange within ten minutes. Undefined where there is no token. */
  newCode(): string | undefined
  /** The key for a code; undefined when the code is not good. */
  exchange(code: string): string | undefined
}

export const SESSION_HEADER = 'x-wes-session'

/** Whoever may use the runtime is the one who runs it. */
const OWNER: Principal = { workspaceId: 'local', tokenId: 'local', role: 'admin' }

const CODE_LIFE_MS = 600_000
/** Limits of codes and keys; the oldest are dropped. */
const MOST_CODES = 100
const MOST_KEYS = 1_000

export const createAccess = (token: string | undefined, now: () => number): Access => {
  /** Digests by when they end. */
  const codes = new Map<string, number>()
  const keys = new Set<string>()
  const expected = token === undefined ? undefined : digest(token)

  return {
    authenticate: (request) => {
      if (expected === undefined) return OWNER
      const bearer = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
      if (bearer !== undefined && timingSafeEqual(digest(bearer), expected)) return OWNER
      const key = request.headers[SESSION_HEADER]
      if (typeof key === 'string' && keys.has(textDigest(key))) return OWNER
      return unauthorized(key !== undefined)
    },
    newCode: () => {
      if (token === undefined) return undefined
      const code = randomBytes(24).toString('base64url')
      codes.set(textDigest(code), now() + CODE_LIFE_MS)
      forgetOldest(codes, MOST_CODES)
      return code
    },
    exchange: (code) => {
      const known = textDigest(code)
      const until = codes.get(known)
      codes.delete(known)
      if (until === undefined || until < now()) return undefined
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

const forgetOldest = (
  kept: { readonly size: number; keys(): Iterator<string>; delete(key: string): boolean },
  most: number,
) => {
  while (kept.size > most) kept.delete(kept.keys().next().value as string)
}
