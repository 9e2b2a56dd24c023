import { expect, it } from 'vitest'
import type { EntryLine } from '../journal/entry-line.ts'
import { golden, journalOf } from '../journal/journals.test-support.ts'
import { dataRows, valueSize } from './data-rows.ts'

const races = journalOf(golden('clock-random-and-races'))
const said = (matches?: (line: EntryLine) => boolean) =>
  dataRows(races, matches).map(({ what, line }) => `${line.position} ${what} ${line.name}`)

it('are the payloads of events, and the inputs and results of effects', () => {
  expect(said()).toEqual([
    '7 event payload b',
    '11 effect input missing',
    '12 effect error missing',
    '13 event payload a',
    '15 event payload a',
  ])
  expect(said(({ name }) => name === 'missing')).toEqual(['11 effect input missing', '12 effect error missing'])
})

it('have the size of the value, without the entry around it', () => {
  expect(dataRows(races, ({ name }) => name === 'b').map(valueSize)).toEqual([JSON.stringify({ n: 1 }).length])
})
