import { Children, isValidElement } from 'react'
import { describe, expect, it } from 'vitest'
import { visible } from './visible.tsx'

type HiddenProps = { readonly 'data-escape': string; readonly children: string }

const partsOf = (text: string) =>
  Children.toArray(visible(text)).map((part) => {
    if (isValidElement<HiddenProps>(part)) return { original: part.props.children, drawn: part.props['data-escape'] }
    if (typeof part !== 'string') throw new TypeError('neither an element nor a text')
    return { original: part, drawn: part }
  })

const drawn = (text: string): string =>
  partsOf(text)
    .map((part) => part.drawn)
    .join('')
const original = (text: string): string =>
  partsOf(text)
    .map((part) => part.original)
    .join('')

describe('a text with hidden characters', () => {
  it.each([
    ['a few', 'user\u202e\u2066nimda\u200b', String.raw`user\u202e\u2066nimda\u200b`],
    ['only such', '\u202e'.repeat(200), String.raw`\u202e`.repeat(200)],
    ['every other', 'a\u202e'.repeat(100), String.raw`a\u202e`.repeat(100)],
  ])('is drawn with escapes, copied as it is, and has few elements: %s', (_, text, escaped) => {
    expect(drawn(text)).toBe(escaped)
    expect(original(text)).toBe(text)
    expect(partsOf(text).length).toBeLessThan(40)
  })
})
