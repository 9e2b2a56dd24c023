import { describe, expect, it } from 'vitest'
import { golden, journalOf } from '../journal/journals.test-support.ts'
import { type HistoryFilter, historyRows, namesIn, rowIndexOf } from './history-rows.ts'

const ALL: HistoryFilter = { view: 'full', kinds: [], name: undefined }
const races = journalOf(golden('clock-random-and-races'))
const positions = (filter: Partial<HistoryFilter>, text?: string) =>
  historyRows(races, { ...ALL, ...filter }, text === undefined ? undefined : (line) => line.summary.includes(text)).map(
    ({ position }) => position,
  )

describe('rows of the History', () => {
  it('are all entries, or those that are not the outcome of another', () => {
    expect(positions({})).toHaveLength(17)
    expect(positions({ view: 'compact' })).toEqual([1, 2, 3, 4, 5, 7, 9, 10, 11, 13, 15, 17])
  })

  it('are of the selected kinds and name', () => {
    expect(positions({ kinds: ['event', 'log'] })).toEqual([7, 10, 13, 15])
    expect(positions({ name: 'a' })).toEqual([3, 9, 13, 14, 15, 16])
    expect(positions({ name: 'a', kinds: ['event'] })).toEqual([13, 15])
    expect(positions({ view: 'compact', kinds: ['effect'] })).toEqual([11])
  })

  it('show a command at its call if its outcome matches', () => {
    expect(positions({}, 'cannot run')).toEqual([12])
    expect(positions({ view: 'compact' }, 'cannot run')).toEqual([11])
  })

  it('return the row of an entry', () => {
    const compact = historyRows(races, { ...ALL, view: 'compact' }, undefined)
    expect(rowIndexOf(races, compact, 12, 'compact')).toBe(8)
    expect(rowIndexOf(races, compact, 11, 'compact')).toBe(8)
    expect(rowIndexOf(races, compact, 99, 'compact')).toBe(-1)
    expect(rowIndexOf(races, compact, undefined, 'compact')).toBe(-1)
    expect(rowIndexOf(races, races.lines, 12, 'full')).toBe(11)
    expect(rowIndexOf(races, [], 12, 'full')).toBe(-1)
  })

  it('know all names', () => expect(namesIn(races)).toEqual(['a', 'b', 'missing', 'never']))
})
