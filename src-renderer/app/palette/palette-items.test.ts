import { describe, expect, it } from 'vitest'
import { type PaletteGroup, type PaletteItem, shownGroups } from './palette-items.ts'

const item = (label: string, words?: string): PaletteItem => ({
  id: label,
  label,
  words,
  Icon: (() => null) as unknown as PaletteItem['Icon'],
  run: () => {},
})
const groups: readonly PaletteGroup[] = [
  { label: 'Actions', items: [item('Start execution'), item('New project'), item('Theme: dark', 'night')] },
  { label: 'Programs', items: ['order', 'hello', 'refund', 'nightly-report'].map((name) => item(name)), atFirst: 2 },
  { label: 'Found', items: [item('exe_1 of order')], isFound: true },
]
const shown = (query: string) =>
  shownGroups(groups, query).map(({ label, items }) => `${label}: ${items.map((one) => one.label).join(', ')}`)

describe('the items of the palette', () => {
  it('are a few of each group before the user types', () => {
    expect(shown('')).toEqual([
      'Actions: Start execution, New project, Theme: dark',
      'Programs: order, hello',
      'Found: exe_1 of order',
    ])
  })

  it('are those that match, with the best group first, and all results of the service', () => {
    expect(shown('ord')).toEqual(['Programs: order', 'Found: exe_1 of order'])
    expect(shown('exe')).toEqual(['Actions: Start execution', 'Found: exe_1 of order'])
  })

  it('are found by keywords too, with a lower score', () => {
    expect(shown('night')).toEqual(['Programs: nightly-report', 'Found: exe_1 of order', 'Actions: Theme: dark'])
    expect(shown('nigt')).not.toContain('Actions: Theme: dark')
  })

  it('have marked letters', () => {
    const actions = shownGroups(groups, 'np').find(({ label }) => label === 'Actions')
    expect(actions?.items[0]).toMatchObject({ label: 'New project', places: [0, 4] })
  })
})
