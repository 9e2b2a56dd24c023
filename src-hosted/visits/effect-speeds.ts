// How long effects took lately, in this process: short ones are performed within a visit, without a message of their own.

import { forgetOldest } from '../../src-runtime/shared/forget-oldest.ts'

export type EffectSpeeds = {
  note(versionId: string, effect: string, ms: number): void
  /** Whether the effect was performed here before, and took no longer than `ms`. */
  isShort(versionId: string, effect: string): boolean
}

const SHORT_MS = 100
/** One slow attempt counts for about as many as it takes to fall below the limit again. */
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
