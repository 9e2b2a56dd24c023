import { describe, expect, it } from 'vitest'
import type { Metrics } from '#sdk/index.ts'
import { columnsOf, rateText, stepAt, totalsOf } from './figures.ts'

const metrics: Metrics = {
  stepMs: 10_000,
  queued: 3,
  points: [
    { at: '2026-11-20T10:00:00.000Z', started: 4, completed: 2, failed: 1, cancelled: 0, p50Ms: 12, p95Ms: 80 },
    { at: '2026-11-20T10:00:10.000Z', started: 0, completed: 0, failed: 0, cancelled: 1, p50Ms: null, p95Ms: null },
  ],
}

describe('the totals of a time range', () => {
  it('sum the counts, and compute the failure rate', () => {
    expect(totalsOf(metrics)).toEqual({
      started: 4,
      completed: 2,
      failed: 1,
      cancelled: 1,
      failureRate: 0.25,
      finishedPerSecond: 0.2,
    })
  })

  it('have no failure rate if nothing ended', () => {
    expect(totalsOf({ ...metrics, points: [] })).toMatchObject({ failureRate: null, finishedPerSecond: 0 })
  })

  it('show a rate as 0 only if nothing ended', () => {
    expect([0, 0.0021, 0.25, 38.4].map(rateText)).toEqual(['0', '< 0.01', '0.25', '38'])
  })

  it('become columns, with gaps where nothing ended', () => {
    expect(columnsOf(metrics, ['started', 'p95Ms'])).toEqual([
      [1795168800, 1795168810],
      [4, 0],
      [80, null],
    ])
  })

  it('give the time range of a step', () => {
    expect(stepAt(metrics, 1)).toEqual({ from: '2026-11-20T10:00:10.000Z', to: '2026-11-20T10:00:20.000Z' })
    expect(stepAt(metrics, 2)).toBeUndefined()
  })
})
