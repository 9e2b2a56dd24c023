// How long effects took lately, in this process: short ones are performed within a visit, without a message of their own.

import { forgetOldest } from '../../src-runtime/shared/forget-oldest.ts'

export type EffectSpeeds = {
  note(versionId: string, effect: string, ms: number): void
  /** Whether the effect was performed here before, and took 100 ms at most lately. */
  isShort(versionId: string, effect: string): boolean
}

const SHORT_MS = 100
/** The time of the slowest attempt so far counts a fifth less with each further attempt. */
const DECAY = 0.8
const MOST_KEPT = 10_000

export const createEffectSpeeds = (): EffectSpeeds => {
  /** Least recently noted first. */
  const slowest = new Map<string, number>()
  const keyOf = (versionId: string, effect: string): string => `${versionId}/${effect}`
  return {
    note: (versionId, effect, ms) => {
      const key = keyOf(versionId, effect)
      const before = slowest.get(key) ?? 0
      slowest.delete(key)
      slowest.set(key, Math.max(ms, before * DECAY))
      forgetOldest(slowest, MOST_KEPT)
    },
    isShort: (versionId, effect) => (slowest.get(keyOf(versionId, effect)) ?? Infinity) <= SHORT_MS,
  }
}
