import { describe, expect, it } from 'vitest'
import type { ExecutionError, Waiting } from '#sdk/index.ts'
import { detailOf } from './detail.ts'

const NOW = Date.UTC(2026, 10, 20)
const at = (offsetMs: number) => new Date(NOW + offsetMs).toISOString()
const waits = (...waitingFor: readonly Waiting[]) => detailOf({ status: 'waiting', waitingFor }, NOW).text
const fails = (error: ExecutionError) => detailOf({ status: 'failed', waitingFor: [], error }, NOW).text

describe('the line of detail', () => {
  it('contains the wait, and its time', () => {
    expect(waits({ kind: 'event', name: 'approved', since: at(0) })).toBe('event approved')
    expect(waits({ kind: 'timer', wakeAt: at(65_000) })).toBe('timer in 1 min 5 s')
    expect(waits({ kind: 'timer', wakeAt: at(-1) })).toBe('timer now')
    expect(waits({ kind: 'effect', name: 'charge', attempt: 1 })).toBe('charge, attempt 1')
    expect(waits({ kind: 'effect', name: 'charge', attempt: 3, nextAttemptAt: at(5_000) })).toBe(
      'charge, attempt 3 in 5.0 s',
    )
  })

  it('counts further waits', () => {
    const timer = { kind: 'timer', wakeAt: at(0) } as const
    expect(waits({ kind: 'event', name: 'a', since: at(0) }, timer, timer)).toBe('event a and 2 more')
    const thousands = Array.from({ length: 10_000 }, () => timer)
    expect(waits({ kind: 'event', name: 'a', since: at(0) }, ...thousands)).toBe('event a and 10,000 more')
  })

  it('is the first line of an error', () => {
    expect(fails({ code: 'program_error', name: 'TypeError', message: '\n x is not a function\nat y' })).toBe(
      'TypeError: x is not a function',
    )
    expect(fails({ code: 'program_timeout', message: '' })).toBe('program_timeout')
  })

  it('contains what the causes of an error add', () => {
    const cause = { name: 'TypeError', message: 'fetch failed', cause: { message: 'connect ECONNREFUSED\nat y' } }
    expect(fails({ code: 'effect_failed', name: 'EffectError', message: 'fetch failed', cause })).toBe(
      'fetch failed: connect ECONNREFUSED',
    )
    expect(fails({ code: 'program_error', name: 'Error', message: '', cause: { message: 'no stock' } })).toBe(
      'no stock',
    )
  })

  it('leaves the room of a name that says nothing to the message', () => {
    expect(fails({ code: 'effect_failed', name: 'EffectError', message: 'card declined' })).toBe('card declined')
    expect(fails({ code: 'program_error', name: 'Error', message: 'no stock' })).toBe('no stock')
    expect(fails({ code: 'program_error', name: 'Error', message: '' })).toBe('Error')
    expect(fails({ code: 'history_damaged', message: 'entry 3 is missing' })).toBe(
      'history_damaged: entry 3 is missing',
    )
  })

  it('is empty without waits and errors', () =>
    expect(detailOf({ status: 'running', waitingFor: [] }, NOW).kind).toBe('none'))

  it('tells that an Execution never continues, once it is known what it waits for', () => {
    expect(waits()).toMatch(/^never continues/)
    expect(detailOf({ status: 'waiting', waitingFor: [], unread: true }, NOW).kind).toBe('none')
  })
})
