// Replay met another command than the journal holds: the message shows both sides.

import type { ExecutionError } from './journal.ts'
import type { Command } from './turn.ts'

export type Found = Command | { readonly kind: 'ended'; readonly message: string }

export const nondeterminismError = (divergence: {
  readonly turn: number
  readonly expected?: Command
  readonly found?: Found
  readonly stack?: string
}): ExecutionError => {
  const { turn, expected, found, stack } = divergence
  const message =
    `replay of turn ${turn + 1} differs from the history: ` +
    `the history holds ${describe(expected)}, the Program now asks for ${describe(found)}`
  return { code: 'nondeterminism', message, ...(stack === undefined ? {} : { stack }) }
}

const DATA_LENGTH = 200

const describe = (side: Found | undefined): string => {
  if (side === undefined) return 'nothing more'
  switch (side.kind) {
    case 'ended':
      return `its end (${side.message})`
    case 'timer':
      return `timer ${shorten(side.data)} as command ${side.command}`
    case 'wait':
      return `wait for event "${side.name}" ${shorten(side.data)} as command ${side.command}`
    case 'effect':
      return `effect "${side.name}" ${shorten(side.data)} as command ${side.command}`
  }
}

const shorten = (data: string): string => (data.length <= DATA_LENGTH ? data : `${data.slice(0, DATA_LENGTH)}…`)
