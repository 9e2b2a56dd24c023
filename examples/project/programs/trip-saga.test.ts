import { expect, it } from 'vitest'
import { createTestExecution, fake } from 'workflow-execution-service/testing'
import { book, takeBack } from './trip-saga.effects.ts'
import tripSaga, { confirmed } from './trip-saga.ts'

const start = (trip: string, bookInstead = book) => {
  const undone: string[] = []
  const effects = [fake(book, (part) => bookInstead(part)), fake(takeBack, ({ what }) => void undone.push(what))]
  return { run: createTestExecution(tripSaga, { trip }, { effects }), undone }
}

it('keeps the bookings once they are confirmed', async () => {
  const { run, undone } = start('Rome')
  await run.send(confirmed)
  expect(await run.result()).toEqual({ status: 'booked' })
  expect(undone).toEqual([])
})

it('takes everything back when a booking fails', async () => {
  const { run, undone } = start('impossible Rome')
  expect(await run.result()).toEqual({ status: 'taken-back', because: 'the tour is sold out' })
  expect(undone).toEqual(['tour', 'hotel', 'train'])
})

// #region cancel
it('takes everything back when it is cancelled', async () => {
  const { run, undone } = start('Rome')
  expect(await run.waitingFor()).toMatchObject([{ kind: 'event', name: 'confirmed' }])
  await run.cancel()
  expect(undone).toEqual(['tour', 'hotel', 'train'])
  expect(await run.outcome()).toEqual({ status: 'cancelled' })
})
// #endregion cancel

it('takes back a booking that was interrupted', async () => {
  const { run, undone } = start('Rome', () => new Promise(() => {}))
  expect(await run.waitingFor()).toMatchObject([{ kind: 'effect', name: 'book' }])
  await run.cancel()
  expect(undone).toEqual(['train'])
})
