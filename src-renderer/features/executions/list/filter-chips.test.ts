import { describe, expect, it } from 'vitest'
import { chipsOf, sentenceOf } from './filter-chips.ts'
import type { ListFilter } from './search-filter.ts'

const only = (filter: ListFilter) => {
  const [chip, ...others] = chipsOf(filter, 'utc')
  expect(others).toEqual([])
  return chip!
}

describe('the chips of a filter', () => {
  it('are one for all statuses, whose opposite excludes them', () => {
    const chip = only({ status: ['failed', 'cancelled'] })
    expect(chip).toMatchObject({ what: 'Status', how: 'is', value: 'failed or cancelled', without: {} })
    expect(chip.opposite).toEqual({ notStatus: ['failed', 'cancelled'] })
    expect(only(chip.opposite!).opposite).toEqual({ status: ['failed', 'cancelled'] })
  })

  it('are one for each excluded Program', () => {
    const [first, second] = chipsOf({ notProgramId: ['a', 'b'], q: 'x' }, 'utc')
    expect(first).toMatchObject({ how: 'is not', value: 'a', without: { notProgramId: ['b'], q: 'x' } })
    expect(second?.opposite).toEqual({ notProgramId: ['a'], programId: 'b', q: 'x' })
  })

  it('remove the version with its Program', () => {
    const [program, version] = chipsOf({ programId: 'a', version: 2 }, 'utc')
    expect(program).toMatchObject({ without: {}, opposite: { notProgramId: ['a'] } })
    expect(version).toMatchObject({ what: 'Version', without: { programId: 'a' } })
    expect(version).not.toHaveProperty('opposite')
  })

  it('invert a text', () => {
    expect(only({ q: 'declined' }).opposite).toEqual({ notQ: 'declined' })
    expect(only({ notQ: 'declined' }).opposite).toEqual({ q: 'declined' })
  })

  it('show times as text', () => {
    expect(sentenceOf({ createdAfter: '-15m' }, 'utc')).toBe('Started in the last 15 min')
    expect(sentenceOf({ createdBefore: '-1d' }, 'utc')).toBe('Started before 1 d ago')
    expect(sentenceOf({ finishedAfter: '2026-11-20T12:00:00.000Z' }, 'utc')).toBe(
      'Ended after 2026-11-20 12:00:00.000 UTC',
    )
  })

  it('show filters of other screens', () => {
    const filter = {
      needsAttention: true,
      waitingKind: 'event',
      waitingName: 'approved',
      errorFingerprint: 'abc',
    } as const
    expect(sentenceOf(filter, 'utc')).toBe('Needs attention, Waits for event approved, Error group is abc')
    expect(sentenceOf({ errorFingerprint: 'abc' }, 'utc', { errorLike: 'TypeError: no address' })).toBe(
      'Error like “TypeError: no address”',
    )
    expect(sentenceOf({ triggerId: 'trg_1' }, 'utc')).toBe('Trigger is trg_1')
    expect(sentenceOf({ triggerId: 'trg_1' }, 'utc', { triggerName: 'nightly' })).toBe('Trigger is nightly')
    expect(sentenceOf({ againOf: ['exe_1'] }, 'utc')).toBe('Run again of exe_1')
    expect(sentenceOf({ againOf: ['exe_1', 'exe_2', 'exe_3'] }, 'utc')).toBe('Run again of exe_1 or 2 more')
    expect(chipsOf(filter, 'utc')[1]?.without).toEqual({ needsAttention: true, errorFingerprint: 'abc' })
  })

  it('are none without a filter', () => expect(chipsOf({}, 'utc')).toEqual([]))
})
