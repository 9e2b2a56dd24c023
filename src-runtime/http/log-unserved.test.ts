import type { FastifyRequest } from 'fastify'
import pino from 'pino'
import { expect, it, onTestFinished, vi } from 'vitest'
import { HostsStoppedError, HostsUnavailableError } from '../shared/hosts-unavailable.ts'
import { StoreClosedError, StoreUnavailableError } from '../shared/store-errors.ts'
import { asApiError } from './answer-error.ts'
import { logUnserved } from './log-unserved.ts'

it('tells the first request that could not be served, then how many more there were, until there are none', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const lines: unknown[] = []
  const log = pino({ base: null, timestamp: false }, { write: (line: string) => lines.push(JSON.parse(line)) })
  const refuse = (reason: string, times: number) => {
    for (let n = 1; n <= times; n += 1) logUnserved(log, reason, `req_${n}`)
    return lines.splice(0)
  }
  const first = (reason: string) => ({ level: 40, reason, requestId: 'req_1', msg: 'a request could not be served' })
  const further = (requests: number) => ({
    level: 40,
    reason: 'full',
    requests,
    msg: 'more requests could not be served',
  })

  expect(refuse('full', 100)).toEqual([first('full')])
  expect(refuse('away', 1)).toEqual([first('away')])
  vi.advanceTimersByTime(10_000)
  expect(refuse('full', 5)).toEqual([further(99)])
  vi.advanceTimersByTime(60_000)
  expect(refuse('full', 1)).toEqual([further(5), first('full')])
})

it('tells nothing of requests that the stop of the process ends', () => {
  const reasons: unknown[] = []
  const log = pino({}, { write: (line: string) => reasons.push((JSON.parse(line) as { reason: string }).reason) })
  const errors = [
    new StoreClosedError('the store is closed'),
    new HostsStoppedError('the Program hosts are stopped'),
    new StoreUnavailableError('the disk is slow'),
    new HostsUnavailableError('no Program host'),
  ]
  for (const error of errors) {
    expect(asApiError(error, log, { id: 'req_1' } as FastifyRequest)).toMatchObject({ code: 'unavailable' })
  }
  expect(reasons).toEqual(['the disk is slow', 'no Program host'])
})
