import { createHmac } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { isPublicId, newPublicId, newSigningSecret, signatureFault as signatureFaultAt } from './signatures.ts'

const secret = newSigningSecret()
const signatureFault = (by: string, headers: Parameters<typeof signatureFaultAt>[1], of: Buffer) =>
  signatureFaultAt(by, headers, of, Date.now())
const body = Buffer.from('{"orderId":"ø-1"}')

const sign = (by = secret, at = Math.floor(Date.now() / 1_000), of = body, id = 'msg_1') => {
  const mac = createHmac('sha256', Buffer.from(by.slice('whsec_'.length), 'base64'))
    .update(`${id}.${at}.`)
    .update(of)
  return { 'webhook-id': id, 'webhook-timestamp': String(at), 'webhook-signature': `v1,${mac.digest('base64')}` }
}

describe('a signed webhook', () => {
  it('is taken when its secret signed it', () => {
    expect(signatureFault(secret, sign(), body)).toBeUndefined()
    expect(signatureFault(secret, sign(secret, undefined, Buffer.alloc(0)), Buffer.alloc(0))).toBeUndefined()
  })

  it('is taken when one of several signatures is right, as while a secret is replaced', () => {
    const other = sign(newSigningSecret())['webhook-signature']
    const headers = sign()
    const both = { ...headers, 'webhook-signature': `${other} v1a,AAAA ${headers['webhook-signature']}` }
    expect(signatureFault(secret, both, body)).toBeUndefined()
  })

  it.each(['first', 'last'])('is taken when the %s of two headers has the right signature', (place) => {
    const headers = sign()
    const lines = [headers['webhook-signature'], sign(newSigningSecret())['webhook-signature']]
    const joined = (place === 'first' ? lines : lines.reverse()).join(', ')
    expect(signatureFault(secret, { ...headers, 'webhook-signature': joined }, body)).toBeUndefined()
  })

  it('is refused when anything that is signed differs', () => {
    const headers = sign()
    expect(signatureFault(newSigningSecret(), headers, body)).toBe('No matching signature found')
    expect(signatureFault(secret, headers, Buffer.from('{}'))).toBe('No matching signature found')
    expect(signatureFault(secret, { ...headers, 'webhook-id': 'msg_2' }, body)).toBe('No matching signature found')
    const later = String(Number(headers['webhook-timestamp']) + 1)
    expect(signatureFault(secret, { ...headers, 'webhook-timestamp': later }, body)).toBe('No matching signature found')
  })

  it('is refused when it is older or newer than 5 minutes, whatever the clock of this machine says', () => {
    const at = 1_000_000_000
    const faultAt = (seconds: number) => signatureFaultAt(secret, sign(secret, at), body, seconds * 1_000)
    expect(faultAt(at + 290)).toBeUndefined()
    expect(faultAt(at + 310)).toBe('Message timestamp too old')
    expect(faultAt(at - 310)).toBe('Message timestamp too new')
  })

  it.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])('is refused without %s', (name) => {
    expect(signatureFault(secret, { ...sign(), [name]: undefined }, body)).toBe(`The header ${name} is missing`)
  })

  it('is taken as what is known to make it signs it', () => {
    const at = new Date()
    const text = body.toString()
    const headers = {
      'webhook-id': 'msg_3',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
      'webhook-signature': new Webhook(secret).sign('msg_3', at, text),
    }
    expect(signatureFault(secret, headers, body)).toBeUndefined()
  })

  it('is taken with bytes that are no text, and with an id in UTF-8', () => {
    const bytes = Buffer.from([0xff, 0xfe, 0x00])
    const headers = sign(secret, undefined, bytes, 'msg_日')
    const sent = { ...headers, 'webhook-id': Buffer.from('msg_日').toString('latin1') }
    expect(signatureFault(secret, sent, bytes)).toBeUndefined()
  })

  it.each(['', 'now', '1e9', '-5', '9'.repeat(400)])('is refused with the time %j', (at) => {
    expect(signatureFault(secret, { ...sign(), 'webhook-timestamp': at }, body)).toBeTypeOf('string')
  })

  it.each(['', 'v1', 'v1,', 'garbage', 'v2,AAAA'])('is refused with the signature %j', (signature) => {
    expect(signatureFault(secret, { ...sign(), 'webhook-signature': signature }, body)).toBeTypeOf('string')
  })
})

it('makes secrets and addresses that differ each time', () => {
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(newSigningSecret()).not.toBe(secret)
  const ids = Array.from({ length: 100 }, newPublicId)
  expect(new Set(ids).size).toBe(100)
  expect(ids.every(isPublicId)).toBe(true)
  expect(['', 'x', `${ids[0]}x`, ids[0]!.replace(/./, '-')].some(isPublicId)).toBe(false)
})
