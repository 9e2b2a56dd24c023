import { createTestExecution } from 'workflow-execution-service/testing'
import { expect, it } from 'vitest'
import parcel, { returned, scanned } from './parcel.ts'

const start = () => createTestExecution(parcel, { sendAt: '2026-01-02' })

// #region early
it('takes events that were sent before it waited for them', async () => {
  const run = start()
  await run.send(scanned, { at: 'Rome', isDelivered: false })
  await run.send(scanned, { at: 'Oslo', isDelivered: true })
  expect(await run.waitingFor()).toEqual([{ kind: 'timer', wakeAt: '2026-01-02T00:00:00.000Z' }])
  expect(await run.result()).toEqual({ status: 'delivered', stations: ['Rome', 'Oslo'] })
})
// #endregion early

it('is lost without an event for a week', async () => {
  const run = start()
  await run.advance('2 days')
  await run.send(scanned, { at: 'Rome', isDelivered: false })
  expect(await run.result()).toEqual({ status: 'lost', stations: ['Rome'] })
  expect(run.now().toISOString()).toBe('2026-01-10T00:00:00.000Z')
})

it('is returned', async () => {
  const run = start()
  await run.advance('2 days')
  await run.send(returned, { reason: 'nobody there' })
  expect(await run.result()).toEqual({ status: 'returned', because: 'nobody there', stations: [] })
})
