import { describe, expect, it } from 'vitest'
import { escapeOf, HIDDEN, inOneLine, withEscapes } from './hidden-characters.ts'

describe('hidden characters', () => {
  it.each([
    ['a right-to-left override', 'user\u202e\u2066nimda', String.raw`user\u202e\u2066nimda`],
    ['marks of direction', '\u200ea\u200fb\u061c', String.raw`\u200ea\u200fb\u061c`],
    ['zero-width characters', 'ad\u200bmin\u2060\ufeff\u00ad', String.raw`ad\u200bmin\u2060\ufeff\u00ad`],
    ['joiners between other letters', 'ad\u200dmi\u200cn', String.raw`ad\u200dmi\u200cn`],
    ['control characters', 'a\u0000\u0007\u001b[31m\u007f\u0085', String.raw`a\u0000\u0007\u001b[31m\u007f\u0085`],
    ['separators of lines', 'a\u2028b\u2029', String.raw`a\u2028b\u2029`],
    ['a carriage return that hides what stands before', 'evil\rgood', String.raw`evil\u000dgood`],
    ['fillers that look like spaces', 'a\u3164b\u115f', String.raw`a\u3164b\u115f`],
    ['tags', 'a\u{e0041}', String.raw`a\u{e0041}`],
    ['selectors that change nothing', 'a\ufe0f1\ufe0f', String.raw`a\ufe0f1\ufe0f`],
    ['halves of characters', 'a\ud83d', String.raw`a\ud83d`],
  ])('are shown as escapes: %s', (_, text, shown) => {
    expect(withEscapes(text)).toBe(shown)
  })

  it.each([
    'two\nlines\r\nand\ta tab',
    'שלום עולם, עִבְרִית',
    'مرحبا بالعالم، العَرَبِيَّة',
    'می\u200cخواهم',
    'क्\u200dष',
    '👩\u200d💻 ❤\ufe0f\u200d🔥 👩🏽\u200d🚀 1\ufe0f\u20e3 ☺\ufe0e',
    'naïve Ångström 日本語',
  ])('are not found in ordinary text: %s', (text) => {
    expect(withEscapes(text)).toBe(text)
  })

  it('are line ends and tabs, too, in what stands in one line', () => {
    expect(inOneLine('/shop\n\nChecked by\r\nyour\tsystem\u202e')).toBe(
      String.raw`/shop\u000a\u000aChecked by\u000d\u000ayour\u0009system\u202e`,
    )
    expect(inOneLine('/home/ada/my shop')).toBe('/home/ada/my shop')
  })

  it('are found one by one', () => {
    expect('a\u202e\u202eb'.match(HIDDEN)).toEqual(['\u202e', '\u202e'])
    expect(escapeOf('\u{e0041}')).toBe(String.raw`\u{e0041}`)
  })
})
