// Sentences for the user that say why a service does not answer as expected. Pure.

import { SilentError } from '../shared/send-request.ts'
import { ConnectionProblem } from './problems.ts'
import { ProxyError } from '../shared/proxied-send.ts'

/** Where a request goes, and what to call it: `Acme (wes.acme.example)`. */
export type Target = { readonly address: string; readonly label: string }

const UNKNOWN_SIGNER = 'this computer does not trust who signed it.'
/** Of Node, which has a list of its own. */
const NOT_IN_NODE = `${UNKNOWN_SIGNER} Name the file of your own certificate authority in the environment variable NODE_EXTRA_CA_CERTS, and start wes again.`
/** Of Chromium, in the desktop app. */
const NOT_IN_SYSTEM = `${UNKNOWN_SIGNER} Add your own certificate authority to the certificates of the system (on Linux, to the NSS database of your user).`
const TELL = 'Tell the operator of the service.'
const CERTIFICATE_FAULTS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: `it has expired. ${TELL}`,
  CERT_NOT_YET_VALID: 'it is not valid yet. Check the clock of this computer.',
  ERR_TLS_CERT_ALTNAME_INVALID: `it is for another name. Check the address.`,
  CERT_REVOKED: `it was revoked. ${TELL}`,
  CERT_AUTHORITY_INVALID: NOT_IN_SYSTEM,
  CERT_REJECTED: `this computer does not accept it. ${TELL}`,
  DEPTH_ZERO_SELF_SIGNED_CERT: NOT_IN_NODE,
  SELF_SIGNED_CERT_IN_CHAIN: NOT_IN_NODE,
  UNABLE_TO_GET_ISSUER_CERT: NOT_IN_NODE,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: NOT_IN_NODE,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: NOT_IN_NODE,
}

const NO_WAY = new Set(['EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN', 'ETIMEDOUT', 'EADDRNOTAVAIL'])
const HUNG_UP = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED'])

/** `error`: why there is no answer. */
export const noAnswer = ({ address, label }: Target, error: unknown): ConnectionProblem => {
  const { hostname, host } = new URL(address)
  const code = codeOf(error)
  const unreachable = (why: string) => new ConnectionProblem('unreachable', `${label} cannot be reached: ${why}`)
  if (error instanceof ProxyError) return unreachable(error.message)
  const certificate = CERTIFICATE_FAULTS[code]
  if (certificate !== undefined) return unreachable(`its certificate is refused: ${certificate}`)
  if (code === 'ENOTFOUND') return unreachable(`there is no host ${hostname}. Check the address.`)
  if (code === 'EAI_AGAIN') return unreachable(`the name ${hostname} cannot be looked up. Check the network.`)
  if (code === 'ECONNREFUSED') return unreachable(`nothing accepts connections at ${host}. Is the service running?`)
  if (NO_WAY.has(code)) return unreachable(`there is no way to ${host}. Check the network or the VPN.`)
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_')) {
    return unreachable(`no TLS connection to ${host} is possible. Check the port.`)
  }
  if (HUNG_UP.has(code)) return unreachable('it closed the connection before it answered. Try again.')
  if (error instanceof SilentError) return tooSlow({ address, label })
  return unreachable(`the request failed${code === '' ? '' : ` (${code})`}. Try again.`)
}

/** Several addresses of a host may have failed, each in its own way. */
const codeOf = (error: unknown): string => {
  const { code, errors } = (error ?? {}) as { readonly code?: unknown; readonly errors?: readonly unknown[] }
  if (typeof code === 'string') return code
  return errors === undefined || errors.length === 0 ? '' : codeOf(errors[0])
}

export const tooSlow = ({ label }: Target): ConnectionProblem =>
  new ConnectionProblem('too_slow', `${label} did not answer in time. Try again.`)

/** `location`: as the answer says it. */
export const redirected = ({ address, label }: Target, location: string | null): ConnectionProblem => {
  const there = location === null ? null : URL.parse(location, address)
  const where = there === null ? 'elsewhere' : `to ${there.protocol}//${there.host}`
  return new ConnectionProblem(
    'redirected',
    `${label} redirects ${where}. The redirect was not followed, and the token was not sent there. If the service has moved, add a connection with its new address.`,
  )
}

/** They say nothing of the address. A gateway has more of them than HTTP: 520 to 530, say. */
const maySoonPass = (status: number): boolean => status === 429 || status >= 500

/** `type`: of the content, as the answer says it. */
export const notJson = ({ label }: Target, status: number, type: string | null): ConnectionProblem => {
  if (status === 413) {
    return new ConnectionProblem(
      'payload_too_large',
      `What is in front of ${label} takes no request as large as this one (status 413). Ask the operator of the service to allow larger ones there.`,
    )
  }
  if (maySoonPass(status)) {
    return new ConnectionProblem(
      'unreachable',
      `${label} cannot be reached: what is in front of it answers ${status}. Try again.`,
    )
  }
  const what = type?.includes('html') === true ? 'a web page' : 'something other than JSON'
  return new ConnectionProblem(
    'not_the_service',
    `${label} answers with ${what} (status ${status}) instead of its API. Check the address: a proxy or a sign-in page may be in front of it.`,
  )
}

export const wrongService = ({ label }: Target, what: string): ConnectionProblem =>
  new ConnectionProblem('wrong_service', `${label} is ${what}. Check the address.`)

export const newerService = ({ label }: Target, version: string): ConnectionProblem =>
  new ConnectionProblem(
    'newer_service',
    `${label} has version ${version}, which is newer than this app knows. Update this app.`,
  )

export const refusedToken = ({ label }: Target): ConnectionProblem =>
  new ConnectionProblem(
    'unauthorized',
    `${label} refused the token: it was revoked, has expired or is wrong. Replace the token.`,
  )
