// #region test
import { expect, it, vi } from 'vitest'
import { createTestExecution } from 'workflow-execution-service/testing'
import nightlyReport from './nightly-report.ts'

it('reports the sales of 200 shops every night', async () => {
  const readSales = vi.fn(async (_: { shop: number }) => ({ cents: 5 }))
  const sendReport = vi.fn(async (_: { night: number; totalCents: number }) => undefined)
  const run = createTestExecution(nightlyReport, { nights: 7 }, { effects: { readSales, sendReport } })

  await run.advance('1 day')
  expect(sendReport.mock.lastCall?.[0]).toEqual({ night: 1, totalCents: 1_000 })
  expect(await run.waitingFor()).toEqual([{ kind: 'timer', wakeAt: '2026-01-03T00:00:00.000Z' }])

  await run.advance('6 days')
  expect(readSales).toHaveBeenCalledTimes(1_400)
  expect(await run.result()).toEqual({ totals: Array.from({ length: 7 }, () => 1_000) })
})
// #endregion test
