import { expect, it, onTestFinished, vi } from 'vitest'
import { earliestServiceNow, hearServiceTime, lastAnswerAt, serviceAheadMs, serviceNow } from './service-clock.ts'

const HOUR_MS = 3_600_000
const NOW = Date.parse('2026-11-27T12:00:00.400Z')

const answer = (date: string, status = 200): Response => new Response(null, { status, headers: { date } })

const hear = (basePath: string, serviceAt: number, tookMs = 20, receivedAt = NOW): void =>
  hearServiceTime(basePath, answer(new Date(serviceAt).toUTCString()), receivedAt - tookMs, receivedAt)

it('a clock that may be right is left alone, whatever the part of a second', () => {
  for (const aheadMs of [0, 300, 999, -300, -900]) {
    const path = `/right${aheadMs}`
    hear(path, NOW + aheadMs)
    expect(Math.abs(serviceAheadMs({ basePath: path })), String(aheadMs)).toBeLessThan(1_000)
  }
  hear('/exact', NOW)
  expect(serviceAheadMs({ basePath: '/exact' })).toBe(0)
  expect(serviceAheadMs({ basePath: '/never-heard-of' })).toBe(0)
})

it('a clock that is hours off is corrected, for its own service', () => {
  hear('/behind', NOW + 3 * HOUR_MS)
  hear('/ahead', NOW - 2 * HOUR_MS)
  expect(serviceAheadMs({ basePath: '/behind' }) / HOUR_MS).toBeCloseTo(3, 2)
  expect(serviceAheadMs({ basePath: '/ahead' }) / HOUR_MS).toBeCloseTo(-2, 2)
})

it('slow answers and more of them do not move it back and forth', () => {
  hear('/slow', NOW + HOUR_MS)
  const first = serviceAheadMs({ basePath: '/slow' })
  for (const tookMs of [5_000, 20, 60_000]) hear('/slow', NOW + 90_000 + HOUR_MS, tookMs, NOW + 90_000)
  expect(serviceAheadMs({ basePath: '/slow' })).toBe(first)
})

it('a clock that was set is noticed, and what says nothing is ignored', () => {
  hear('/set', NOW + HOUR_MS)
  hearServiceTime('/set', new Response(), NOW, NOW)
  hearServiceTime('/set', answer('nonsense'), NOW, NOW)
  hearServiceTime('/set', answer(new Date(NOW).toUTCString()), NOW + HOUR_MS, NOW)
  expect(serviceAheadMs({ basePath: '/set' }) / HOUR_MS).toBeCloseTo(1, 2)
  hear('/set', NOW)
  expect(serviceAheadMs({ basePath: '/set' })).toBe(0)
})

it('the time of a runtime that cannot reach the service is not taken for the service’s', () => {
  hear('/hosted', NOW + HOUR_MS)
  hearServiceTime('/hosted', answer(new Date(NOW).toUTCString(), 503), NOW, NOW)
  expect(serviceAheadMs({ basePath: '/hosted' }) / HOUR_MS).toBeCloseTo(1, 2)
})

it('says what time it is at the service, and when its last answer came', () => {
  vi.useFakeTimers({ now: NOW + 5_000 })
  onTestFinished(() => void vi.useRealTimers())
  hear('/now', NOW + HOUR_MS)
  const connection = { basePath: '/now' }
  expect((serviceNow(connection) - NOW - 5_000) / HOUR_MS).toBeCloseTo(1, 2)
  expect((lastAnswerAt(connection)! - NOW) / HOUR_MS).toBeCloseTo(1, 2)
  expect(lastAnswerAt({ basePath: '/never-asked' })).toBeUndefined()
})

it('says a time that is not later than that at the service, also where its clock is a little behind this one', () => {
  vi.useFakeTimers({ now: NOW })
  onTestFinished(() => void vi.useRealTimers())
  for (const aheadMs of [0, 300, 999, -300, -900, -HOUR_MS]) {
    const basePath = `/least${aheadMs}`
    hear(basePath, NOW + aheadMs)
    const earlyMs = NOW + aheadMs - earliestServiceNow({ basePath })
    expect(earlyMs, String(aheadMs)).toBeGreaterThanOrEqual(0)
    expect(earlyMs, String(aheadMs)).toBeLessThan(2_000)
  }
})
