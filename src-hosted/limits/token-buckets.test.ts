import { describe, expect, it } from 'vitest'
import { createTokenBuckets } from './token-buckets.ts'

const RATE = { perSecond: 10, burst: 3 }

const withClock = () => {
  let at = 0
  const buckets = createTokenBuckets(() => at)
  return { take: (key = 'a') => buckets.take(key, RATE), pass: (ms: number) => void (at += ms) }
}

describe('a token bucket', () => {
  it('lets a burst through, and then one request for each share of a second', () => {
    const { take, pass } = withClock()
    expect([take(), take(), take(), take()]).toEqual([undefined, undefined, undefined, 1])
    pass(99)
    expect(take()).toBe(1)
    pass(1)
    expect([take(), take()]).toEqual([undefined, 1])
  })

  it('holds no more than the burst, however long it was not used', () => {
    const { take, pass } = withClock()
    pass(3_600_000)
    expect([take(), take(), take(), take()]).toEqual([undefined, undefined, undefined, 1])
  })

  it('is each caller’s own', () => {
    const { take } = withClock()
    for (let count = 0; count < 10; count += 1) take('a')
    expect([take('a'), take('b')]).toEqual([1, undefined])
  })

  it('says how long to wait when it fills slowly', () => {
    let at = 0
    const buckets = createTokenBuckets(() => at)
    const slow = { perSecond: 0.1, burst: 1 }
    expect([buckets.take('a', slow), buckets.take('a', slow)]).toEqual([undefined, 10])
    at = 6_000
    expect(buckets.take('a', slow)).toBe(4)
  })

  it.each([0.1, 0.3, 0.5, 1, 7, 10, 1_000])(
    'grants at %d a second what comes after as long as was said',
    (perSecond) => {
      for (const everyMs of [1, 33, 100, 1_000]) {
        let at = 0
        const buckets = createTokenBuckets(() => at)
        const take = () => buckets.take('a', { perSecond, burst: 2 })
        expect([take(), take()]).toEqual([undefined, undefined])
        const waitMs = take()! * 1_000
        // Others that ask for the same meanwhile, and are refused, change nothing.
        const untilMs = Math.min(waitMs, 1_000 / perSecond)
        for (at = everyMs; at < untilMs; at += everyMs) expect(take()).toBeGreaterThan(0)
        at = waitMs
        expect(take()).toBeUndefined()
      }
    },
  )

  it('keeps its level while others are swept away', () => {
    const { take, pass } = withClock()
    for (let count = 0; count < 3; count += 1) take('y')
    for (let count = 0; count < 10_000; count += 1) take(`other ${count}`)
    expect(take('y')).toBe(1)
    for (let count = 0; count < 20_000; count += 1) {
      take(`caller ${count}`)
      pass(1)
    }
    const results = [take('z'), take('z'), take('z'), take('z')]
    expect(results).toEqual([undefined, undefined, undefined, 1])
  })
})
