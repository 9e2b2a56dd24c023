// Effects that begin in this process as soon as the change that opens them is stored. The change notes who performs them:
// if this process dies, that counts as a death of each.

import type { Change } from '../../src-runtime/engine/change.ts'
import type { OpenEffect } from '../../src-runtime/engine/effect-attempts.ts'
import type { CommittedTurns } from '../store/store.ts'

export type ClaimedEffects = {
  readonly byCommand: ReadonlyMap<number, OpenEffect>
  readonly begun: NonNullable<CommittedTurns['begun']>
}

/** `undefined`: the change opens none that `admits` accepts. */
export const claimEffects = (
  { opened = [] }: Change,
  performer: string,
  admits: (effect: OpenEffect) => boolean,
): ClaimedEffects | undefined => {
  const byCommand = new Map<number, OpenEffect>()
  for (const open of opened) {
    if (open.kind === 'effect' && open.dueAt === undefined && admits(open)) byCommand.set(open.command, open)
  }
  return byCommand.size === 0 ? undefined : { byCommand, begun: { performer, commands: new Set(byCommand.keys()) } }
}
