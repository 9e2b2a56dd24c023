import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createIds } from './ids.ts'
import { timeOfId, timesOfIdPrefix } from './id-time.ts'

it('reads the time that an id was made at', () => {
  const at = Date.UTC(2026, 10, 20, 8, 15, 0, 123)
  expect(timeOfId(createIds(() => at)('exe'))).toBe(at)
})

it.each(['', 'exe', 'exe_', 'exe_1', `exe_${'u'.repeat(26)}`, `exe_${'0'.repeat(27)}`])(
  'knows that %j has no time',
  (id) => {
    expect(timeOfId(id)).toBeUndefined()
  },
)

it('gives a span that holds the time of every id with the prefix', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 45 }), fc.integer({ min: 4, max: 30 }), (at, length) => {
      const span = timesOfIdPrefix(createIds(() => at)('exe').slice(0, length))
      expect(span?.after).toBeLessThan(at)
      expect(span?.before).toBeGreaterThan(at)
      if (length >= 14) expect(span).toEqual({ after: at - 1, before: at + 1 })
    }),
  )
})

it('says nothing about text that begins no id', () => {
  expect(timesOfIdPrefix('exe')).toBeUndefined()
  expect(timesOfIdPrefix('exe_u')).toBeUndefined()
})
