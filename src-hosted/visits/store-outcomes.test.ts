import { expect, it } from 'vitest'
import type { OpenEffect } from '../../src-runtime/engine/effect-attempts.ts'
import { StoreUnavailableError } from '../../src-runtime/shared/store-errors.ts'
import type { AttemptEnd } from './perform-attempts.ts'
import { createOutcomeWriter } from './store-outcomes.ts'

const key = { executionId: 'exe_1', command: 1, attempt: 1 }
const next: OpenEffect = { kind: 'effect', command: 1, name: 'charge', since: 0, attempt: 2, options: {}, dueAt: 500 }
const entry = { at: 0, type: 'effect_attempt_failed', command: 1, name: 'charge', attempt: 1, data: '{}' } as const
const retry: AttemptEnd = { kind: 'retry', next, change: { entries: [entry] } }
const result: AttemptEnd = {
  kind: 'delivery',
  delivery: { kind: 'effect_result', at: 0, command: 1, name: 'charge', attempt: 1, data: '{}' },
}

/** What follows an attempt whose outcome somebody has stored, after `silences` of the database. */
const follows = (end: AttemptEnd, silences: number) => {
  let tries = 0
  const outcome = async () => {
    tries += 1
    if (tries <= silences) throw new StoreUnavailableError('no answer')
    return { kind: 'late' } as const
  }
  return createOutcomeWriter({ outcome }, () => 0).store(key, { end, computeMs: 1 }, new AbortController().signal)
}

it('goes on as if an outcome was stored here, where a first try got no answer and may have stored it', async () => {
  expect(await follows(retry, 0)).toEqual({ kind: 'nothing' })
  expect(await follows(result, 0)).toEqual({ kind: 'nothing' })
  expect(await follows(retry, 1)).toEqual({ kind: 'again', attempt: 2, delayMs: 500 })
  expect(await follows(result, 1)).toEqual({ kind: 'poke' })
})
