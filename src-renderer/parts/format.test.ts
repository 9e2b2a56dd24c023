import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { absoluteTime, bytes, count, countdown, duration, percent, plural, relativeTime, zonedTime } from './format.ts'

describe('formatted numbers', () => {
  it.each([
    [0, 'just now'],
    [12_300, '12 s ago'],
    [59_999, '59 s ago'],
    [3_600_000, '1 h ago'],
    [86_400_000 * 5, '5 d ago'],
    [-185_000, 'in 3 min'],
  ])('show %d ms ago', (ago, text) => expect(relativeTime(1e12 - ago, 1e12)).toBe(text))

  it.each([
    [0, '0 ms'],
    [340.4, '340 ms'],
    [1_290, '1.2 s'],
    [59_999, '59 s'],
    [184_000, '3 min 4 s'],
    [180_000, '3 min'],
    [7_500_000, '2 h 5 min'],
    [190_800_000, '2 d 5 h'],
    [-5, '0 ms'],
  ])('show a duration of %d ms in at most two units', (ms, text) => expect(duration(ms)).toBe(text))

  it.each([
    [-1, 'now'],
    [0, 'now'],
    [117, 'in 1 s'],
    [3_900, 'in 4 s'],
    [59_500, 'in 1 min'],
    [184_000, 'in 3 min 4 s'],
  ])('count %d ms down in whole seconds', (rest, text) => expect(countdown(rest)).toBe(text))

  it.each([
    [0, '0 B'],
    [1023, '1023 B'],
    [1536, '1.5 KiB'],
    [12 * 1024 * 1024, '12 MiB'],
  ])('show %d bytes', (size, text) => expect(bytes(size)).toBe(text))

  it.each([
    [0, '0%'],
    [0.0004, '< 0.1%'],
    [0.0251, '2.5%'],
    [0.14, '14%'],
    [0.9996, '> 99.9%'],
    [1, '100%'],
  ])('show a share of %d in per cent', (share, text) => expect(percent(share)).toBe(text))

  it('group digits and count nouns', () => {
    expect(count(1234567)).toBe('1,234,567')
    expect([plural(1, 'Execution'), plural(0, 'Execution')]).toEqual(['1 Execution', '0 Executions'])
  })

  it('show a full time, also in UTC', () => {
    const at = Date.UTC(2026, 10, 20, 18, 3, 7, 123)
    expect(absoluteTime(at, 'utc')).toBe('2026-11-20 18:03:07.123')
    expect(absoluteTime(at, 'local')).toMatch(/^2026-11-2[01] \d\d:\d\d:07\.123$/)
  })

  it.each([
    ['America/New_York', '2026-11-01T05:30:00Z', '2026-11-01 01:30:00.000 UTC-4'],
    ['America/New_York', '2026-11-01T06:30:00Z', '2026-11-01 01:30:00.000 UTC-5'],
    ['Australia/Lord_Howe', '2026-04-04T15:15:00Z', '2026-04-05 01:45:00.000 UTC+10:30'],
    ['America/St_Johns', '2026-01-01T12:00:00Z', '2026-01-01 08:30:00.000 UTC-3:30'],
    ['UTC', '2026-01-01T12:00:00Z', '2026-01-01 12:00:00.000 UTC'],
  ])('tell the zone of a time in %s: %s', (zone, at, text) => {
    vi.stubEnv('TZ', zone)
    onTestFinished(() => void vi.unstubAllEnvs())
    expect(zonedTime(Date.parse(at), 'local')).toBe(text)
    expect(zonedTime(Date.parse(at), 'utc')).toBe(`${absoluteTime(Date.parse(at), 'utc')} UTC`)
  })
})
