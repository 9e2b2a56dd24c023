// Decides which addresses effects may connect to. Pure.

import ipaddr, { type IPv4, type IPv6 } from 'ipaddr.js'

export type AddressRange = readonly [IPv4 | IPv6, number]

export type AddressRules = {
  /** Effects may connect to these, except where `closed` says otherwise. */
  readonly allowed: readonly AddressRange[]
  /** Addresses of this machine and of the service's other machines. */
  readonly own: ReadonlySet<string>
  /** Ports of the service, with their addresses. */
  readonly closed: ReadonlyMap<number, ReadonlySet<string>>
}

/** Reads a list such as `10.1.0.0/16, fd00::/8, 192.0.2.7`. Throws on a range that is not one. */
export const parseRanges = (text: string): readonly AddressRange[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map(parseRange)

const parseRange = (text: string): AddressRange => {
  const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  if (isFourPart(address) || (address.includes(':') && ipaddr.IPv6.isValid(address))) {
    const first = ipaddr.parse(address)
    const most = first.kind() === 'ipv4' ? 32 : 128
    const length = bits === undefined ? most : Number(bits)
    if (length <= most) return [first, length]
  }
  throw new Error(`"${text}" is no address range: write, for example, 10.1.0.0/16`)
}

const isFourPart = (address: string): boolean => ipaddr.IPv4.isValidFourPartDecimal(address)

/** Public addresses that only answer inside of a cloud's network. */
const CLOUD_SERVICES = new Map([['168.63.129.16', 'a service of the cloud platform']])

/** How a range of ipaddr.js reads in a message. */
const KINDS: Readonly<Record<string, string>> = {
  unspecified: 'the unspecified address',
  broadcast: 'a broadcast address',
  multicast: 'a multicast address',
  linkLocal: 'a link-local address',
  loopback: 'a loopback address',
  carrierGradeNat: 'an address of a carrier’s network',
  private: 'a private address',
  uniqueLocal: 'a private address',
  ipv4Mapped: 'an IPv4 address in IPv6 form',
  rfc6145: 'an IPv4 address in IPv6 form',
  rfc6052: 'an IPv4 address in NAT64 form',
  '6to4': 'an IPv4 address in 6to4 form',
  teredo: 'an IPv4 address in Teredo form',
}

/** Why effects may not connect to a port of an address; undefined when they may. */
export const refusalOfAddress = (
  text: string,
  port: number,
  { allowed, own, closed }: AddressRules,
): string | undefined => {
  if (!ipaddr.isValid(text)) return 'no address'
  const address = ipaddr.parse(text)
  if (allowed.some((range) => isIn(address, range))) {
    return closed.get(port)?.has(reachedBy(address)) === true
      ? `an address of this service, which closes port ${port}`
      : undefined
  }
  const kind = address.range()
  if (kind !== 'unicast') return KINDS[kind] ?? 'a reserved address'
  // All other unicast addresses of IPv6 are outside of what has been given out.
  if (address.kind() === 'ipv6' && !isIn(address, GLOBAL_IPV6)) return 'a reserved address'
  return own.has(address.toString()) ? 'an address of this service' : CLOUD_SERVICES.get(address.toString())
}

const GLOBAL_IPV6: AddressRange = [ipaddr.IPv6.parse('2000::'), 3]

const isIn = (address: IPv4 | IPv6, [first, bits]: AddressRange): boolean =>
  address.kind() === first.kind() && address.match(first, bits)

/** IPv6 addresses that end with the IPv4 address that they lead to. */
const ENDS_WITH_IPV4: ReadonlySet<string> = new Set(['ipv4Mapped', 'rfc6145', 'rfc6052'])
/** Ranges whose addresses all lead to this machine. */
const LEADS_HERE: ReadonlySet<string> = new Set(['loopback', 'unspecified'])

const reachedBy = (address: IPv4 | IPv6): string => {
  const last = ENDS_WITH_IPV4.has(address.range()) ? ipaddr.fromByteArray(address.toByteArray().slice(-4)) : address
  return LEADS_HERE.has(last.range()) ? '127.0.0.1' : last.toString()
}

/** The form in which `AddressRules` hold an address: one for all addresses that lead to the same. */
export const canonicalAddress = (text: string): string | undefined =>
  ipaddr.isValid(text) ? reachedBy(ipaddr.parse(text)) : undefined
