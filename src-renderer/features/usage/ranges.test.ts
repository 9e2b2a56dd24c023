import { describe, expect, it } from 'vitest'
import { daysFault, daysOf, eachDay, ownDays } from './ranges.ts'

const TODAY = '2027-03-02'

describe('the days of a range', () => {
  it.each([
    ['month', { from: '2027-03-01', to: TODAY }],
    ['last-month', { from: '2027-02-01', to: '2027-02-28' }],
    ['30d', { from: '2027-02-01', to: TODAY }],
    ['90d', { from: '2026-12-03', to: TODAY }],
    [undefined, { from: '2027-03-01', to: TODAY }],
  ] as const)('%s', (range, days) => expect(daysOf({ range }, TODAY)).toEqual(days))

  it('may be before the year', () => {
    expect(daysOf({ range: 'last-month' }, '2027-01-31')).toEqual({ from: '2026-12-01', to: '2026-12-31' })
  })

  it('may be chosen, unless a range is named', () => {
    const own = { from: '2026-02-03', to: '2026-02-04' }
    expect(daysOf(own, TODAY)).toEqual(own)
    expect(daysOf({ ...own, range: 'month' }, TODAY)).toEqual({ from: '2027-03-01', to: TODAY })
  })

  it('are this month for days that cannot be shown', () => {
    for (const own of [
      { from: '2026-02-03' },
      { from: '2026-02-30', to: '2026-03-01' },
      { from: 'yesterday', to: TODAY },
      { from: '2026-02-04', to: '2026-02-03' },
      { from: '2025-01-01', to: '2027-01-01' },
    ]) {
      expect(ownDays(own)).toBeUndefined()
      expect(daysOf(own, TODAY)).toEqual({ from: '2027-03-01', to: TODAY })
    }
  })
})

it('says why days cannot be shown', () => {
  expect(daysFault({ from: '', to: TODAY })).toBe('Choose both days')
  expect(daysFault({ from: TODAY, to: '2027-03-01' })).toBe('The first day must not be after the last one')
  expect(daysFault({ from: '2026-03-02', to: TODAY })).toBeUndefined()
  expect(daysFault({ from: '2026-03-01', to: TODAY })).toBe('Choose at most 366 days')
})

it('lists the days that have begun, across the end of a month', () => {
  expect(eachDay({ from: '2027-02-27', to: '2027-03-31' }, TODAY)).toEqual([
    '2027-02-27',
    '2027-02-28',
    '2027-03-01',
    '2027-03-02',
  ])
  expect(eachDay({ from: '2027-04-01', to: '2027-04-02' }, TODAY)).toEqual([])
})
