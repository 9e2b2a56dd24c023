import { describe, expect, it } from 'vitest'
import { absoluteTimes, relativeMs } from './relative-times.ts'

const NOW = Date.UTC(2026, 10, 20, 12)

describe('times relative to now', () => {
  it('are converted to the current time', () => {
    const filter = { status: 'failed', createdAfter: '-15m', finishedBefore: '-7d' } as const
    expect(absoluteTimes(filter, NOW)).toEqual({
      status: 'failed',
      createdAfter: '2026-11-20T11:45:00.000Z',
      finishedBefore: '2026-11-13T12:00:00.000Z',
    })
  })

  it('leave other times unchanged', () => {
    const filter = { createdAfter: '2026-01-01T00:00:00.000Z', createdBefore: new Date(NOW) }
    expect(absoluteTimes(filter, NOW)).toEqual(filter)
    expect(absoluteTimes({}, NOW)).toEqual({})
  })

  it.each(['-0m', '15m', '-1w', '-1.5h', '-999999d', '', '- 1h'])('are not read from "%s"', (text) =>
    expect(relativeMs(text)).toBeUndefined(),
  )
})
