import { expect, it } from 'vitest'
import { rowAfterKey } from './row-after-key.ts'

it.each([
  ['ArrowDown', 0, 1],
  ['ArrowDown', 99, 99],
  ['ArrowUp', 1, 0],
  ['ArrowUp', 0, 0],
  ['PageDown', 10, 30],
  ['PageDown', 95, 99],
  ['PageUp', 10, 0],
  ['Home', 50, 0],
  ['End', 50, 99],
  ['Enter', 50, undefined],
])('%s moves from row %d to row %s', (key, from, to) => expect(rowAfterKey(key, from, 100, 20)).toBe(to))
