// Replay met another command than the journal holds: the message shows both sides, and the way out.

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
  const from = firstDifference(dataOf(expected), dataOf(found))
  const message =
    `replay of turn ${turn + 1} differs from the history: ` +
    `the history holds ${describe(expected, from)}, the Program now asks for ${describe(found, from)}. ${WAY_OUT}`
  return { code: 'nondeterminism', message, ...(stack === undefined ? {} : { stack }) }
}

/** A new version would not help: an Execution keeps its own. */
const WAY_OUT =
  'This Execution cannot go on. Start it again with the same input: a new one runs the newest version from the beginning, with its effects'

const DATA_LENGTH = 200
/** What is shown of what both sides have in common. */
const SHARED_LENGTH = 60

const describe = (side: Found | undefined, from: number): string => {
  if (side === undefined) return 'nothing more'
  switch (side.kind) {
    case 'ended':
      return `its end (${side.message})`
    case 'timer':
      return `timer ${shorten(side.data, from)} as command ${side.command}`
    case 'wait':
      return `wait for event "${side.name}" ${shorten(side.data, from)} as command ${side.command}`
    case 'effect':
      return `effect "${side.name}" ${shorten(side.data, from)} as command ${side.command}`
  }
}

const dataOf = (side: Found | undefined): string => (side === undefined || side.kind === 'ended' ? '' : side.data)

const firstDifference = (one: string, other: string): number => {
  if (one === other) return 0
  let at = 0
  while (at < one.length && one[at] === other[at]) at++
  return at
}

/** JSON is well-formed, so these are of pairs that a cut halved. */
const HALVES_OF_SURROGATE_PAIRS = /^[\udc00-\udfff]|[\ud800-\udbff]$/g

const shorten = (data: string, from: number): string => {
  const start = from < DATA_LENGTH / 2 ? 0 : from - SHARED_LENGTH
  const end = start + DATA_LENGTH
  if (data.length <= DATA_LENGTH) return data
  const shown = data.slice(start, end).replaceAll(HALVES_OF_SURROGATE_PAIRS, '')
  return `${start > 0 ? '…' : ''}${shown}${end < data.length ? '…' : ''}`
}
