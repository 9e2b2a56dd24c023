import { expect, it, onTestFinished } from 'vitest'
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
