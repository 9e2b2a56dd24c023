// How fast this machine is, by the engine's own measure.

import type { HostClocks } from './host-budgets.ts'
import type { Machine } from './machine.ts'
import { REFERENCE_POLLS_PER_MS } from './pool-limits.ts'

const LOOP = '(() => { for (let i = 0; i < 100000; i++); })()'
const SAMPLES = 8
const FASTEST = 0.25

/**
 * How many times longer than on the reference machine the tightest loop takes here: the best of a few runs, since the
 * first of them compile the engine and others share the processor. Takes 3 ms there. The memory is not to be used after.
 */
export const measureSlowness = (machine: Machine, clocks: HostClocks): number => {
  let polls = 0
  machine.onPoll = () => {
    polls++
    return false
  }
  let best = 0
  // Windows counts a thread's CPU time in steps of 16 ms.
  const clock = process.platform === 'win32' ? clocks.now : clocks.cpuMs
  for (let sample = 0; sample < SAMPLES; sample++) {
    polls = 0
    const startedAt = clock()
    machine.engine.qjs_free_value(machine.evaluate(LOOP, 'speed.js'))
    best = Math.max(best, polls / Math.max(0.01, clock() - startedAt))
  }
  machine.onPoll = () => false
  return Math.max(FASTEST, REFERENCE_POLLS_PER_MS / Math.max(0.01, best))
}
