import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createCodec, type LiveValues } from './codec.ts'

const roundTrip = (value: unknown): unknown => {
  const { encode, decode } = createCodec()
  return decode(JSON.parse(JSON.stringify(encode(value))))
}

describe('a value between main and page', () => {
  it('is the same as after structured cloning', () => {
    const json = fc.anything({ withBigInt: true, withDate: true, withMap: true, withSet: true, withTypedArray: true })
    fc.assert(
      fc.property(json, (value) => {
        let cloned: unknown
        try {
          cloned = structuredClone(value)
        } catch {
          return // Symbols; the next test has them.
        }
        expect(roundTrip(value)).toStrictEqual(cloned)
      }),
      { numRuns: 300 },
    )
  })

  it.each([
    ['undefined', { a: undefined }],
    ['not a number', [Number.NaN, Infinity, -Infinity, -0]],
    ['a pattern', /a+/gi],
    ['bytes', new Uint8Array([0, 255, 128])],
    ['a member that is called like the codec’s own', { $: 'date', v: 0 }],
    ['__proto__', JSON.parse('{"__proto__": 1, "constructor": 2}')],
  ])('keeps %s', (_what, value) => {
    expect(roundTrip(value)).toStrictEqual(value)
  })

  it('keeps the class and the message of an error, without own members', () => {
    const error = roundTrip(Object.assign(new RangeError('too far'), { code: 7 })) as RangeError
    expect(error).toBeInstanceOf(RangeError)
    expect(error.message).toBe('too far')
    expect(error).not.toHaveProperty('code')
  })

  it.each([
    ['a function', () => {}],
    ['a symbol', Symbol('no')],
    ['a promise', Promise.resolve()],
  ])('is refused when it is %s', (_what, value) => {
    expect(() => roundTrip({ deep: [value] })).toThrow('An object could not be cloned.')
  })

  it('is refused if it contains itself', () => {
    const value: Record<string, unknown> = {}
    value['self'] = value
    expect(() => roundTrip(value)).toThrow('contains itself')
  })
})

describe('a value through contextBridge', () => {
  it('may have functions and promises, by number, and only the message of an error', () => {
    const held: unknown[] = []
    const live: LiveValues = {
      hold: (value) => held.push(value) - 1,
      follow: (value) => held.push(value) - 1,
      callable: (id) => () => `called ${id}`,
      promise: (id) => Promise.resolve(`followed ${id}`),
    }
    const { encode, decode } = createCodec(live)
    const [call, promise, error] = decode(encode([() => 1, Promise.resolve(2), new TypeError('no')])) as [
      () => string,
      Promise<string>,
      Error,
    ]
    expect(call()).toBe('called 0')
    expect(promise).toBeInstanceOf(Promise)
    expect([error.name, error.message]).toEqual(['Error', 'no'])
  })
})
