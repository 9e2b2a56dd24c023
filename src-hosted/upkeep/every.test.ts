import pino from 'pino'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createFaultLevels } from '../../src-runtime/shared/fault-levels.ts'
import { StoreUnavailableError } from '../../src-runtime/shared/store-errors.ts'
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

it('warns once a minute that the store cannot be reached, whichever pieces of work fail', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) })
  const levelOf = createFaultLevels()
  const fail = () => Promise.reject(new StoreUnavailableError('PostgreSQL cannot be reached'))
  const works = ['one', 'two'].map((what) => every(1_000, what, fail, log, levelOf))
  await vi.advanceTimersByTimeAsync(59_000)
  expect(lines).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(lines).toHaveLength(2)
  await Promise.all(works.map((work) => work.stop()))
})
