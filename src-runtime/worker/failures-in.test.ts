import { expect, it } from 'vitest'
import type { Change } from '../engine/change.ts'
import { failuresIn } from './failures-in.ts'

const execution = { id: 'exe_1', programId: 'order', versionNumber: 3 }
const of = { executionId: 'exe_1', programId: 'order', versionNumber: 3 }

it('finds each failed attempt, and the failure of the Execution', () => {
  const declined = { code: 'effect_failed', message: 'declined' }
  const data = JSON.stringify({ error: declined })
  const change: Change = {
    entries: [
      { at: 1, type: 'effect_attempt_failed', command: 1, name: 'charge', attempt: 1, data },
      { at: 1, type: 'effect_failed', command: 2, name: 'refund', attempt: 4, data },
      { at: 1, type: 'log', data: '{"level":"error","message":"seen"}' },
    ],
    error: { code: 'program_error', message: 'no total' },
  }
  expect(failuresIn(change, execution)).toEqual([
    { ...of, effect: { name: 'charge', isRetried: true }, error: declined },
    { ...of, effect: { name: 'refund', isRetried: false }, error: declined },
    { ...of, error: { code: 'program_error', message: 'no total' } },
  ])
  expect(failuresIn({ status: 'completed' }, execution)).toEqual([])
})
