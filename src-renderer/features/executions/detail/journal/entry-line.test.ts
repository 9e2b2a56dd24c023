import { describe, expect, it } from 'vitest'
import type { JsonValue } from '#sdk/index.ts'
import { dataOf, toLine } from './entry-line.ts'
import { golden, written } from './journals.test-support.ts'

const lineOf = (...entry: Parameters<typeof written>) => toLine(written(...entry)[0]!)

describe('a line of the history', () => {
  it('keeps small data', () => {
    for (const entry of golden('clock-random-and-races')) {
      expect(dataOf(toLine(entry))).toEqual(entry.data)
    }
  })

  it('describes an entry', () => {
    const said = golden('clock-random-and-races').map((entry) => toLine(entry).summary)
    expect(said[6]).toBe('{"n":1}')
    expect(said[9]).toBe('after the race { n: 1 }')
    expect(said[11]).toMatch(/^EffectError: effect "missing" cannot run/)
  })

  it('contains the times of timers, timeouts and retries', () => {
    const lines = golden('approval').map(toLine)
    expect(lines[2]?.dueAt).toBe(Date.parse('2026-11-23T17:48:06.728Z'))
    expect(lines[3]).toMatchObject({ name: 'approved', eventId: 'evt_01m7x157q3fstrfkxw906cstf0' })
  })

  it('keeps only the beginning of large data, and its size', () => {
    const line = lineOf({
      afterMs: 0,
      type: 'effect_completed',
      command: 1,
      name: 'read',
      data: { result: 'x'.repeat(50_000) },
    })
    expect(line.text).toBeUndefined()
    expect(line.summary).toHaveLength(300)
    expect(line.size).toBe(50_013)
    expect(dataOf(line)).toBeUndefined()
  })

  it('ends its summary between two characters', () => {
    const { summary } = lineOf({ afterMs: 0, type: 'log', data: { level: 'info', message: '😀'.repeat(200) } })
    expect(summary).toBe(`${'😀'.repeat(149)}…`)
  })

  it('accepts data of any shape', () => {
    const shapes: readonly JsonValue[] = [
      null,
      7,
      'text',
      [1],
      { message: { a: 1 } },
      { error: 'no object' },
      { error: { message: 3 } },
    ]
    for (const data of shapes) {
      expect(lineOf({ afterMs: 0, type: 'log', data }).level).toBe('info')
      expect(lineOf({ afterMs: 0, type: 'effect_failed', command: 1, data }).summary).toEqual(expect.any(String))
    }
    expect(lineOf({ afterMs: 0, type: 'timer_scheduled', data: { wakeAt: 'soon' } }).dueAt).toBeUndefined()
  })
})
