import { describe, expect, it } from 'vitest'
import type { Metrics } from '#sdk/index.ts'
import { columnsOf, stepAt, totalsOf } from './figures.ts'

const metrics: Metrics = {
  stepMs: 10_000,
  queued: 3,
  points: [
    { at: '2026-11-20T10:00:00.000Z', started: 4, completed: 2, failed: 1, cancelled: 0, p50Ms: 12, p95Ms: 80 },
    { at: '2026-11-20T10:00:10.000Z', started: 0, completed: 0, failed: 0, cancelled: 1, p50Ms: null, p95Ms: null },
  ],
}

describe('what a span of metrics adds up to', () => {
  it('sums the counts, and knows what share of what ended had failed', () => {
    expect(totalsOf(metrics)).toEqual({
      started: 4,
      completed: 2,
      failed: 1,
      cancelled: 1,
      failureRate: 0.25,
      finishedPerSecond: 0.2,
    })
  })

  it('has no failure rate where nothing ended', () => {
    expect(totalsOf({ ...metrics, points: [] })).toMatchObject({ failureRate: null, finishedPerSecond: 0 })
  })

  it('turns points into columns, with gaps where nothing ended', () => {
    expect(columnsOf(metrics, ['started', 'p95Ms'])).toEqual([
      [1795168800, 1795168810],
      [4, 0],
      [80, null],
    ])
  })

  it('turns a step into the times that it covers', () => {
    expect(stepAt(metrics, 1)).toEqual({ from: '2026-11-20T10:00:10.000Z', to: '2026-11-20T10:00:20.000Z' })
    expect(stepAt(metrics, 2)).toBeUndefined()
  })
})
