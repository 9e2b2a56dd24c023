// Gives errors of Chromium's network stack the codes that Node has for the same failures, so that one list explains both.

import { ProxyError } from '../../src-runtime/shared/proxied-send.ts'

/** `net::ERR_…`, without the prefix. */
const CODES: readonly (readonly [pattern: RegExp, code: string])[] = [
  [/^NAME_(NOT_RESOLVED|RESOLUTION_FAILED)$/, 'ENOTFOUND'],
  [/^(CONNECTION_REFUSED|ADDRESS_INVALID)$/, 'ECONNREFUSED'],
  [/^(CONNECTION_(RESET|CLOSED|ABORTED)|EMPTY_RESPONSE)$/, 'ECONNRESET'],
  [/^(CONNECTION_TIMED_OUT|TIMED_OUT)$/, 'ETIMEDOUT'],
  [/^(ADDRESS_UNREACHABLE)$/, 'EHOSTUNREACH'],
  [/^(INTERNET_DISCONNECTED|NETWORK_CHANGED|NETWORK_ACCESS_DENIED)$/, 'ENETUNREACH'],
  [/^CERT_DATE_INVALID$/, 'CERT_HAS_EXPIRED'],
  [/^CERT_COMMON_NAME_INVALID$/, 'ERR_TLS_CERT_ALTNAME_INVALID'],
  // Node has no such code: it has certificates of its own.
  [/^CERT_AUTHORITY_INVALID$/, 'CERT_AUTHORITY_INVALID'],
  [/^CERT_REVOKED$/, 'CERT_REVOKED'],
  [/^CERT_/, 'CERT_REJECTED'],
  [/^SSL_/, 'ERR_SSL_PROTOCOL_ERROR'],
]

/** Names of its errors. */
export const OF_PROXY = /PROXY|PROXIES|SOCKS|TUNNEL|PAC_SCRIPT/

/** The app has nowhere to type a proxy's password, and the system's settings have none for it. */
const proxyFault = (name: string): string =>
  `the proxy of the system’s settings does not connect to it (net::ERR_${name}). ${PROXY_PASSWORD}`

export const PROXY_PASSWORD =
  'If it asks for a password, set the environment variable HTTPS_PROXY to http://USER:PASSWORD@HOST:PORT and start the app again.'

/** Its message has Chromium's name of the error, which can be looked up, and no address. */
export const nodeError = (error: Error): Error => {
  const name = /net::ERR_([A-Z0-9_]+)/.exec(error.message)?.[1]
  if (name === undefined) return error
  if (OF_PROXY.test(name)) return Object.assign(new ProxyError(proxyFault(name)), { code: `ERR_${name}` })
  const code = CODES.find(([pattern]) => pattern.test(name))?.[1]
  return Object.assign(new Error(`net::ERR_${name}`), { code: code ?? `ERR_${name}` })
}
