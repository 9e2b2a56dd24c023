// Measures how fast this machine is, without the engine: V8 takes a second or more to optimise that, longer when other
// processes compete, and an engine that is not optimised yet says nothing about the machine.

/** Rounds of the loop below in a millisecond on the reference machine. */
const REFERENCE_ROUNDS_PER_MS = 160_000
/** A sample takes some 100 µs, so that other processes seldom interrupt it. */
const ROUNDS = 20_000
const FEWEST_SAMPLES = 50
/** A machine that is slower than this is measured for longer: V8 may still be optimising the loop. */
const CLOSE_TO_REFERENCE = 1.5
const LONGEST_MS = 100
const FASTEST = 0.25
/** A machine that is very busy looks slower than it is. A hang must end all the same. */
const SLOWEST = 4

/**
 * How many times longer computing takes than on the reference machine, from the best of many short samples. Takes 6 ms
 * on the reference machine, and up to 100 ms on a slower one.
 *
 * @param now milliseconds on a monotonic clock. CPU time would not do: some kernels count it in steps of 4 ms or more.
 */
export const measureSlowness = (now: () => number): number => {
  const codes = Uint8Array.from({ length: 4096 }, (_, index) => Math.imul(index, 2_654_435_761) >>> 24)
  const latest = now() + LONGEST_MS
  let best = Infinity
  const slowness = (): number => (best * REFERENCE_ROUNDS_PER_MS) / ROUNDS
  for (let sample = 0; sample < FEWEST_SAMPLES || (slowness() > CLOSE_TO_REFERENCE && now() < latest); sample++) {
    const startedAt = now()
    interpret(codes, sample)
    best = Math.min(best, now() - startedAt)
  }
  return Math.min(SLOWEST, Math.max(FASTEST, slowness()))
}

/** A small interpreter, because the engine is one: loads and branches that depend on one another. */
const interpret = (codes: Uint8Array, seed: number): number => {
  let value = seed
  let at = 0
  for (let round = 0; round < ROUNDS; round++) {
    const code = codes[at] as number
    switch (code & 3) {
      case 0:
        value = (value + code) | 0
        break
      case 1:
        value = Math.imul(value, 31)
        break
      case 2:
        value ^= value >>> 7
        break
      default:
        value = (value - round) | 0
    }
    at = (at + (value & 255) + 1) & 4095
  }
  return value
}
