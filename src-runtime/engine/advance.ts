// Turns what a Program did into one Change: its deliveries, the commands they caused and the status commit together.

import type { Change } from './change.ts'
import { endChange, type Ending } from './end-execution.ts'
import type { ExecutionHead, OpenCommand } from './execution-state.ts'
import { isTerminal, type NewEntry } from './journal.ts'
import { addOpen, closeAll, closeOpen, endLive, removeBuffered, type OwnLive } from './live-execution.ts'
import type { Command, Delivery, EffectOptions, PlannedDelivery, TurnOutput } from './turn.ts'

export type Turns = {
  /** Number of turns in the journal before these. */
  readonly turnsBefore: number
  /** When these turns began, and when their outcome was known, in ms since the epoch. */
  readonly begunAt: number
  readonly endedAt: number
  readonly change: Change
  readonly ending: Ending | undefined
}

/** The end of a cancelled Program that awaits nothing durable: nothing could wake it again. */
const NOTHING_LEFT: Ending = { kind: 'completed', data: '{}' }

/** Applies the turns to `live` and returns what to write. There may be fewer `outputs` than `deliveries`. */
export const advance = (
  live: OwnLive,
  deliveries: readonly (PlannedDelivery | Delivery)[],
  outputs: readonly TurnOutput[],
  effectDefaults: (name: string) => EffectOptions,
  time: { readonly begunAt: number; readonly endedAt: number },
): Turns => {
  const turnsBefore = live.turns
  const entries: NewEntry[] = []
  const consumed: number[] = []
  const opened = new Map<number, OpenCommand>()
  let closed: number[] | 'all' = []
  let ending: Ending | undefined
  let label: string | undefined

  for (const [index, output] of outputs.entries()) {
    const delivery = deliveries[index]!
    const entry = deliveryEntry(delivery)
    if (entry !== undefined) entries.push(entry)
    if (delivery.kind === 'start') live.startData = '{}'
    else if (delivery.kind === 'cancel') {
      closed = 'all'
      opened.clear()
      closeAll(live)
      live.cancelDelivered = true
    } else {
      closeOpen(live, delivery.command)
      // The store never saw a command that these same turns opened.
      if (!opened.delete(delivery.command) && closed !== 'all') closed.push(delivery.command)
    }
    if (delivery.kind === 'event') {
      consumed.push(delivery.source)
      removeBuffered(live, delivery.name, delivery.source)
    }
    for (const operation of output.operations) {
      const { at } = delivery
      if (operation.kind === 'log') {
        entries.push({ at, type: 'log', data: operation.data })
        continue
      }
      entries.push(commandEntry(operation, at))
      const command = openCommand(operation, at, effectDefaults)
      opened.set(command.command, command)
      addOpen(live, command)
      live.lastCommand = operation.command
    }
    live.turns += 1
    label ??= output.label
    if (output.outcome.kind === 'suspended') continue
    ending = output.outcome
    endLive(live)
    break
  }
  if (ending === undefined && live.cancelDelivered && live.open.size === 0) {
    ending = NOTHING_LEFT
    endLive(live)
  }
  if (live.effectDeliveries.length > 0) {
    live.effectDeliveries = live.effectDeliveries.filter(({ command }) => live.open.has(command))
  }

  return {
    turnsBefore,
    ...time,
    ending,
    change: {
      entries,
      opened: [...opened.values()],
      closed,
      consumed,
      turns: live.turns,
      lastCommand: live.lastCommand,
      ...(live.cancelDelivered ? { cancelDelivered: true } : {}),
      ...(label === undefined ? {} : { label }),
    },
  }
}

/**
 * The Change to write, given the current row. `undefined` when the Execution has ended, or has stored other turns:
 * these are then discarded.
 */
export const settleTurns = (turns: Turns, head: ExecutionHead): Change | undefined => {
  if (isTerminal(head.status) || head.turns !== turns.turnsBefore) return undefined
  const startedAt = head.startedAt ?? turns.begunAt
  const change: Change = { ...turns.change, startedAt }
  if (turns.ending !== undefined) return endChange(change, turns.ending, head, turns.endedAt)
  return { ...change, status: head.cancelRequestedAt === undefined ? 'waiting' : 'cancelling' }
}

const deliveryEntry = (delivery: PlannedDelivery | Delivery): NewEntry | undefined => {
  const { at } = delivery
  switch (delivery.kind) {
    case 'start':
      return undefined // `execution_started` was written when the start was accepted
    case 'cancel':
      return { at, type: 'cancel_requested' }
    case 'timer':
      return { at, type: 'timer_fired', command: delivery.command, ...earlyData(delivery) }
    case 'wait_timeout':
      return { at, type: 'wait_timed_out', command: delivery.command, name: delivery.name, ...earlyData(delivery) }
    case 'event': {
      const { command, name, source, eventId } = delivery
      return { at, type: 'event_delivered', command, name, source, data: JSON.stringify({ id: eventId }) }
    }
    case 'effect_result': {
      const { command, name, attempt, data } = delivery
      return { at, type: 'effect_completed', command, name, attempt, data }
    }
    case 'effect_failure': {
      const { command, name, attempt, data } = delivery
      return { at, type: 'effect_failed', command, name, attempt, data }
    }
  }
}

const earlyData = ({ early }: { readonly early?: true }) => (early === true ? { data: '{"early":true}' } : {})

const commandEntry = (operation: Command, at: number): NewEntry => {
  const { command, data } = operation
  switch (operation.kind) {
    case 'timer':
      return { at, type: 'timer_scheduled', command, data }
    case 'wait':
      return { at, type: 'wait_scheduled', command, name: operation.name, data }
    case 'effect':
      return { at, type: 'effect_scheduled', command, name: operation.name, data }
  }
}

const openCommand = (
  operation: Command,
  since: number,
  effectDefaults: (name: string) => EffectOptions,
): OpenCommand => {
  const { command } = operation
  switch (operation.kind) {
    case 'timer':
      return { kind: 'timer', command, since, dueAt: operation.dueAt }
    case 'wait': {
      const wait = { kind: 'event', command, name: operation.name, since } as const
      return operation.dueAt === undefined ? wait : { ...wait, dueAt: operation.dueAt }
    }
    case 'effect': {
      const defaults = effectDefaults(operation.name)
      const options = { ...defaults, ...operation.options, retry: { ...defaults.retry, ...operation.options.retry } }
      return { kind: 'effect', command, name: operation.name, since, attempt: 1, options }
    }
  }
}
