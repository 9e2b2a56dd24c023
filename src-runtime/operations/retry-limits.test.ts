import { expect, it } from 'vitest'
import type { Artifact } from '../contract/models.ts'
import { ENGINE_RETRY_LIMITS } from '../engine/retry-policy.ts'
import { RETRY_LIMITS } from '../shared/retry-limits.ts'
import { refuseBadIntervals } from './check-artifact.ts'

const artifact = (retry: object): Artifact => ({
  format: 'wes.program/1',
  id: 'hello',
  program: { code: '({ run() {} })' },
  manifest: { effects: [{ name: 'charge', retry }] },
})

it('the engine clamps retry policies to the same limits that requests are checked against', () => {
  expect(ENGINE_RETRY_LIMITS).toEqual(RETRY_LIMITS)
})

it('refuses intervals as invalid text, or longer than a year', () => {
  for (const interval of ['soon', '366 days', '1e9d']) {
    expect(() => refuseBadIntervals(artifact({ maxInterval: interval }))).toThrow(
      'body/manifest/effects/0/retry/maxInterval must be a duration of at most 365 days',
    )
  }
  expect(() => refuseBadIntervals(artifact({ initialInterval: '365 days', maxInterval: '0 s' }))).not.toThrow()
})
