import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { followWhileSeen } from './follow-while-seen.ts'

const page = Object.assign(new EventTarget(), { hidden: false })

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('document', page)
  vi.stubGlobal('window', new EventTarget())
  page.hidden = false
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const rig = () => {
  const calls: string[] = []
  const returns = new Set<() => void>()
  const end = followWhileSeen(
    { start: () => calls.push('start'), stop: () => calls.push('stop'), retry: () => calls.push('retry') },
    (listener) => {
      returns.add(listener)
      return () => void returns.delete(listener)
    },
  )
  return { calls, returns, end }
}

const hide = (hidden: boolean): void => {
  page.hidden = hidden
  page.dispatchEvent(new Event('visibilitychange'))
}

it('closes the stream while the page is hidden', () => {
  const { calls } = rig()
  hide(true)
  hide(false)
  expect(calls).toEqual(['start', 'stop', 'start'])
})

it('opens no stream in a tab that was opened in the background, until it is shown', () => {
  page.hidden = true
  const { calls } = rig()
  expect(calls).toEqual(['stop'])
  hide(false)
  expect(calls).toEqual(['stop', 'start'])
})

it('retries a lost stream at once when the service is back, or the page becomes visible', () => {
  const { calls, returns } = rig()
  for (const told of returns) told()
  window.dispatchEvent(new Event('focus'))
  expect(calls).toEqual(['start', 'retry', 'retry'])
})

it('retries nothing while the page is hidden', () => {
  const { calls, returns } = rig()
  hide(true)
  for (const told of returns) told()
  expect(calls).toEqual(['start', 'stop'])
})

it('closes the stream before the browser leaves the page, and opens it again if the page stays', () => {
  const { calls } = rig()
  window.dispatchEvent(new Event('beforeunload'))
  expect(calls).toEqual(['start', 'stop'])
  vi.advanceTimersByTime(5_000)
  expect(calls).toEqual(['start', 'stop', 'start'])
})

it('opens the stream again when the browser goes back to the page that it had left', () => {
  const { calls } = rig()
  window.dispatchEvent(new Event('beforeunload'))
  hide(true)
  hide(false)
  expect(calls).toEqual(['start', 'stop', 'stop', 'start'])
})

it.each([3_600_000, -3_600_000])('opens the stream again when the clock has jumped by %i ms', (jumpMs) => {
  const { calls } = rig()
  vi.advanceTimersByTime(10_000)
  expect(calls).toEqual(['start'])
  vi.setSystemTime(Date.now() + jumpMs)
  vi.advanceTimersByTime(10_000)
  expect(calls).toEqual(['start', 'stop', 'start'])
  hide(true)
  vi.setSystemTime(Date.now() - jumpMs)
  vi.advanceTimersByTime(10_000)
  expect(calls).toEqual(['start', 'stop', 'start', 'stop'])
})

it('opens the stream again after a sleep in which both clocks went on', () => {
  vi.spyOn(performance, 'now').mockImplementation(() => Date.now())
  const { calls } = rig()
  vi.advanceTimersByTime(10_000)
  expect(calls).toEqual(['start'])
  vi.setSystemTime(Date.now() + 3_600_000)
  vi.advanceTimersByTime(10_000)
  expect(calls).toEqual(['start', 'stop', 'start'])
})

it('stops everything', () => {
  const { calls, returns, end } = rig()
  end()
  vi.setSystemTime(0)
  vi.advanceTimersByTime(10_000)
  window.dispatchEvent(new Event('focus'))
  window.dispatchEvent(new Event('beforeunload'))
  expect(returns.size).toBe(0)
  expect(calls).toEqual(['start', 'stop'])
})
