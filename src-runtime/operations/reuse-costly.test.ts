import { describe, expect, it } from 'vitest'
import { createReuseCostly } from './reuse-costly.ts'

/** `ask` takes so many ms by the clock of the test, and answers how often it was computed. */
const open = () => {
  let now = 100_000
  let computed = 0
  const reuse = createReuseCostly(() => now)
  return {
    wait: (ms: number) => (now += ms),
    ask: (question: unknown, costMs: number) =>
      reuse(question, () => {
        now += costMs
        computed += 1
        return Promise.resolve(computed)
      }),
    reuse,
  }
}

describe('an answer', () => {
  it('is computed again if it was quick', async () => {
    const { ask } = open()
    expect([await ask('q', 5), await ask('q', 5)]).toEqual([1, 2])
  })

  it('is reused for ten times as long as it took', async () => {
    const { ask, wait } = open()
    await ask('q', 100)
    wait(999)
    expect(await ask('q', 100)).toBe(1)
    wait(1)
    expect(await ask('q', 100)).toBe(2)
  })

  it('is reused for at most ten seconds', async () => {
    const { ask, wait } = open()
    await ask('q', 60_000)
    wait(10_000)
    expect(await ask('q', 1)).toBe(2)
  })

  it('is separate for each question', async () => {
    const { ask } = open()
    expect([await ask({ a: 1 }, 100), await ask({ a: 2 }, 100), await ask({ a: 1 }, 100)]).toEqual([1, 2, 1])
  })

  it('is shared by concurrent callers', async () => {
    const { ask } = open()
    expect(await Promise.all([ask('q', 1), ask('q', 1), ask('q', 1)])).toEqual([1, 1, 1])
  })

  it('is not cached if it failed', async () => {
    const { ask, reuse } = open()
    await expect(reuse('q', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(await ask('q', 100)).toBe(1)
  })

  it('is dropped if there are many others', async () => {
    const { ask } = open()
    await ask('first', 1_000)
    for (let n = 0; n < 100; n += 1) await ask(n, 0)
    expect(await ask('first', 0)).toBe(102)
  })
})
