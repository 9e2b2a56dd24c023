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

it('gives the stream back ten seconds after the page went out of sight, and takes it again', () => {
  const { calls } = rig()
  hide(true)
  vi.advanceTimersByTime(9_999)
  expect(calls).toEqual(['start'])
  vi.advanceTimersByTime(1)
  hide(false)
  expect(calls).toEqual(['start', 'stop', 'start'])
})

it('tries a lost stream at once when the service is said to be back, or somebody comes back to the page', () => {
  const { calls, returns } = rig()
  for (const told of returns) told()
  window.dispatchEvent(new Event('focus'))
  expect(calls).toEqual(['start', 'retry', 'retry'])
})

it('tries nothing while nobody sees the page', () => {
  const { calls, returns } = rig()
  hide(true)
  for (const told of returns) told()
  expect(calls).toEqual(['start'])
})

it('ends all of it', () => {
  const { calls, returns, end } = rig()
  end()
  window.dispatchEvent(new Event('focus'))
  expect(returns.size).toBe(0)
  expect(calls).toEqual(['start', 'stop'])
})
