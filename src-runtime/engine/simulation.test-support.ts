// A Program whose behaviour depends on its deliveries alone, and the state that a journal describes.

import { eventData } from './accept.ts'
import type { BufferedEvent, ExecutionHead } from './execution-state.ts'
import type { JournalEntry, JsonText } from './journal.ts'
import { queuedHead } from './memory-row.ts'
import type { Command, Delivery, Operation, TurnOutput } from './turn.ts'

export const START_DATA = '{"input":{"n":1}}'

export const newHead = (rest: Partial<ExecutionHead> = {}): ExecutionHead => ({
  ...queuedHead({ id: 'exe_1', programId: 'hello', createdAt: 1_000 }),
  ...rest,
})

/** The state that a journal describes after its first turn, read without the engine. */
export const foldJournal = (journal: readonly JournalEntry[]) => {
  const open = new Set<number>()
  const buffered = new Set<number>()
  let turns = 1
  let lastCommand = 0
  for (const { type, command = 0, position, source = 0 } of journal) {
    switch (type) {
      case 'event_received':
        buffered.add(position)
        break
      case 'timer_scheduled':
      case 'wait_scheduled':
      case 'effect_scheduled':
        open.add(command)
        lastCommand = command
        break
      case 'event_delivered':
        buffered.delete(source)
        open.delete(command)
        turns += 1
        break
      case 'timer_fired':
      case 'wait_timed_out':
      case 'effect_completed':
      case 'effect_failed':
        open.delete(command)
        turns += 1
        break
      case 'cancel_requested':
        open.clear()
        turns += 1
        break
      default:
    }
  }
  return { open: [...open], buffered: [...buffered], turns, lastCommand }
}

const iso = (ms: number) => new Date(ms).toISOString()

/** Asks for commands that depend on everything delivered so far, and ends after some turns. */
export const createProgram = (seed: number) => {
  let state = seed >>> 0
  let command = 0
  let turns = 0
  const next = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  const mix = (text: string) => {
    for (const character of text) state = (Math.imul(state ^ character.charCodeAt(0), 16_777_619) >>> 0) + 1
  }
  const newCommand = (at: number): Command => {
    command += 1
    const name = 'ab'.charAt(next(2))
    const dueAt = at + next(50)
    switch (next(4)) {
      case 0:
        return { kind: 'timer', command, dueAt, data: JSON.stringify({ wakeAt: iso(dueAt) }) }
      case 1:
        return { kind: 'wait', command, name, data: '{}' }
      case 2:
        return { kind: 'wait', command, name, dueAt, data: JSON.stringify({ timeoutAt: iso(dueAt) }) }
      default:
        return { kind: 'effect', command, name, options: {}, data: JSON.stringify({ input: command }) }
    }
  }
  return (delivery: Delivery): TurnOutput => {
    mix(JSON.stringify(delivery))
    turns += 1
    const operations: Operation[] = []
    for (let count = next(4); count > 0; count--) {
      if (next(3) === 0) operations.push({ kind: 'log', data: '{"level":"info","message":"here"}' })
      else operations.push(newCommand(delivery.at))
    }
    if (turns > 12 + next(8)) {
      return next(2) === 0
        ? { operations, outcome: { kind: 'completed', data: '{"result":1}' } }
        : { operations, outcome: { kind: 'failed', error: { code: 'program_error', name: 'Error', message: 'no' } } }
    }
    return { operations, outcome: { kind: 'suspended' } }
  }
}

export const bufferedEvent = (position: number, name: string, receivedAt: number): BufferedEvent => ({
  position,
  id: `evt_${position}`,
  name,
  receivedAt,
  bytes: bufferedData(position).length,
})

/** The data of `bufferedEvent(position, …)`. */
export const bufferedData = (position: number): JsonText =>
  eventData({ id: `evt_${position}`, payload: String(position) })
