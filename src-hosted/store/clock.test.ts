import { describe, expect, it } from 'vitest'
import { createDatabaseClock } from './clock.ts'

/** PostgreSQL's clock, this process's own, and answers on their way. */
const createRig = () => {
  let monotonic = 5_000
  // Further than the clock that it begins with.
  let database = Date.now() + 60_000
  const clock = createDatabaseClock(() => monotonic)
  const pass = (ms: number) => {
    monotonic += ms
    database += ms
  }
  return {
    clock,
    pass,
    database: () => database,
    setDatabase: (at: number) => (database = at),
    /** An answer that takes `toMs` to the clock and `backMs` from there. */
    answer: (toMs: number, backMs: number) => {
      const askedAt = monotonic
      pass(toMs)
      const at = Math.floor(database)
      pass(backMs)
      clock.now()
      clock.told(at, askedAt)
      return at
    },
  }
}

describe('PostgreSQL’s clock in a process', () => {
  it('is never ahead of it, and never behind what it has told', () => {
    const { clock, answer, pass, database } = createRig()
    const delays = [0.2, 80, 3, 0, 250, 1, 40]
    let told = 0
    for (let round = 0; round < 200; round += 1) {
      const [to, back] = [delays[round % 7]!, delays[(round * 3) % 5]!]
      told = Math.max(told, answer(to, back))
      expect(clock.now()).toBeGreaterThanOrEqual(told)
      expect(clock.now()).toBeLessThanOrEqual(database())
      pass(round)
      expect(clock.now()).toBeLessThanOrEqual(database())
    }
  })

  it('is as near as the quickest answer, and measured again after a while', () => {
    const { clock, answer, pass, database, setDatabase } = createRig()
    answer(100, 400)
    answer(1, 2)
    answer(100, 400)
    expect(database() - clock.now()).toBeLessThanOrEqual(3)
    // This process's clock is the quicker one.
    setDatabase(database() - 100)
    pass(10_001)
    answer(1, 2)
    pass(200)
    expect(Math.abs(database() - clock.now())).toBeLessThanOrEqual(3)
  })

  it('goes back only with PostgreSQL’s, and then by more than a second', () => {
    const { clock, answer, pass, database, setDatabase } = createRig()
    answer(0, 1)
    pass(10_001)
    answer(0, 2_000)
    const before = clock.now()
    setDatabase(database() - 500)
    pass(1)
    answer(0, 1)
    expect(clock.now()).toBeGreaterThanOrEqual(before)
    setDatabase(database() - 3_600_000)
    pass(10_001)
    answer(0, 1)
    expect(clock.setBacks()).toBe(1)
    expect(database() - clock.now()).toBeLessThanOrEqual(2)
    pass(3_600_000)
    expect(clock.setBacks()).toBe(1)
  })

  it('goes back at once where PostgreSQL’s was set back by more than a slow answer can hide', () => {
    const { clock, answer, pass, database, setDatabase } = createRig()
    answer(0, 1)
    setDatabase(database() - 3_600_000)
    answer(0, 2_000)
    expect(clock.setBacks()).toBe(0)
    answer(300, 500)
    expect(clock.setBacks()).toBe(1)
    expect(database() - clock.now()).toBeLessThanOrEqual(501)
    pass(1)
    setDatabase(database() - 1_500)
    answer(300, 600)
    expect(clock.setBacks()).toBe(1)
  })
})
