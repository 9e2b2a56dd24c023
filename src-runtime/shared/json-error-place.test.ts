import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findJsonError } from './json-error-place.ts'

describe('the position of a JSON error', () => {
  it.each([
    ['{a}', 1, 2, 'a name in double quotes or "}"'],
    ['{"a" 1}', 1, 6, '":"'],
    ['{"a":}', 1, 6, 'a value'],
    ['{"a":1,}', 1, 8, 'a name in double quotes'],
    ['[1,]', 1, 4, 'a value'],
    ['[1 2]', 1, 4, '"," or "]"'],
    ['[oops]', 1, 2, 'a value or "]"'],
    ['{"a":1', 1, 7, '"," or "}"'],
    ['{"a":1]', 1, 7, '"," or "}"'],
    ['1 2', 1, 3, 'the end'],
    ['01', 1, 2, 'the end'],
    ['[1.]', 1, 3, '"," or "]"'],
    ["'a'", 1, 1, 'a value'],
    ['"abc', 1, 5, 'the closing quote of the text'],
    ['"a\nb"', 1, 3, 'the closing quote of the text'],
    ['"a\\x"', 1, 3, 'an escape such as \\n or \\u0041'],
    ['{\n  "a": [\n    true,\n    nope\n  ]\n}', 4, 5, 'a value'],
    ['{"a":1}}', 1, 8, 'the end'],
    ['', 1, 1, 'a value'],
  ])('of %j', (text, line, column, expected) => {
    expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError)
    expect(findJsonError(text)).toEqual({ line, column, expected })
  })

  it('is found in deeply nested text', () => {
    const depth = 200_000
    expect(findJsonError('['.repeat(depth))).toMatchObject({ line: 1, column: depth + 1 })
  })

  it('is found within every text that JSON.parse refuses', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.constantFrom('', '}', ']', ',', 'x', '"'), (json, cut, insert) => {
        const at = cut % (json.length + 1)
        const text = json.slice(0, at) + insert
        fc.pre(!isJson(text))
        const { line, column } = findJsonError(text)
        expect(line).toBe(1)
        expect(column).toBeGreaterThanOrEqual(1)
        // The text before the position is the beginning of some JSON text.
        expect(column).toBeLessThanOrEqual(text.length + 1)
        expect(column).toBeGreaterThan(at === json.length || insert === '' ? 0 : at - lastTokenLength(json, at))
      }),
    )
  })
})

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** An incomplete token is reported at its beginning. */
const lastTokenLength = (json: string, at: number): number =>
  (/(?:"(?:[^"\\]|\\.)*\\?|[\w.+-]+)$/.exec(json.slice(0, at))?.[0].length ?? 0) + 1
