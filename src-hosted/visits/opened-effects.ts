// The effects that the turns of one visit open. Those that begin here at once are claimed with the change that opens them.

import type { Change } from '../../src-runtime/engine/change.ts'
import type { OpenEffect } from '../../src-runtime/engine/effect-attempts.ts'
import type { JsonText } from '../../src-runtime/engine/journal.ts'
import type { CommittedTurns } from '../store/store.ts'
import { claimEffects } from './claimed-effects.ts'

export type OpenedEffects = {
  has(command: number): boolean
  /** Claims those that `admits` accepts, of a change that is about to be stored. */
  claim(change: Change, admits: (effect: OpenEffect) => boolean): CommittedTurns['begun']
  /** The change is stored, with what was claimed of it: by default, what `claim` did last. */
  stored(change: Change, claimed?: ReadonlyMap<number, OpenEffect>): void
  /** The change was not stored. */
  refused(): void
  /** The Execution has ended, and awaits none of them. */
  closeAll(): void
  /** Takes a claimed attempt, which begins now, and answers its data. `undefined`: it is not claimed. */
  take(effect: OpenEffect): JsonText | undefined
  /** What the store may know to be performed here, and what has not begun. */
  claimed(): readonly OpenEffect[]
}

const NONE: ReadonlyMap<number, OpenEffect> = new Map()

export const createOpenedEffects = (performer: string): OpenedEffects => {
  const opened = new Set<number>()
  const claimed = new Map<number, OpenEffect>()
  const dataOf = new Map<number, JsonText>()
  /** Of the change that is being stored. */
  let claiming = NONE

  return {
    has: (command) => opened.has(command),
    claim: (change, admits) => {
      const found = claimEffects(change, performer, admits)
      claiming = found?.byCommand ?? NONE
      return found?.begun
    },
    stored: ({ entries = [] }, byCommand = claiming) => {
      claiming = NONE
      for (const [command, effect] of byCommand) claimed.set(command, effect)
      for (const { type, command = 0, data = '{}' } of entries) {
        if (type !== 'effect_scheduled') continue
        opened.add(command)
        if (claimed.has(command)) dataOf.set(command, data)
      }
    },
    refused: () => {
      claiming = NONE
    },
    closeAll: () => {
      claiming = NONE
      claimed.clear()
    },
    take: ({ command, attempt }) => {
      const data = dataOf.get(command)
      if (data === undefined || claimed.get(command)?.attempt !== attempt) return undefined
      claimed.delete(command)
      dataOf.delete(command)
      return data
    },
    claimed: () => [...claimed.values(), ...claiming.values()],
  }
}
