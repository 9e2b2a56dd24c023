import { expect, it } from 'vitest'
import { golden, journalOf } from '../journal/journals.test-support.ts'
import { countLevels, logRows, logText } from './log-rows.ts'

const { lines } = journalOf(golden('refund-saga-cancelled'))

it('are the logs of the selected levels that match', () => {
  expect(logRows(lines, [], undefined)).toHaveLength(7)
  expect(logRows(lines, ['warn'], undefined).map(({ summary }) => summary)).toEqual([
    'took back courier',
    'took back stock',
    'took back payment',
  ])
  expect(logRows(lines, ['warn', 'info'], (line) => line.summary.includes('stock'))).toHaveLength(2)
})

it('count the levels, including unused ones', () => {
  expect([...countLevels(lines)]).toEqual([
    ['debug', 0],
    ['info', 4],
    ['warn', 3],
    ['error', 0],
  ])
})

it('are copied with the full time', () => {
  expect(logText(0, 'info', 'a\nb')).toBe('1970-01-01T00:00:00.000Z info  a\nb')
})
