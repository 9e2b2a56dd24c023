import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { base62 } from '../shared/base62.ts'
import { isTokenText, newTokenText, secretDigest } from './token-text.ts'

const ALL_ZERO = newTokenText(Buffer.alloc(32))

describe('an access token', () => {
  it('has a prefix, 32 bytes in base62 and a checksum, whatever the bytes are', () => {
    expect(ALL_ZERO).toBe('wes_0000000000000000000000000000000000000000000' + '1IJ2wN')
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
        const text = newTokenText(Buffer.from(bytes))
        expect(text).toMatch(/^wes_[0-9A-Za-z]{49}$/)
        expect(isTokenText(text)).toBe(true)
      }),
    )
  })

  it('is never the same twice', () => {
    expect(newTokenText()).not.toBe(newTokenText())
  })

  it('is recognised as made up when one character differs', () => {
    const text = newTokenText()
    for (let at = 4; at < text.length; at += 1) {
      const other = text[at] === 'x' ? 'y' : 'x'
      expect(isTokenText(text.slice(0, at) + other + text.slice(at + 1))).toBe(false)
    }
    for (const wrong of ['', 'wes_', text.slice(1), `${text}0`, ` ${text}`, text.toUpperCase()]) {
      expect(isTokenText(wrong)).toBe(false)
    }
  })

  it('is recognised as made up by its prefix and length, also when the checksum is right', () => {
    const checked = (body: string): string => body + base62(BigInt(crc32(body)), 6)
    const body = newTokenText().slice(0, -6)
    expect(isTokenText(checked(body))).toBe(true)
    for (const wrong of [body.slice(4), body.slice(1), `${body}0`, `${body.slice(0, -1)}-`, '']) {
      expect(isTokenText(checked(wrong))).toBe(false)
    }
  })

  it('is stored as its SHA-256', () => {
    expect(secretDigest('wes_').toString('hex')).toHaveLength(64)
    expect(secretDigest(ALL_ZERO)).toEqual(secretDigest(ALL_ZERO))
    expect(secretDigest(ALL_ZERO)).not.toEqual(secretDigest(newTokenText()))
  })
})
