import { describe, expect, it } from 'vitest'
import { indexAfter } from './index-after.ts'

describe('the keys of a list', () => {
  it.each([
    ['ArrowDown', -1, 0],
    ['ArrowDown', 3, 4],
    ['ArrowDown', 9, 9],
    ['ArrowUp', -1, 9],
    ['ArrowUp', 0, 0],
    ['PageDown', 0, 5],
    ['PageDown', 8, 9],
    ['PageUp', 8, 3],
    ['PageUp', -1, 0],
    ['Home', 5, 0],
    ['End', 5, 9],
  ])('%s moves from %d to %d', (key, from, to) => expect(indexAfter(key, from, 10, 5)).toBe(to))

  it('do nothing for other keys, or in an empty list', () => {
    expect(indexAfter('a', 3, 10, 5)).toBeUndefined()
    expect(indexAfter('End', -1, 0, 5)).toBeUndefined()
  })
})
