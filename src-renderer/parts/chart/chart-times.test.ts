import { expect, it } from 'vitest'
import { axisTime, clockTime, pointTime, rangeOfDays } from './chart-times.ts'

const seconds = (iso: string): number => Date.parse(iso) / 1_000

it('shows the time, and seconds only if needed', () => {
  expect(clockTime(seconds('2026-11-20T18:03:00Z'), 'utc')).toBe('18:03')
  expect(clockTime(seconds('2026-11-20T18:00:10Z'), 'utc')).toBe('18:00:10')
})

it('shows the day and the time of a point', () => {
  expect(pointTime(seconds('2026-11-20T18:00:00Z'), 'utc')).toBe('11-20 18:00')
})

it('shows the day at the beginning of a day in the selected zone', () => {
  const midnight = seconds('2026-11-21T00:00:00Z')
  expect(axisTime(midnight, midnight - 60, 'utc')).toBe('11-21')
  expect(axisTime(midnight + 60, midnight, 'utc')).toBe('00:01')
  expect(axisTime(midnight, undefined, 'utc')).toBe('11-21')
  expect(axisTime(midnight + 60, undefined, 'utc')).toBe('00:01')
  const local = new Date(2026, 10, 21).getTime() / 1_000
  expect(axisTime(local, local - 60, 'local')).toBe('11-21')
})

it('spans whole days around bars, also around a single one, as on the first of a month', () => {
  const [first, last] = [seconds('2026-12-01'), seconds('2026-12-03')]
  expect(rangeOfDays([first, first + 86_400, last])).toEqual([first - 43_200, last + 43_200])
  expect(rangeOfDays([first])).toEqual([first - 43_200, first + 43_200])
})
