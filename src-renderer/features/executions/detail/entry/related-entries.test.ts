import { expect, it } from 'vitest'
import { golden, journalOf } from '../journal/journals.test-support.ts'
import { relatedEntries } from './related-entries.ts'

const races = journalOf(golden('clock-random-and-races'))
const related = (position: number) =>
  relatedEntries(races, races.lineAt(position)!).map((one) => `${one.position} ${one.label}`)

it('leads from any entry of a command to the others', () => {
  expect(related(11)).toEqual(['11 scheduled', '12 failed'])
  expect(related(12)).toEqual(['11 scheduled', '12 failed'])
  expect(related(6)).toEqual(['2 scheduled', '6 timed out'])
})

it('leads from an event to the wait that took it', () => {
  expect(related(13)).toEqual(['3 wait scheduled', '13 received', '14 delivered'])
})

it('leads nowhere from what stands alone', () => {
  expect(related(1)).toEqual([])
  expect(related(10)).toEqual([])
  expect(related(5)).toEqual(['5 scheduled'])
})
