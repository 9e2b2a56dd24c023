// How long effects took lately, in this process: short ones are performed within a visit, without a message of their own.

import { forgetOldest } from '../../src-runtime/shared/forget-oldest.ts'

export type EffectSpeeds = {
  note(versionId: string, effect: string, ms: number): void
  /** Whether the effect was performed here before, and most of its last attempts took 100 ms at most. */
  isShort(versionId: string, effect: string): boolean
}

const SHORT_MS = 100
/**
 * Their median counts, because a busy machine delays single attempts. A message costs ten times as much as an attempt within a
 * visit, so messages in place of delayed attempts would make such a machine busier still.
 */
const ATTEMPTS = 5
const MOST_KEPT = 10_000

export const createEffectSpeeds = (): EffectSpeeds => {
  /** Of the last attempts of each effect. Least recently noted first. */
  const times = new Map<string, readonly number[]>()
  const keyOf = (versionId: string, effect: string): string => `${versionId}/${effect}`
  return {
    note: (versionId, effect, ms) => {
      const key = keyOf(versionId, effect)
      const before = times.get(key) ?? []
      times.delete(key)
      times.set(key, [...before.slice(1 - ATTEMPTS), ms])
      forgetOldest(times, MOST_KEPT)
    },
    isShort: (versionId, effect) => {
      const noted = times.get(keyOf(versionId, effect))
      return noted !== undefined && medianOf(noted) <= SHORT_MS
    },
  }
}

/** The lower one of two. */
const medianOf = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[(values.length - 1) >> 1]!
