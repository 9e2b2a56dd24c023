import { expect, it, onTestFinished, vi } from 'vitest'
import { createSyncLoop } from './sync-loop.ts'

it('reports a scan that failed, unless it is stopped by the next turn of the event loop', async () => {
  const reported: unknown[] = []
  const scanOf = (error: Error) => {
    const loop = createSyncLoop(
      () => Promise.reject(error),
      (failed) => reported.push(failed),
    )
    onTestFinished(() => loop.stop())
    return { loop, scanned: loop.lookNow() }
  }
  const cutShort = scanOf(new Error('the process that bundles was ended'))
  setImmediate(() => setImmediate(() => void cutShort.loop.stop()))
  await cutShort.scanned
  const broken = new Error('broken')
  await scanOf(broken).scanned
  expect(reported).toEqual([broken])
})

it('spends no more than a fifth of the time on scans that are polled', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  let scans = 0
  const loop = createSyncLoop(
    async () => {
      scans += 1
      await new Promise((resolve) => setTimeout(resolve, 1_000))
      return undefined
    },
    () => expect.fail(),
  )
  const polling = setInterval(loop.poll, 100)
  await vi.advanceTimersByTimeAsync(100_000)
  expect([19, 20]).toContain(scans)
  clearInterval(polling)
  const before = scans
  loop.request()
  await vi.advanceTimersByTimeAsync(1_500)
  expect(scans).toBeGreaterThan(before)
})
