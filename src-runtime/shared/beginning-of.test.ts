import { expect, it } from 'vitest'
import { beginningOf } from './beginning-of.ts'

it('the beginning of a text ends between two characters, not within one', () => {
  expect([0, 1, 2, 3, 4].map((characters) => beginningOf('a😀b', characters))).toEqual(['', 'a', 'a', 'a😀', 'a😀b'])
  expect(beginningOf('a😀b', 100)).toBe('a😀b')
})
