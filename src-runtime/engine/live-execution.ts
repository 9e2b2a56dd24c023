// The state of an Execution while it has work, in memory. One caller owns it, and only functions of this folder change
// it. It may be lost at any time: the journal rebuilds it.

import type { Change } from './change.ts'
import type { BufferedEvent, ExecutionHead, LoadedExecution, OpenCommand } from './execution-state.ts'
import type { JsonText } from './journal.ts'
import type { Delivery } from './turn.ts'

/** The final outcome of an effect; outcomes are delivered in the order in which they became known. */
export type EffectDelivery = Extract<Delivery, { kind: 'effect_result' | 'effect_failure' }>

export type LiveExecution = {
  readonly createdAt: number
  /** `{ input? }`: what the first turn delivers; empty after it. */
  readonly startData: JsonText
  readonly turns: number
  readonly lastCommand: number
  readonly cancelRequestedAt: number | undefined
  readonly cancelDelivered: boolean
  readonly ended: boolean
  /** By command, ascending. Changed by functions of this folder alone. */
  readonly open: Map<number, OpenCommand>
  /** Those of them that are effects. */
  readonly openEffects: Set<number>
  /** By name, then by position, ascending; no name is kept without events. */
  readonly buffered: Map<string, Map<number, BufferedEvent>>
  readonly bufferedEvents: number
  readonly effectDeliveries: EffectDelivery[]
  /** No open command is due before this time, so that planning need not look at each of many timers. */
  readonly noneDueBefore: number
}

/** The same for the functions of this folder. */
export type OwnLive = { -readonly [Field in keyof LiveExecution]: LiveExecution[Field] }

export const beginLive = (head: ExecutionHead, startData: JsonText): LiveExecution => ({
  createdAt: head.createdAt,
  startData,
  turns: head.turns,
  lastCommand: head.lastCommand,
  cancelRequestedAt: head.cancelRequestedAt,
  cancelDelivered: head.cancelDelivered,
  ended: false,
  open: new Map(),
  openEffects: new Set(),
  buffered: new Map(),
  bufferedEvents: 0,
  effectDeliveries: [],
  noneDueBefore: Infinity,
})

/** `startData` is needed only before the first turn. */
export const resumeLive = (loaded: LoadedExecution, startData: JsonText): LiveExecution => {
  const live = beginLive(loaded.head, startData)
  for (const command of loaded.open) addOpen(live, command)
  for (const event of loaded.buffered) addBuffered(live, event)
  return live
}

export const addOpen = (live: OwnLive, command: OpenCommand): void => {
  live.open.set(command.command, command)
  if (command.kind === 'effect') live.openEffects.add(command.command)
  if (command.dueAt !== undefined && command.dueAt < live.noneDueBefore) live.noneDueBefore = command.dueAt
}

/** Applies the stored state of a command, unless turns that ran ahead have closed it. */
export const updateOpen = (live: LiveExecution, command: OpenCommand): void => {
  if (live.open.has(command.command)) addOpen(live, command)
}

export const closeOpen = (live: LiveExecution, command: number): void => {
  live.open.delete(command)
  live.openEffects.delete(command)
}

export const closeAll = (live: OwnLive): void => {
  live.open.clear()
  live.openEffects.clear()
  live.noneDueBefore = Infinity
}

/** An event may be added twice (when it is received, and by a load that already saw it); it counts once. */
export const addBuffered = (live: OwnLive, event: BufferedEvent): void => {
  const events = live.buffered.get(event.name)
  if (events?.has(event.position) === true) return
  live.bufferedEvents += 1
  if (events === undefined) live.buffered.set(event.name, new Map([[event.position, event]]))
  else events.set(event.position, event)
}

export const removeBuffered = (live: OwnLive, name: string, position: number): void => {
  const events = live.buffered.get(name)
  if (events?.delete(position) !== true) return
  live.bufferedEvents -= 1
  if (events.size === 0) live.buffered.delete(name)
}

/** No more turns: its end is known, and is being written. */
export const endLive = (live: OwnLive): void => {
  live.ended = true
}

/** A cancel was accepted at `at`: its delivery is planned from now on. */
export const requestCancel = (live: OwnLive, at: number | undefined): void => {
  live.cancelRequestedAt = at
}

/** Sets the journal positions of a Change's waits once the Change is written. */
export const placeWaits = (live: LiveExecution, { entries = [] }: Change, firstPosition: number): void => {
  for (const [index, { type, command = 0 }] of entries.entries()) {
    if (type !== 'wait_scheduled') continue
    const wait = live.open.get(command)
    if (wait?.kind === 'event') live.open.set(command, { ...wait, position: firstPosition + index })
  }
}
