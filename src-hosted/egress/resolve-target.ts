// From a host name to addresses that effects may connect to. A name is resolved once: what was checked is what is
// connected to, so a name server that changes its answer gains nothing.

import { isIP } from 'node:net'
import { refusalOfAddress, type AddressRules } from './address-rules.ts'
import type { Authority } from './authority.ts'

export type ResolveHost = (host: string) => Promise<readonly string[]>

export type Target =
  | { readonly kind: 'addresses'; readonly addresses: readonly string[] }
  /** `forLog` also says which address a name leads to: authors are not told of the addresses within the service. */
  | { readonly kind: 'refused'; readonly message: string; readonly forLog: string }
  | { readonly kind: 'unknown'; readonly message: string; readonly code: string }

export const resolveTarget = async (
  { host, port }: Authority,
  resolve: ResolveHost,
  rules: () => AddressRules,
): Promise<Target> => {
  let addresses: readonly string[]
  try {
    addresses = isIP(host) === 0 ? await resolve(host) : [host]
  } catch (error) {
    return unknown(host, error)
  }
  if (addresses.length === 0) return { kind: 'unknown', code: 'ENOTFOUND', message: `${host} has no address` }
  const known = rules()
  const refusals = new Map(addresses.map((address) => [address, refusalOfAddress(address, port, known)]))
  const allowed = addresses.filter((address) => refusals.get(address) === undefined)
  if (allowed.length > 0) return { kind: 'addresses', addresses: allowed }
  const [first = ''] = addresses
  const why = refusals.get(first)
  const message = `effects may not connect to ${host}: it is ${host === first ? why : 'not public'}`
  return { kind: 'refused', message, forLog: host === first ? message : `${message}, but ${first}, ${why}` }
}

const unknown = (host: string, error: unknown): Target => {
  // An aborted question has a code that is a number.
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'EAI_AGAIN'
  return { kind: 'unknown', code, message: `${host} could not be resolved (${code})` }
}
