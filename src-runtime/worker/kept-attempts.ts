// Attempts of effects whose outcome is not stored yet. An Execution that begins again from its journal, as it does every
// second while the disk is full, goes on with them, instead of performing the effects again.

import type { EffectOutcome } from '../effects/effect-performer.ts'
import type { OpenEffect } from '../engine/effect-attempts.ts'
import type { Change } from '../engine/change.ts'
import { createTransientMap } from '../shared/transient-map.ts'
import { abortAttempts, type ActiveAttempt, type ActiveExecution } from './active-execution.ts'

export type KeptAttempt = {
  readonly own: ActiveAttempt
  /** Its number. */
  readonly attempt: number
  readonly outcome: Promise<EffectOutcome>
}

export type KeptAttempts = {
  of(key: number, effect: OpenEffect): KeptAttempt | undefined
  keep(key: number, command: number, kept: KeptAttempt): void
  /** It has no outcome. */
  remove(key: number, command: number): void
  /** The change is durable. */
  stored(key: number, change: Change): void
  /** The Execution leaves memory, to begin again from its journal: aborts attempts that it awaits no more. */
  leave(active: ActiveExecution): void
  /** The Execution has begun again: aborts attempts that its journal does not have open. */
  takeUp(active: ActiveExecution): void
  /** The Execution has ended. */
  forget(key: number): void
  /** The runtime stops: aborts attempts that have not begun. */
  abortWaiting(): void
}

export const createKeptAttempts = (): KeptAttempts => {
  /** By the Execution's key and the command. */
  const all = createTransientMap<number, Map<number, KeptAttempt>>()

  const remove = (key: number, command: number): void => {
    const kept = all.get(key)
    kept?.delete(command)
    if (kept?.size === 0) all.delete(key)
  }

  return {
    of: (key, { command, attempt }) => {
      const kept = all.get(key)?.get(command)
      return kept?.attempt === attempt && !kept.own.controller.signal.aborted ? kept : undefined
    },
    keep: (key, command, attempt) => {
      const kept = all.get(key) ?? new Map<number, KeptAttempt>()
      all.set(key, kept.set(command, attempt))
    },
    remove,
    stored: (key, { closed = [], rescheduled = [] }) => {
      if (all.get(key) === undefined) return
      if (closed === 'all') all.delete(key)
      else for (const command of closed) remove(key, command)
      for (const { command } of rescheduled) remove(key, command)
    },
    leave: (active) => {
      const kept = all.get(active.key)
      for (const command of kept?.keys() ?? []) active.attempts.delete(command)
      abortAttempts(active)
    },
    takeUp: ({ key, live }) => {
      for (const [command, { own, attempt }] of all.get(key) ?? []) {
        const open = live.open.get(command)
        if (open?.kind === 'effect' && open.attempt === attempt) continue
        own.controller.abort()
        remove(key, command)
      }
    },
    forget: (key) => {
      for (const { own } of all.get(key)?.values() ?? []) own.controller.abort()
      all.delete(key)
    },
    abortWaiting: () => {
      for (const attempts of all.values()) {
        for (const { own } of attempts.values()) if (!own.hasBegun) own.controller.abort()
      }
    },
  }
}
