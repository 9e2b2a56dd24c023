import { expect, it } from 'vitest'
import { clockTime, sinceStart } from './entry-words.ts'

const START = Date.UTC(2026, 10, 20, 23, 59, 58, 5)

it.each([
  [-3, '+0 ms'],
  [12, '+12 ms'],
  [1_234, '+1.234 s'],
  [3_723_000, '+1 h 2 min'],
])('says that %d ms have passed', (ms, text) => expect(sinceStart(START + ms, START)).toBe(text))

it('shows the day only if it differs', () => {
  expect(clockTime(START + 1_000, START, 'utc')).toBe('23:59:59.005')
  expect(clockTime(START + 3_000, START, 'utc')).toBe('11-21 00:00:01.005')
})
