import { describe, expect, it } from 'vitest'
import { formatDuration, formatRelative } from './times.ts'

describe('formatted times', () => {
  it.each([
    [0, '0ms'],
    [-5, '0ms'],
    [999, '999ms'],
    [1000, '1s'],
    [4_260, '4.2s'],
    [59_999, '59.9s'],
    [60_000, '1m'],
    [200_000, '3m 20s'],
    [7_500_000, '2h 5m'],
    [90_000_000, '1d 1h'],
    [86_400_000 * 400, '400d'],
  ])('%i ms is %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text)
  })

  it.each([
    [-500, 'now'],
    [1_000, '1s ago'],
    [59_000, '59s ago'],
    [3_600_000, '1h ago'],
    [86_400_000 * 3, '3d ago'],
    [-120_000, 'in 2m'],
  ])('%i ms back is %s', (ms, text) => {
    const now = Date.UTC(2026, 10, 20)
    expect(formatRelative(new Date(now - ms).toISOString(), now)).toBe(text)
  })

  it('returns other text unchanged', () => {
    expect(formatRelative('soon', 0)).toBe('soon')
  })
})
