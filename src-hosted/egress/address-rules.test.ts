import { describe, expect, it } from 'vitest'
import { parseRanges, refusalOfAddress, type AddressRules } from './address-rules.ts'

const rules = (allow = '', own: readonly string[] = [], closed: AddressRules['closed'] = new Map()): AddressRules => ({
  allowed: parseRanges(allow),
  own: new Set(own),
  closed,
})

describe('addresses', () => {
  it.each(['1.1.1.1', '93.184.216.34', '2606:4700:4700::1111', '2a00:1450:4001::8a'])(
    '%s may be connected to',
    (address) => {
      expect(refusalOfAddress(address, 443, rules())).toBeUndefined()
    },
  )

  it.each([
    ['127.0.0.1', 'a loopback address'],
    ['127.255.255.254', 'a loopback address'],
    ['::1', 'a loopback address'],
    ['0.0.0.0', 'the unspecified address'],
    ['0.1.2.3', 'the unspecified address'],
    ['::', 'the unspecified address'],
    ['10.0.0.1', 'a private address'],
    ['172.16.0.1', 'a private address'],
    ['172.31.255.255', 'a private address'],
    ['192.168.1.1', 'a private address'],
    ['fc00::1', 'a private address'],
    ['fd00:ec2::254', 'a private address'],
    ['169.254.169.254', 'a link-local address'],
    ['169.254.170.2', 'a link-local address'],
    ['fe80::1', 'a link-local address'],
    ['fe80::1%eth0', 'a link-local address'],
    ['100.64.0.1', 'an address of a carrier’s network'],
    ['100.100.100.200', 'an address of a carrier’s network'],
    ['224.0.0.1', 'a multicast address'],
    ['ff02::1', 'a multicast address'],
    ['255.255.255.255', 'a broadcast address'],
    ['192.0.0.192', 'a reserved address'],
    ['192.0.2.1', 'a reserved address'],
    ['198.18.0.1', 'a reserved address'],
    ['240.0.0.1', 'a reserved address'],
    ['2001:db8::1', 'a reserved address'],
    ['168.63.129.16', 'a service of the cloud platform'],
    ['::ffff:127.0.0.1', 'an IPv4 address in IPv6 form'],
    ['::ffff:8.8.8.8', 'an IPv4 address in IPv6 form'],
    ['::ffff:0:10.0.0.1', 'an IPv4 address in IPv6 form'],
    ['64:ff9b::7f00:1', 'an IPv4 address in NAT64 form'],
    ['64:ff9b:1::a00:1', 'an IPv4 address in NAT64 form'],
    ['2002:7f00:1::', 'an IPv4 address in 6to4 form'],
    ['2001:0:7f00:1::', 'an IPv4 address in Teredo form'],
    ['::127.0.0.1', 'an IPv4 address in IPv6 form'],
    ['::7f00:1', 'a reserved address'],
    ['fec0::1', 'a reserved address'],
    ['4000::1', 'a reserved address'],
    ['example.com', 'no address'],
    ['', 'no address'],
  ])('%s may not: it is %s', (address, why) => {
    expect(refusalOfAddress(address, 443, rules())).toBe(why)
  })

  it('of the service may not be connected to', () => {
    expect(refusalOfAddress('1.1.1.1', 443, rules('', ['1.1.1.1']))).toBe('an address of this service')
  })

  it('in an opened range may be connected to', () => {
    const opened = rules('10.1.0.0/16, 127.0.0.1,fd00::/8,9.9.9.9', ['9.9.9.9'])
    for (const address of ['10.1.255.1', '127.0.0.1', 'fd12::1', '9.9.9.9']) {
      expect(refusalOfAddress(address, 443, opened)).toBeUndefined()
    }
    for (const address of ['10.2.0.1', '127.0.0.2', 'fc12::1', '::ffff:10.1.0.1']) {
      expect(refusalOfAddress(address, 443, opened)).toBeDefined()
    }
  })

  it('in an opened range may not be connected to at a closed port', () => {
    const closed = new Map([
      [5432, new Set(['10.0.0.7'])],
      [9070, new Set(['10.0.0.5', '127.0.0.1'])],
    ])
    const opened = rules('0.0.0.0/0, ::/0', [], closed)
    for (const address of ['10.0.0.5', '127.0.0.1', '127.8.9.1', '0.0.0.0', '::1', '::', '::ffff:10.0.0.5']) {
      expect(refusalOfAddress(address, 9070, opened)).toBe('an address of this service, which closes port 9070')
      expect(refusalOfAddress(address, 5432, opened)).toBeUndefined()
    }
    for (const address of ['10.0.0.7', '::ffff:10.0.0.7', '::ffff:0:10.0.0.7', '64:ff9b::10.0.0.7']) {
      expect(refusalOfAddress(address, 5432, opened)).toBe('an address of this service, which closes port 5432')
    }
    expect(refusalOfAddress('10.0.0.7', 9070, opened)).toBeUndefined()
  })

  it.each(['10.0.0.0/33', 'fd00::/129', 'everything', '10.0.0', '0x7f.1', '10.0.0.0/-1', '10.0.0.0/8/8'])(
    'in "%s" is no range',
    (text) => {
      expect(() => parseRanges(text)).toThrow(`"${text}" is no address range`)
    },
  )
})
