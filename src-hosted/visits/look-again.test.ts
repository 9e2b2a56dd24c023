import { expect, it } from 'vitest'
import { keepWakeAt } from './look-again.ts'

const NOW = 1_000_000

it.each([
  ['a lease that was begun a moment ago', NOW + 9_000, NOW + 10_000, NOW + 9_000],
  ['a lease that is half over', NOW + 4_999, NOW + 10_000, NOW + 10_000],
  ['a time that is later than wanted', NOW + 10_000, NOW + 9_000, NOW + 9_000],
  ['a timer that is much later', NOW + 9_000, NOW + 3_600_000, NOW + 3_600_000],
  ['a timer that is due now', NOW, NOW + 20, NOW + 20],
  ['no time yet', undefined, NOW + 10_000, NOW + 10_000],
  ['no time any more', NOW + 9_000, undefined, undefined],
])('of %s, the row keeps only what is nearly as late as wanted', (_what, stored, wanted, kept) => {
  expect(keepWakeAt(stored, wanted, NOW, 10_000)).toBe(kept)
})
