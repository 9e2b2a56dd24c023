import { expect, it } from 'vitest'
import { withIsoTimes } from './copied-times.ts'

const times = [
  { shown: '2 min ago', iso: '2026-11-20T18:01:00.000Z' },
  { shown: '2 min ago', iso: '2026-11-20T18:01:07.123Z' },
]

it('copies times as ISO 8601, in their order, and other text unchanged', () => {
  expect(withIsoTimes('failed\torder\t2 min ago\nfailed\torder\t2 min ago', times)).toBe(
    'failed\torder\t2026-11-20T18:01:00.000Z\nfailed\torder\t2026-11-20T18:01:07.123Z',
  )
})

it('does not change a text in which a time has other words', () => {
  expect(withIsoTimes('3 min ago', times)).toBe('3 min ago')
  expect(withIsoTimes('text', [{ shown: '', iso: '2026-11-20T18:01:00.000Z' }])).toBe('text')
})
