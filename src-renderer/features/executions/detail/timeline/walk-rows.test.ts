import { describe, expect, it } from 'vitest'
import { golden, journalOf, written } from '../journal/journals.test-support.ts'
import { makeAxis } from './axis.ts'
import { fanOutOf } from './bars.ts'
import { marksOf } from './marks.ts'
import { overviewRuns } from './overview-cells.ts'
import { commandRows, commandsBetween, entryAfter, lanesOf, rowOfEntry } from './walk-rows.ts'

const races = journalOf(golden('clock-random-and-races'))
const lanes = lanesOf(races)
const rows = { journal: races, lanes, rows: commandRows(races.commands, new Set()) }
const saga = journalOf(golden('refund-saga-cancelled'))

describe('rows of the timeline', () => {
  it('are lanes of moments, if any, and the commands', () => {
    expect(lanes.map(({ label, lines }) => `${label} ${lines.length}`)).toEqual([
      'Execution 2',
      'Events received 3',
      'Logs 1',
    ])
    expect(lanesOf(journalOf(golden('reminder-fanout'))).map(({ name }) => name)).toEqual(['execution', 'logs'])
  })

  it('return the row of an entry', () => {
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
  ])('%s moves from %s to %s', (key, from, to) => expect(entryAfter(key, rows, from, 5)).toBe(to))
})

describe('a fan-out', () => {
  const many = 7
  const fanOut = journalOf(
    written(
      { afterMs: 0, type: 'execution_started' },
      ...Array.from({ length: many }, (_, index) => ({
        afterMs: 1,
        type: 'effect_scheduled' as const,
        command: index + 1,
        name: 'readSales',
      })),
      ...Array.from({ length: many }, (_, index) => ({
        afterMs: 100 * (index + 1),
        type: index === 6 ? ('effect_failed' as const) : ('effect_completed' as const),
        command: index + 1,
        name: 'readSales',
      })),
      { afterMs: 800, type: 'effect_scheduled', command: 8, name: 'readSales' },
    ),
  )
  const rowsOf = (...open: number[]) => ({
    journal: fanOut,
    lanes: lanesOf(fanOut),
    rows: commandRows(fanOut.commands, new Set(open)),
  })

  it('is one row until it is opened; later commands are not part of it', () => {
    expect(rowsOf().rows.map((row) => (row.kind === 'group' ? row.commands.length : row.command.number))).toEqual([
      7, 8,
    ])
    expect(rowsOf(1).rows).toHaveLength(1 + many + 1)
    expect(commandRows(fanOut.commands.slice(0, 4), new Set())).toHaveLength(4)
  })

  it('has no commands that were called one after the other', () => {
    const loop = written(
      { afterMs: 0, type: 'execution_started' },
      ...Array.from({ length: many }, (_, index) => [
        { afterMs: 5 * index, type: 'timer_scheduled' as const, command: index + 1 },
        { afterMs: 5 * (index + 1), type: 'timer_fired' as const, command: index + 1 },
      ]).flat(),
    )
    expect(commandRows(journalOf(loop).commands, new Set())).toHaveLength(many)
  })

  it('contains the entries of its commands', () => {
    expect([2, 5, 12, 16].map((position) => rowOfEntry(rowsOf(), position))).toEqual([1, 1, 1, 2])
    expect([2, 5, 12].map((position) => rowOfEntry(rowsOf(1), position))).toEqual([2, 5, 5])
  })

  it('can be navigated inside, and skipped', () => {
    expect(entryAfter('ArrowDown', rowsOf(), 2, 5)).toBe(16)
    expect(entryAfter('ArrowUp', rowsOf(), 16, 5)).toBe(2)
    expect(entryAfter('ArrowDown', rowsOf(1), 1, 5)).toBe(2)
    expect(entryAfter('ArrowDown', rowsOf(1), 2, 5)).toBe(3)
    expect(entryAfter('ArrowUp', rowsOf(1), 2, 5)).toBe(1)
  })

  it('shows the durations of its commands, and where some failed', () => {
    const { from, to, halfAt, look, failures, label } = fanOutOf(fanOut.commands.slice(0, many), 0)
    expect([to - from, halfAt - from, look, label]).toEqual([699, 399, 'completed', 'p50 399 ms · 1 failed'])
    expect(failures).toMatchObject([{ from: to, to, look: 'failed', title: 'Command 7: failed after 699 ms' }])
  })

  it.each([
    ['waits, and one is open', 'wait_scheduled', 'event_delivered', 6, [], 'waiting'],
    ['waits that ended', 'wait_scheduled', 'event_delivered', 7, [], 'waited'],
    ['effects, and one is open', 'effect_scheduled', 'effect_completed', 6, [], 'running'],
    [
      'effects, most of which the Program left',
      'effect_scheduled',
      'effect_completed',
      2,
      ['execution_completed'],
      'cancelled',
    ],
  ] as const)('looks like one of %s', (_what, begin, end, ended, last, look) => {
    const history = written(
      { afterMs: 0, type: 'execution_started' },
      ...Array.from({ length: many }, (_, index) => ({ afterMs: 1, type: begin, command: index + 1, name: 'a' })),
      ...Array.from({ length: ended }, (_, index) => ({ afterMs: 2, type: end, command: index + 1, name: 'a' })),
      ...last.map((type) => ({ afterMs: 3, type })),
    )
    expect(fanOutOf(journalOf(history).commands, Date.parse(history.at(-1)!.at)).look).toBe(look)
  })

  it('looks failed when most failed, and shows no more failures than can be told apart', () => {
    const failed = Array.from({ length: 1_000 }, (_, index) => ({
      ...fanOut.commands[6]!,
      to: fanOut.commands[6]!.from + 1_000 + index,
    }))
    const completed = Array.from({ length: 1_000 }, () => fanOut.commands[0]!)
    expect(fanOutOf([...failed, ...completed.slice(1)], 0).look).toBe('failed')
    const { look, failures } = fanOutOf([...failed, ...completed], 0)
    expect(look).toBe('completed')
    expect(failures.length).toBeLessThanOrEqual(100)
    expect(failures.length).toBeGreaterThan(40)
  })
})

it('may leave out commands outside the view', () => {
  const { from, to } = races.span()!
  const late = commandsBetween(races.commands, from + 30, to)
  expect(late.map(({ number }) => number)).toEqual([2, 4, 5, 6])
  expect(rowOfEntry({ ...rows, rows: commandRows(late, new Set()) }, 5)).toBe(4)
  expect(rowOfEntry({ ...rows, rows: commandRows(late, new Set()) }, 6)).toBe(-1)
})

describe('marks', () => {
  const logs = lanesOf(saga).find(({ name }) => name === 'logs')!.lines
  const axis = makeAxis({ ...saga.span()!, moments: [], busy: [], collapses: true })
  const whole = { from: 0, to: axis.length }

  it('stand for one entry each if there is room', () => {
    const marks = marksOf(logs, axis, whole, { widthPx: 4_000, apartPx: 7 })
    expect(marks.reduce((sum, { count }) => sum + count, 0)).toBe(logs.length)
    expect(marks.find(({ first }) => first.position === 16)).toMatchObject({ count: 1, level: 'warn' })
  })

  it('are grouped if there is no room, with the highest level', () => {
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
  it('fills the cells of a command’s bars', () => {
    const axis = makeAxis({ from: 0, to: 100, moments: [], busy: [], collapses: false })
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

  it('has as many rows as fit', () => {
    const { commands } = journalOf(golden('reminder-fanout'))
    const axis = makeAxis({
      ...saga.span()!,
      from: commands[0]!.from,
      to: commands[7]!.to!,
      moments: [],
      busy: [],
      collapses: false,
    })
    const rows = new Set(overviewRuns(commands, axis, 0, { columns: 50, rows: 3 }).map(({ y }) => y))
    expect([...rows]).toEqual([0, 1, 2])
  })
})
