// Outcomes of attempts that are not stored yet. While the disk is full, an Execution begins again from its journal every
// second; it then gets the outcome that it had, instead of performing the effect again.

import type { EffectOutcome } from '../effects/effect-performer.ts'
import type { OpenEffect } from '../engine/effect-attempts.ts'
import type { Change } from '../engine/change.ts'

export type UnstoredOutcomes = {
  of(key: number, effect: OpenEffect): EffectOutcome | undefined
  keep(key: number, effect: OpenEffect, outcome: EffectOutcome): void
  /** The change is durable. */
  stored(key: number, change: Change): void
  /** The Execution has ended. */
  forget(key: number): void
}

type Kept = { readonly attempt: number; readonly outcome: EffectOutcome }

export const createUnstoredOutcomes = (): UnstoredOutcomes => {
  /** By the Execution's key and the command. */
  const kept = new Map<number, Map<number, Kept>>()
  return {
    of: (key, { command, attempt }) => {
      const known = kept.get(key)?.get(command)
      return known?.attempt === attempt ? known.outcome : undefined
    },
    keep: (key, { command, attempt }, outcome) => {
      const own = kept.get(key) ?? new Map<number, Kept>()
      kept.set(key, own.set(command, { attempt, outcome }))
    },
    stored: (key, { closed = [], rescheduled = [] }) => {
      const own = kept.get(key)
      if (own === undefined) return
      if (closed === 'all') own.clear()
      else for (const command of closed) own.delete(command)
      for (const { command } of rescheduled) own.delete(command)
      if (own.size === 0) kept.delete(key)
    },
    forget: (key) => void kept.delete(key),
  }
}
