import { describe, expect, it } from 'vitest'
import type { Round } from './peer.ts'
import { againstBudgets, compare, describe as show } from './report.ts'

const c64 = { done: 1, errors: 0, p50: 1, p99: 1, flushesPer: 1, bytesPer: 1 }
const round = (peer: string, lat: number[], perSec: number): Round => ({
  peer,
  w1: { lat, flushesPerC1: 1, c64: { ...c64, perSec } },
})

describe('the report', () => {
  const rounds = [
    round('wes', [1, 1, 2], 3_000),
    round('wes', [1, 9, 1], 5_000),
    round('wes', [1, 1, 1], 4_000),
    round('slow', [9, 9, 9], 900),
    round('fast', [4, 4, 4], 800),
  ]
  const row = (name: string) => compare(rounds).find((one) => one.name === name)

  it('pools latencies of all rounds, and compares with the best peer of each figure', () => {
    expect(row('W1 noop, 1 caller, p50 ms')).toEqual({
      name: 'W1 noop, 1 caller, p50 ms',
      ours: 1,
      best: { peer: 'fast', value: 4, ratio: 0.25 },
      target: 0.5,
      met: true,
    })
    expect(row('W1 noop, 1 caller, p99 ms')?.ours).toBe(9)
  })

  it('uses the median throughput of the rounds, and requires a multiple of the best peer', () => {
    expect(row('W1 noop, 64 callers, /s')).toMatchObject({ ours: 4_000, best: { peer: 'slow', value: 900 }, met: true })
  })

  it('leaves out figures that were not measured', () => {
    expect(compare(rounds).map(({ name }) => name.slice(0, 2))).toEqual(['W1', 'W1', 'W1', 'W1', 'er'])
    expect(againstBudgets({})).toEqual([])
  })

  it('marks missed budgets', () => {
    const budgets = againstBudgets({ readyMs: [300, 500, 600], eventLoop: { p50: 1, p99: 12, max: 40, perSec: 1 } })
    expect(budgets.map(({ ours, met }) => [ours, met])).toEqual([
      [12, true],
      [40, undefined],
      [500, false],
    ])
    expect(show([], budgets)).toMatch(/until `ready`, warm, ms +500 +400 +MISSED/)
  })

  it('shows no ratios without other systems', () => {
    expect(show(compare([round('wes', [1], 2)]), [])).not.toContain('ratio')
  })
})
