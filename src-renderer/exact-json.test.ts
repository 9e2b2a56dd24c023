import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ExactNumber, parseExactJson, parseExactNumber, rounded, stringifyExactJson } from './exact-json.ts'

describe('exact JSON', () => {
  it.each([
    '12345678901234567890123',
    '-9007199254740993',
    '0.1000000000000000055511151231257827',
    '1e400',
    '1e-400',
    '123456789012345678e-5',
  ])('keeps %s unchanged', (number) => {
    const value = parseExactJson(`{"a":[${number}]}`)
    expect(value).toEqual({ a: [new ExactNumber(number)] })
    expect(JSON.stringify(value)).toBe(`{"a":[${number}]}`)
  })

  it.each([
    '1',
    '-0.5',
    '9007199254740991',
    '1e21',
    '100000000000000000000',
    '1.50',
    '2e-7',
    '1E300',
    '0.30000000000000004',
  ])('reads %s as a plain number, which is exact', (number) =>
    expect(parseExactJson(`[${number}, 12345678901234567890]`)).toEqual([
      Number(number),
      new ExactNumber('12345678901234567890'),
    ]),
  )

  it('writes any JSON that it read', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const value = parseExactJson(text)
        expect(value).toEqual(JSON.parse(text))
        expect(stringifyExactJson(value)).toBe(JSON.stringify(JSON.parse(text)))
      }),
    )
  })

  it('writes any integer that it read', () => {
    fc.assert(
      fc.property(fc.bigInt(), (integer) => {
        expect(stringifyExactJson(parseExactJson(`{"__proto__":${integer}}`))).toBe(`{"__proto__":${integer}}`)
      }),
    )
  })

  it('throws for what is not JSON', () => {
    for (const text of ['', '{', '01234567890123456789', '1234567890123456n']) {
      expect(() => parseExactJson(text), text).toThrow(SyntaxError)
    }
  })

  it('reads a number that the user types', () => {
    expect(['12', '-1.5e3', '12345678901234567890'].map(parseExactNumber)).toEqual([
      12,
      -1500,
      new ExactNumber('12345678901234567890'),
    ])
    expect(['', '-', '1.', '01', '0x1', 'NaN', '1 '].map(parseExactNumber)).toEqual(Array(7).fill(undefined))
  })

  it('rounds for code that needs plain numbers, and keeps hostile names', () => {
    const value = rounded(parseExactJson('{"__proto__":{"a":[90071992547409931,true,null]}}')) as object
    expect(Object.hasOwn(value, '__proto__')).toBe(true)
    expect(JSON.stringify(value)).toBe('{"__proto__":{"a":[90071992547409940,true,null]}}')
  })
})
