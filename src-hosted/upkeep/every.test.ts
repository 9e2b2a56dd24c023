import pino from 'pino'
import { expect, it, onTestFinished, vi } from 'vitest'
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

it('warns once a minute that the store cannot do it, of each piece of work', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line) => void lines.push((JSON.parse(line) as { msg: string }).msg) })
  const fail = () => Promise.reject(new StoreUnavailableError('the statement took too long'))
  const works = ['one', 'two'].map((what) => every(1_000, what, fail, log))
  await vi.advanceTimersByTimeAsync(59_000)
  const both = ['one', 'two'].map((what) => `${what} failed; it is tried again`)
  expect(lines).toEqual(both)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(lines).toEqual([...both, ...both])
  await Promise.all(works.map((work) => work.stop()))
})
