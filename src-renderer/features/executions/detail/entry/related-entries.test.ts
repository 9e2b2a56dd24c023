import { expect, it } from 'vitest'
import { golden, journalOf } from '../journal/journals.test-support.ts'
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
