// Measures how fast this machine runs the engine.

import type { HostClocks } from './turn-watches.ts'
import type { Machine } from './machine.ts'
import { REFERENCE_POLLS_PER_MS } from './pool-limits.ts'

const LOOP = '(() => { for (let i = 0; i < 100000; i++); })()'
const SAMPLES = 8
const FASTEST = 0.25

/**
 * How many times longer the tightest loop takes than on the reference machine. Takes the best of a few runs, because
 * the first ones compile the engine and other processes compete. Takes 3 ms on the reference machine. The slot's memory
 * must not be used afterwards.
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
