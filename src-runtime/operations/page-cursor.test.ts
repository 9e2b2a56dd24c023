import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ApiError } from '../contract/errors.ts'
import { decodeId, decodeNumber, encodeCursor } from './page-cursor.ts'

const isRefused = (decode: () => unknown): boolean => {
  try {
    decode()
    return false
  } catch (error) {
    return error instanceof ApiError && error.code === 'invalid_request'
  }
}

describe('a cursor', () => {
  it('contains the number or id that it was made from', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 999_999_999_999_999 }), (number) => {
        expect(decodeNumber('executions', encodeCursor('executions', number))).toBe(number)
      }),
    )
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/), (id) => {
        expect(decodeId('programs', encodeCursor('programs', id))).toBe(id)
      }),
    )
  })

  it('is refused by other lists', () => {
    expect(isRefused(() => decodeNumber('history', encodeCursor('executions', 7)))).toBe(true)
    expect(isRefused(() => decodeNumber('versions', encodeCursor('history', 7)))).toBe(true)
    expect(isRefused(() => decodeId('programs', encodeCursor('versions', 7)))).toBe(true)
  })

  it('is refused after any change', () => {
    const cursor = encodeCursor('executions', 4711)
    fc.assert(
      fc.property(fc.nat(cursor.length - 1), fc.constantFrom('A', '_', '=', ' ', '/', 'é'), (at, letter) => {
        const changed = cursor.slice(0, at) + letter + cursor.slice(at + 1)
        if (changed === cursor) return
        const decode = () => decodeNumber('executions', changed)
        // A changed digit may be another number; it is never a failure of another kind.
        expect(isRefused(decode) || Number.isSafeInteger(decode())).toBe(true)
      }),
    )
    for (const changed of [`${cursor}=`, ` ${cursor}`, `${cursor}A`, cursor.slice(1), '']) {
      expect(isRefused(() => decodeNumber('executions', changed))).toBe(true)
    }
  })

  it('is refused if it is other text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        expect(isRefused(() => decodeNumber('executions', text))).toBe(true)
        expect(isRefused(() => decodeId('programs', text))).toBe(true)
      }),
    )
    for (const number of ['0', '01', '-1', '1.5', '9999999999999999', 'x']) {
      expect(isRefused(() => decodeNumber('executions', encodeCursor('executions', number)))).toBe(true)
    }
  })
})
