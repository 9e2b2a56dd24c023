import { describe, expect, it } from 'vitest'
import type { ExecutionSummary, Waiting } from '../src-sdk/contract-types.ts'
import type { Trigger } from '../src-sdk/hosted-types.ts'
import { executionColumns, triggerColumns } from './columns.ts'
import { renderTable } from './table.ts'

const NOW = Date.UTC(2026, 10, 20, 12)
const at = (seconds: number): string => new Date(NOW + seconds * 1000).toISOString()

const detail = (row: Partial<ExecutionSummary>): unknown => {
  const execution = { waitingFor: [], ...row } as unknown as ExecutionSummary
  return executionColumns({ now: NOW, iso: false })
    .find(({ title }) => title === 'DETAIL')
    ?.cell(execution)
}

describe('the detail of an Execution', () => {
  it.each<[string, readonly Waiting[], string]>([
    ['nothing', [], ''],
    ['an event', [{ kind: 'event', name: 'approved', since: at(-5) }], 'event approved'],
    [
      'an event with a timeout',
      [{ kind: 'event', name: 'approved', since: at(-5), timeoutAt: at(7_300) }],
      'event approved (times out in 2h)',
    ],
    ['a timer', [{ kind: 'timer', wakeAt: at(90) }], 'timer in 1m'],
    [
      'many timers, in any order',
      [90, 30, 60].map((seconds) => ({ kind: 'timer', wakeAt: at(seconds) })),
      '3 timers, next in 30s',
    ],
    ['an effect', [{ kind: 'effect', name: 'charge', attempt: 1 }], 'effect charge'],
    [
      'an effect that is retried, and an event',
      [
        { kind: 'effect', name: 'charge', attempt: 3, nextAttemptAt: at(8) },
        { kind: 'event', name: 'stop', since: at(-1) },
      ],
      'effect charge, attempt 3 in 8s, event stop',
    ],
  ])('%s', (_what, waitingFor, line) => {
    expect(detail({ waitingFor })).toBe(line)
  })

  it('says that an Execution never continues which waits for nothing', () => {
    expect(detail({ status: 'waiting' })).toBe('awaits a promise that no event, timer or effect will settle: cancel it')
    expect(detail({ status: 'running' })).toBe('')
  })

  it('is the error message if the Execution failed, with what its causes add', () => {
    expect(detail({ error: { code: 'program_error', message: 'no stock' } })).toBe('no stock')
    const cause = { name: 'TypeError', message: 'fetch failed', cause: { message: 'connect ECONNREFUSED' } }
    expect(detail({ error: { code: 'effect_failed', message: 'fetch failed', cause } })).toBe(
      'fetch failed: connect ECONNREFUSED',
    )
    expect(detail({ error: { code: 'program_error', message: '', cause: { message: 'no stock' } } })).toBe('no stock')
  })
})

it('shows the address of a webhook and the times of a schedule also after an error', () => {
  const shown = (trigger: Partial<Trigger>): unknown =>
    triggerColumns({ now: NOW, iso: false })
      .find(({ title }) => title === 'DETAIL')
      ?.cell(trigger as Trigger)
  const webhook = { type: 'webhook', url: 'https://hooks.test/abc', signed: true } as const
  expect(shown(webhook)).toBe('https://hooks.test/abc (signed)')
  expect(shown({ ...webhook, lastError: 'not signed' })).toEqual({
    text: 'not signed · https://hooks.test/abc (signed)',
    colour: 'red',
  })
  const schedule = { type: 'schedule', cron: '0 3 * * *', timezone: 'UTC', lastError: 'missed' } as const
  expect(shown(schedule)).toMatchObject({ text: 'missed · 0 3 * * * UTC' })
})

it.each([60, 80])('shows an Execution on one line of a terminal with %s columns', (columns) => {
  const execution = {
    id: 'exe_01m8fqvca5e61bbf91mhkxedjw',
    programId: 'order-approval',
    versionNumber: 12,
    status: 'completed',
    createdAt: at(-300),
    startedAt: at(-300),
    finishedAt: at(-100),
    waitingFor: [],
  } as unknown as ExecutionSummary
  const table = renderTable(executionColumns({ now: NOW, iso: false }), [execution], { columns, colour: false })
  for (const line of table.split('\n')) expect(line.length).toBeLessThanOrEqual(columns)
  expect(table).toMatch(/exe_01m8fqvca5e61bbf91mhkxedjw {2}order-a\S+ {2}completed {2}5m ago/)
})
