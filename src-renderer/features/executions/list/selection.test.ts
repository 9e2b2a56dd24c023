import { describe, expect, it } from 'vitest'
import { isEmpty, isSelected, NOTHING, type Selection, toggled, withRange } from './selection.ts'

const rows = (...ids: readonly string[]): Selection => ({ kind: 'rows', ids: new Set(ids) })

describe('a selection', () => {
  it('adds and removes a row', () => {
    const one = toggled(NOTHING, 'a')
    expect(one).toEqual(rows('a'))
    expect(isSelected(one, 'a')).toBe(true)
    expect(isEmpty(toggled(one, 'a'))).toBe(true)
    expect(isEmpty(NOTHING)).toBe(true)
  })

  it('adds and removes ranges', () => {
    expect(withRange(rows('a'), ['a', 'b', 'c'], true)).toEqual(rows('a', 'b', 'c'))
    expect(withRange(rows('a', 'b', 'c'), ['b', 'c'], false)).toEqual(rows('a'))
  })

  it('of all matches has every row, and no row can be removed', () => {
    const all: Selection = { kind: 'all' }
    expect(isSelected(all, 'anything')).toBe(true)
    expect(isEmpty(all)).toBe(false)
    expect(toggled(all, 'a')).toBe(all)
    expect(withRange(all, ['a'], false)).toBe(all)
  })
})
