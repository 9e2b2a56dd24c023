import { describe, expect, it } from 'vitest'
import { DEFAULT_POOL_LIMITS } from './pool-limits.ts'
import { createWatches, type HostRole } from './turn-watches.ts'

const { budgets } = DEFAULT_POOL_LIMITS

/** When a live turn that polls at each millisecond of CPU is stopped, and why. */
const stopOf = (role: HostRole): readonly [ms: number, why: string] => {
  let ms = 0
  const clocks = { now: () => ms, cpuMs: () => ms }
  const watch = createWatches(role, budgets, clocks, () => 1).turn(false)
  for (; ; ms++) {
    const why = watch(0)
    if (why !== undefined) return [ms, why]
  }
}

describe('a turn', () => {
  it('leaves the shared host soon even if nobody waits there: others may come while it computes', () => {
    expect(stopOf('shared')).toEqual([budgets.sharedTurnMs, 'abandoned'])
  })

  it('may use all of its CPU in a host of its own', () => {
    expect(stopOf('alone')).toEqual([budgets.turnCpuMs, 'time'])
  })
})
