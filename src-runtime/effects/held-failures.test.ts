import { expect, it } from 'vitest'
import { createHeldFailures } from './held-failures.ts'

const failed = { kind: 'failed', error: { code: 'x', message: 'x' }, retryable: true } as const

it('holds a failure for longer the more often it comes, and anew after a success', () => {
  let now = 0
  const failures = createHeldFailures(() => now)
  const heldMs = (): number => {
    failures.hold('a', failed)
    const since = now
    while (failures.find('a') !== undefined) now += 500
    return now - since
  }
  expect([heldMs(), heldMs(), heldMs(), heldMs(), heldMs()]).toEqual([1_000, 2_000, 4_000, 8_000, 10_000])
  failures.forget('a')
  expect(heldMs()).toBe(1_000)
})
