import { expect, it } from 'vitest'
import { fromTimeField, toTimeField } from './time-field.ts'

it('shows a time in UTC or the user’s zone, and reads it back', () => {
  const time = '2026-11-20T18:03:07.000Z'
  expect(toTimeField(time, 'utc')).toBe('2026-11-20T18:03:07')
  for (const display of ['utc', 'local'] as const) expect(fromTimeField(toTimeField(time, display), display)).toBe(time)
})

it('reads fields without seconds, and none from invalid text', () => {
  expect(fromTimeField('2026-11-20T18:03', 'utc')).toBe('2026-11-20T18:03:00.000Z')
  expect(['', 'soon'].map((field) => fromTimeField(field, 'utc'))).toEqual([undefined, undefined])
})

it('reads the very time that a field shows while nothing else is typed', () => {
  const time = '2026-11-20T18:03:07.250Z'
  for (const display of ['utc', 'local'] as const) {
    expect(fromTimeField(toTimeField(time, display), display, time)).toBe(time)
  }
  expect(fromTimeField('2026-11-20T18:03:08', 'utc', time)).toBe('2026-11-20T18:03:08.000Z')
})
