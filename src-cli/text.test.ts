import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cut, oneLine, padEnd, padStart, printable, textWidth } from './text.ts'

describe('text for a terminal', () => {
  it.each([
    ['abc', 3],
    ['äöü', 3],
    ['e\u0301', 1],
    ['\u200b', 0],
    ['日本', 4],
    ['한글', 4],
    ['👍', 2],
    ['👩‍👩‍👧', 2],
    ['🇩🇪', 2],
    ['✔️', 2],
    ['…', 1],
    ['ﾊ', 1],
    ['', 0],
  ])('%s takes %i columns', (text, width) => {
    expect(textWidth(text)).toBe(width)
  })

  it('contains no control characters', () => {
    expect(printable('\u001b[2J\u009b1m\u0007\rx')).toBe('\\x1b[2J\\x9b1m\\x07\\x0dx')
    expect(printable('a\u202eb\u2066c')).toBe('a\\u202eb\\u2066c')
    expect(printable('a\nb\tc')).toBe('a\nb\tc')
    expect(oneLine(' a\n\tb ')).toBe('a b')
  })

  it('is cut and padded to a width', () => {
    expect(cut('abcdef', 4)).toBe('abc…')
    expect(cut('日本語', 4)).toBe('日…')
    expect(cut('abc', 3)).toBe('abc')
    expect(cut('abc', 0)).toBe('')
    expect(padEnd('日', 4)).toBe('日  ')
    expect(padStart('5', 3)).toBe('  5')
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 0, max: 20 }), (text, width) => {
        const line = oneLine(text)
        expect(textWidth(cut(line, width))).toBeLessThanOrEqual(width)
        expect(textWidth(padEnd(cut(line, width), width))).toBe(width)
      }),
    )
  })
})
