import { expect, it } from 'vitest'
import { golden, journalOf, written } from '../journal/journals.test-support.ts'
import { relatedEntries } from './related-entries.ts'

const races = journalOf(golden('clock-random-and-races'))
const related = (position: number) =>
  relatedEntries(races, races.lineAt(position)!).map((one) => `${one.position} ${one.label}`)

it('links the entries of a command', () => {
  expect(related(11)).toEqual(['11 scheduled', '12 failed'])
  expect(related(12)).toEqual(['11 scheduled', '12 failed'])
  expect(related(6)).toEqual(['2 scheduled', '6 timed out'])
})

it('links an event to the wait that took it', () => {
  expect(related(13)).toEqual(['3 wait scheduled', '13 received', '14 delivered'])
})

it('has no links for a single entry', () => {
  expect(related(1)).toEqual([])
  expect(related(10)).toEqual([])
  expect(related(5)).toEqual(['5 scheduled'])
})

it('links only the attempts near the entry, of thousands, and those at both ends', () => {
  const failures = Array.from({ length: 5_000 }, (_, index) => ({
    afterMs: index + 1,
    type: 'effect_attempt_failed' as const,
    command: 1,
    name: 'pay',
    attempt: index + 1,
    data: { error: { code: 'effect_failed', message: 'no' } },
  }))
  const journal = journalOf(
    written({ afterMs: 0, type: 'effect_scheduled', command: 1, name: 'pay', data: {} }, ...failures),
  )
  const linked = (position: number) =>
    relatedEntries(journal, journal.lineAt(position)!).map((one) => [one.position, one.skipped])
  expect(linked(2_001)).toEqual([
    [1, 0],
    [2, 0],
    [1_998, 1_995],
    ...[1_999, 2_000, 2_001, 2_002, 2_003, 2_004].map((position) => [position, 0]),
    [5_000, 2_995],
    [5_001, 0],
  ])
  expect(linked(1).map(([position]) => position)).toEqual([1, 2, 3, 4, 5_000, 5_001])
})
