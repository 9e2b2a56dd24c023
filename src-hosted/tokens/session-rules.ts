// The cookie of the dashboard's session, and which pages may use it.

import type { FastifyRequest } from 'fastify'
import { ApiError } from '../../src-runtime/contract/errors.ts'

export type SessionRules = {
  readonly cookieName: string
  readonly isSecure: boolean
  /** Of the only pages that may use a session. */
  readonly origin: string
}

export const SESSION_LIFE_MS = 12 * 3_600_000

/**
 * `publicUrl` is where browsers find the dashboard. A cookie goes to every port of a host, so on a loopback address,
 * which several services share, its name holds the port.
 */
export const sessionRules = (publicUrl: string): SessionRules => {
  const url = new URL(publicUrl)
  const isSecure = url.protocol === 'https:'
  const port = url.port === '' ? '80' : url.port
  return { cookieName: isSecure ? '__Host-wes_session' : `wes_session_${port}`, isSecure, origin: url.origin }
}

/** The header that gives a browser the key; without a key, the one that takes it away. */
export const sessionCookie = ({ cookieName, isSecure }: SessionRules, key?: string): string => {
  const life = key === undefined ? 0 : SESSION_LIFE_MS / 1_000
  return `${cookieName}=${key ?? ''}; Path=/; Max-Age=${life}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
}

export const sessionKeyOf = ({ cookieName }: SessionRules, header: string | undefined): string | undefined => {
  for (const cookie of header?.split(';') ?? []) {
    const [name, value] = cookie.split('=', 2)
    if (name?.trim() === cookieName && /^[A-Za-z0-9_-]{43}$/.test(value?.trim() ?? '')) return value?.trim()
  }
  return undefined
}

/** Only our own pages may use a session. A browser leaves the origin out of what a page reads from its own. */
export const originFault = (
  { origin: own }: SessionRules,
  { method, headers }: Pick<FastifyRequest, 'method' | 'headers'>,
): ApiError | undefined => {
  const { origin } = headers
  if (origin !== undefined) return origin === own ? undefined : forbidden(`pages of ${origin.slice(0, 200)}`, own)
  const isReading = method === 'GET' || method === 'HEAD'
  const site = headers['sec-fetch-site']
  if (isReading && site === 'same-origin') return undefined
  if (isReading && site === undefined) return withoutSite(own)
  return forbidden('requests without an origin', own)
}

const forbidden = (whom: string, own: string): ApiError =>
  new ApiError('forbidden_origin', `The session of the dashboard is not for ${whom}: open the dashboard at ${own}.`)

/** Over plain HTTP under a name, browsers never say it, so opening the dashboard at its address again would not help. */
const withoutSite = (own: string): ApiError =>
  new ApiError(
    'forbidden_origin',
    'The browser did not say which site this request is from. Browsers say so over HTTPS and on localhost only, and ' +
      `Safari since version 16.4. The address of the dashboard is ${own}.`,
  )
