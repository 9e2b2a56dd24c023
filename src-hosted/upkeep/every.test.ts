import pino from 'pino'
import { expect, it, onTestFinished, vi } from 'vitest'
import { every } from './every.ts'

it('stops although PostgreSQL does not answer', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const piece = vi.fn(() => new Promise<boolean>(() => {}))
  const work = every(1, 'waiting for an answer', piece, pino({ level: 'silent' }))
  const stopped = Promise.all([work.stop(), work.stop()])
  await vi.runAllTimersAsync()
  await stopped
  expect(piece).toHaveBeenCalledTimes(1)
})
