import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ApiError } from '../contract/errors.ts'
import { isDeeperThan, isTextDeeperThan } from '../shared/json-depth.ts'
import { parseJsonBody } from './json-body.ts'

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0

const parse = (text: string | Buffer) => parseJsonBody(Buffer.from(text as string))
const refusal = (text: string | Buffer): string => {
  try {
    parse(text)
  } catch (error) {
    if (error instanceof ApiError && error.code === 'invalid_request') return error.message
    throw error
  }
  throw new Error('the body was taken')
}

it('a refusal quotes no half of a character', () => {
  for (const text of ['😀', `[1,${'😀'.repeat(50)}`, `[12,${'😀'.repeat(50)}`]) {
    expect(refusal(text)).toMatch(/^body is not JSON: Unexpected token/)
    expect(refusal(text).isWellFormed()).toBe(true)
  }
})

describe('the nesting of JSON', () => {
  it('is counted like in the parsed value, without strings', () => {
    const tricky = fc.string({ unit: fc.constantFrom('[', '{', '}', ']', '"', '\\', 'a', '\\\\', '\\"') })
    const values = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 6 }, tricky, fc.integer(), tie('array'), tie('object')),
      array: fc.array(tie('value'), { maxLength: 3 }),
      object: fc.dictionary(tricky, tie('value'), { maxKeys: 3 }),
    })).value
    fc.assert(
      fc.property(values, fc.nat(8), fc.boolean(), (value, limit, spaced) => {
        const text = JSON.stringify(value, null, spaced ? 2 : undefined)
        expect(isDeeperThan(Buffer.from(text), limit)).toBe(depthOf(value) > limit)
        expect(isTextDeeperThan(text, limit)).toBe(depthOf(value) > limit)
      }),
      { numRuns: 300 },
    )
  })

  it('never fails on what is not JSON', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(typeof isDeeperThan(Buffer.from(bytes), 3)).toBe('boolean')
        expect(typeof isTextDeeperThan(Buffer.from(bytes).toString('latin1'), 3)).toBe('boolean')
      }),
      { numRuns: 300 },
    )
  })

  it('may be 256 levels, and not 257', () => {
    expect(() => parse('['.repeat(256) + ']'.repeat(256))).not.toThrow()
    expect(refusal('['.repeat(257) + ']'.repeat(257))).toContain('256')
    expect(refusal('{"a":'.repeat(257) + '1' + '}'.repeat(257))).toContain('256')
  })

  it('is counted without recursion, a million levels deep', () => {
    expect(refusal('['.repeat(1_000_000))).toContain('256')
  })
})

describe('a body', () => {
  it.each([
    ['numbers', '1', 1_048_576],
    ['empty objects', '{}', 699_050],
    ['objects', '{"a":"{,"}', 190_650],
  ])('of up to 1 MiB may be of %s alone; a larger one holds 200,000 values at most', (_, item, most) => {
    const list = (length: number) => `[${Array.from({ length }, () => item).join(',')}]`
    expect(() => parse(list(Math.floor((2 ** 20 - 1) / (item.length + 1))))).not.toThrow()
    expect(refusal(list(most))).toBe('body of more than 1 MiB holds more than 200000 values')
  })

  it('of more than 1 MiB may be a few long texts', () => {
    expect(parse(JSON.stringify([',{['.repeat(2 ** 20)]))).toHaveLength(1)
  })

  it.each([
    ['empty braces left open', '{'],
    ['a trailing comma', '{"a":1,}'],
    ['a comment', '{/* */}'],
    ['single quotes', "{'a':1}"],
    ['two values', '1 2'],
    ['NaN', 'NaN'],
    ['nothing but spaces', '   '],
    ['a string left open', '"abc\\'],
  ])('is refused if it is %s', (_what, text) => {
    expect(refusal(text)).toMatch(/^body is not JSON/)
  })

  it('is refused if it is not UTF-8', () => {
    expect(refusal(Buffer.from([0x22, 0xc3, 0x28, 0x22]))).toBe('body is not UTF-8')
    expect(refusal(Buffer.from('"é"', 'latin1'))).toBe('body is not UTF-8')
  })

  it('may begin with a byte order mark', () => {
    expect(parse('\uFEFF{"a":1}')).toEqual({ a: 1 })
  })

  it('may have members of any name', () => {
    const text = '{"__proto__":{"polluted":1},"constructor":{"prototype":2},"a":[{"__proto__":null}]}'
    expect(JSON.stringify(parse(text))).toBe(text)
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })

  it('is refused if a number would become infinite', () => {
    expect(refusal('{"a":[1e400]}')).toContain('too large')
    expect(refusal(`[-${'9'.repeat(400)}]`)).toContain('too large')
    expect(refusal(`[${'9'.repeat(210)}e99]`)).toContain('too large')
    expect(parse('[1e308,"1e400"]')).toEqual([1e308, '1e400'])
    expect(parse(`["${'9'.repeat(400)}"]`)).toEqual(['9'.repeat(400)])
    expect(parse('[1e-400]')).toEqual([0])
  })
})
