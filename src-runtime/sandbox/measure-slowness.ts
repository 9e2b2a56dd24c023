// Measures how fast this machine runs the engine.

import type { HostClocks } from './turn-watches.ts'
import type { Machine } from './machine.ts'
import { REFERENCE_POLLS_PER_MS } from './pool-limits.ts'

const LOOP = '(() => { for (let i = 0; i < 100000; i++); })()'
const FEWEST_SAMPLES = 8
const FASTEST = 0.25
/** A machine that is slower than this is measured for longer: V8 may still be optimising the engine's code. */
const CLOSE_TO_REFERENCE = 1.5
const LONGEST_MS = 100
/** On a machine that is busier than slow, the measurement exceeds what the machine is. A hang must end all the same. */
const SLOWEST = 4

/**
 * How many times longer the tightest loop takes than on the reference machine. Takes the best of a few runs, because
 * the first ones compile the engine and other processes compete. Takes 3 ms on the reference machine, and up to 100 ms on
 * a slower one. The slot's memory must not be used afterwards.
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
  const slowness = (): number => REFERENCE_POLLS_PER_MS / Math.max(0.01, best)
  const latest = clocks.now() + LONGEST_MS
  const isSettled = (): boolean => slowness() <= CLOSE_TO_REFERENCE || clocks.now() >= latest
  for (let sample = 0; sample < FEWEST_SAMPLES || !isSettled(); sample++) {
    polls = 0
    const startedAt = clock()
    machine.engine.qjs_free_value(machine.evaluate(LOOP, 'speed.js'))
    best = Math.max(best, polls / Math.max(0.01, clock() - startedAt))
  }
  machine.onPoll = () => false
  return Math.min(SLOWEST, Math.max(FASTEST, slowness()))
}
