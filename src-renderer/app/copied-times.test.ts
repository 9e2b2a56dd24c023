import { expect, it } from 'vitest'
import { withIsoTimes } from './copied-times.ts'

const times = [
  { shown: '2 min ago', iso: '2026-11-20T18:01:00.000Z' },
  { shown: '2 min ago', iso: '2026-11-20T18:01:07.123Z' },
]

it('copies times as they are, in their order, and all else as it reads', () => {
  expect(withIsoTimes('failed\torder\t2 min ago\nfailed\torder\t2 min ago', times)).toBe(
    'failed\torder\t2026-11-20T18:01:00.000Z\nfailed\torder\t2026-11-20T18:01:07.123Z',
  )
})

it('leaves a text alone in which a time does not read as it should', () => {
  expect(withIsoTimes('3 min ago', times)).toBe('3 min ago')
  expect(withIsoTimes('text', [{ shown: '', iso: '2026-11-20T18:01:00.000Z' }])).toBe('text')
})
