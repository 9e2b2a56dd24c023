import { expect, it, onTestFinished, vi } from 'vitest'
import { afterRunning } from './after-running.ts'

const fakeTimers = () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
}

it.each([10, 1_000, 5_000])('calls back once after %i ms', (ms) => {
  fakeTimers()
  const callback = vi.fn()
  afterRunning(ms, callback)
  vi.advanceTimersByTime(ms - 1)
  expect(callback).not.toHaveBeenCalled()
  vi.advanceTimersByTime(10 * ms)
  expect(callback).toHaveBeenCalledOnce()
  expect(vi.getTimerCount()).toBe(0)
})

it('does not call back once it is cancelled', () => {
  fakeTimers()
  const callback = vi.fn()
  const cancel = afterRunning(2_000, callback)
  vi.advanceTimersByTime(1_500)
  cancel()
  vi.advanceTimersByTime(2_000)
  expect(callback).not.toHaveBeenCalled()
})

it('lets a process that stood still read first what has come meanwhile', async () => {
  const callback = vi.fn()
  const cancel = afterRunning(1_001, callback)
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_100)
  await new Promise<void>((resolve) => void setTimeout(() => setImmediate(resolve)))
  expect(callback).not.toHaveBeenCalled()
  cancel()
})
