import { describe, expect, it } from 'vitest'
import { golden, journalOf } from '../journal/journals.test-support.ts'
import { makeAxis } from './axis.ts'
import { marksOf } from './marks.ts'
import { overviewRuns } from './overview-cells.ts'
import { commandsBetween, entryAfter, lanesOf, rowOfEntry } from './walk-rows.ts'

const races = journalOf(golden('clock-random-and-races'))
const lanes = lanesOf(races)
const rows = { journal: races, lanes, commands: races.commands }
const saga = journalOf(golden('refund-saga-cancelled'))

describe('rows of the timeline', () => {
  it('are lanes of moments, where there are any, and the commands', () => {
    expect(lanes.map(({ label, lines }) => `${label} ${lines.length}`)).toEqual([
      'Execution 2',
      'Events received 3',
      'Logs 1',
    ])
    expect(lanesOf(journalOf(golden('reminder-fanout'))).map(({ name }) => name)).toEqual(['execution', 'logs'])
  })

  it('know in which of them an entry lies', () => {
    expect([1, 7, 10, 2, 6, 12, 16].map((position) => rowOfEntry(rows, position))).toEqual([0, 1, 2, 3, 3, 8, 7])
    expect([undefined, 99].map((position) => rowOfEntry(rows, position))).toEqual([-1, -1])
  })

  it.each([
    ['ArrowDown', undefined, 1],
    ['ArrowDown', 1, 7],
    ['ArrowDown', 10, 2],
    ['ArrowUp', 2, 10],
    ['ArrowUp', undefined, 11],
    ['End', 1, 11],
    ['ArrowRight', 7, 13],
    ['ArrowRight', 2, 6],
    ['ArrowLeft', 6, 2],
    ['ArrowLeft', 2, undefined],
    ['ArrowRight', undefined, undefined],
    ['x', 2, undefined],
  ])('%s leads from %s to %s', (key, from, to) => expect(entryAfter(key, rows, from, 5)).toBe(to))
})

it('may leave out commands that are not in view', () => {
  const { from, to } = races.span()!
  const late = commandsBetween(races.commands, from + 30, to)
  expect(late.map(({ number }) => number)).toEqual([2, 4, 5, 6])
  expect(rowOfEntry({ ...rows, commands: late }, 5)).toBe(4)
  expect(rowOfEntry({ ...rows, commands: late }, 6)).toBe(-1)
})

describe('marks', () => {
  const logs = lanesOf(saga).find(({ name }) => name === 'logs')!.lines
  const axis = makeAxis({ ...saga.span()!, moments: [], collapses: true })
  const whole = { from: 0, to: axis.length }

  it('stand for one entry each where there is room', () => {
    const marks = marksOf(logs, axis, whole, { widthPx: 4_000, apartPx: 7 })
    expect(marks.reduce((sum, { count }) => sum + count, 0)).toBe(logs.length)
    expect(marks.find(({ first }) => first.position === 16)).toMatchObject({ count: 1, level: 'warn' })
  })

  it('are gathered where there is none, with the worst level among them', () => {
    const marks = marksOf(logs, axis, whole, { widthPx: 7, apartPx: 7 })
    expect(marks).toHaveLength(1)
    expect(marks[0]).toMatchObject({ count: 7, level: 'warn', first: { position: 4 } })
  })

  it('are those in view', () => {
    const view = { from: axis.length / 2, to: axis.length }
    const marks = marksOf(logs, axis, view, { widthPx: 1_000, apartPx: 7 })
    expect(marks.every(({ percent }) => percent >= 0 && percent <= 100)).toBe(true)
    expect(marks.reduce((sum, { count }) => sum + count, 0)).toBeLessThan(logs.length)
  })
})

describe('the overview', () => {
  it('fills the cells that a command’s bars reach', () => {
    const axis = makeAxis({ from: 0, to: 100, moments: [], collapses: false })
    const command = {
      number: 1,
      kind: 'wait',
      name: 'a',
      from: 20,
      to: 50,
      outcome: 'delivered',
      position: 1,
      attempts: [],
    } as const
    const later = { ...command, number: 2, from: 50, to: 100, outcome: 'cancelled' } as const
    expect(overviewRuns([command, later], axis, 0, { columns: 10, rows: 8 })).toEqual([
      { look: 'waited', x: 2, y: 0, width: 4 },
      { look: 'cancelled', x: 5, y: 1, width: 5 },
    ])
  })

  it('has as many rows as it has room for', () => {
    const { commands } = journalOf(golden('reminder-fanout'))
    const axis = makeAxis({
      ...saga.span()!,
      from: commands[0]!.from,
      to: commands[7]!.to!,
      moments: [],
      collapses: false,
    })
    const rows = new Set(overviewRuns(commands, axis, 0, { columns: 50, rows: 3 }).map(({ y }) => y))
    expect([...rows]).toEqual([0, 1, 2])
  })
})
