// What the error that `fetch` threw says about the request. Platforms hide the reason in the error's chain of causes.

import { isRecord } from './is-record.ts'

type Thrown = Readonly<Record<string, unknown>>

/** Whether the connection was never made, so that the service cannot have the request. */
export const wasNeverConnected = (thrown: unknown): boolean => chainOf(thrown).some(isNeverConnected)

/** Whether the next attempt would fail in the same way. */
export const isPermanent = (thrown: unknown): boolean =>
  chainOf(thrown).some((error) =>
    [isRefusedByTls, isRefusedByFetch, isRefusedByProxy, isProgrammingError].some((isRefused) => isRefused(error)),
  )

/**
 * Whether Node's `fetch` hides an answer with status 407 behind this error: the cause of that one alone says nothing.
 * Other platforms return the answer.
 */
export const hides407 = (thrown: unknown): boolean => {
  const [outer, cause, ...more] = chainOf(thrown)
  return outer?.message === 'fetch failed' && cause?.message === '' && cause.code === undefined && more.length === 0
}

/**
 * Whether Next.js makes its `fetch` throw this, to learn that a page cannot be rendered when it is built. It knows its errors by
 * `digest`, and only unwrapped.
 */
export const isOfNextJs = (thrown: unknown): boolean => isRecord(thrown) && typeof thrown['digest'] === 'string'

const NEVER_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

/** Deno has no codes. It says `Connect` of TLS handshakes too, before which no request is sent. */
const isNeverConnected = ({ code, message }: Thrown): boolean =>
  NEVER_CONNECTED.has(String(code)) || String(message).includes('client error (Connect)')

// The results of OpenSSL's verification, under the names that Node and Bun give them.
const CERTIFICATE = /* @__PURE__ */ new RegExp(
  '^(?:CERT_.+|CRL_.+|ERR_TLS_CERT_.+|UNABLE_TO_(?:GET|VERIFY|DECRYPT|DECODE)_.+|DEPTH_ZERO_SELF_SIGNED_CERT|' +
    'SELF_SIGNED_CERT_IN_CHAIN|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|HOSTNAME_MISMATCH|' +
    // Not the server's certificate: it does not speak TLS, offers HTTP/2 only, or wants a certificate of the client.
    'ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_UNSUPPORTED_PROTOCOL|' +
    'ERR_SSL_.+_ALERT_(?:PROTOCOL_VERSION|NO_APPLICATION_PROTOCOL|HANDSHAKE_FAILURE|CERTIFICATE_REQUIRED))$',
)

/** What Deno says of a certificate, and Deno and Bun of a server that does not speak TLS. */
const TLS_MESSAGE = /invalid peer certificate|corrupt message of type InvalidContentType|Does the server speak TLS/

const isRefusedByTls = ({ code, message }: Thrown): boolean =>
  CERTIFICATE.test(String(code)) || TLS_MESSAGE.test(String(message))

/** The last is Deno's `bad port`. */
const isRefusedByFetch = ({ code, message }: Thrown): boolean =>
  code === 'ERR_INVALID_URL' ||
  message === 'unknown scheme' ||
  message === 'bad port' ||
  /Requests to port \d+ are blocked/.test(String(message))

/** A proxy that wants a password opens no tunnel: as Node's agents say it, and as the `fetch` of Node and of Deno do. */
const isRefusedByProxy = ({ statusCode, message }: Thrown): boolean =>
  statusCode === 407 || /^Proxy response \(407\)|proxy authentication required/.test(String(message))

/** Of the caller's own `fetch`. Other TypeErrors are what platforms throw for a connection that failed. */
const isProgrammingError = ({ name, message }: Thrown): boolean =>
  name === 'ReferenceError' ||
  name === 'SyntaxError' ||
  name === 'RangeError' ||
  (name === 'TypeError' && /is not a function|^Cannot read propert/.test(String(message)))

const chainOf = (thrown: unknown): readonly Thrown[] => {
  const chain: Thrown[] = []
  for (let error = thrown; isRecord(error) && chain.length < 5; error = error['cause']) chain.push(error)
  return chain
}
