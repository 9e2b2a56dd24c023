// Reads the turns back that a journal records.

import { DamagedExecution, missingCommand } from './damaged-execution.ts'
import type { JournalEntry, JsonText } from './journal.ts'
import type { Command, Delivery } from './turn.ts'

export type ReplayTurn = { readonly delivery: Delivery; readonly expected: readonly Command[] }

/** Reads a journal's turns entry by entry. */
export type TurnReader = {
  /** The turn that ends before this entry, if it begins another. Throws DamagedExecution. */
  read(entry: JournalEntry): ReplayTurn | undefined
  /** The last turn, once the last entry was read. */
  end(): ReplayTurn | undefined
}

/** `eventData` returns the data of the `event_received` entry at a position. */
export const createTurnReader = (eventData: (position: number) => JsonText): TurnReader => {
  let delivery: Delivery | undefined
  let expected: Command[] = []
  let lastCommand = 0
  const end = (): ReplayTurn | undefined => delivery && { delivery, expected }
  return {
    read: (entry) => {
      const next = readEntry(entry, () => readDelivery(entry, eventData))
      if (next !== undefined) {
        const turn = end()
        delivery = next
        expected = []
        return turn
      }
      const command = readEntry(entry, () => readCommand(entry))
      if (command === undefined) return undefined
      if (command.command !== lastCommand + 1) throw missingCommand(lastCommand + 1)
      lastCommand = command.command
      expected.push(command)
      return undefined
    },
    end,
  }
}

/** Yields each turn when the first entry of the next one is read, and the last one at the end. Throws DamagedExecution. */
export function* replayTurns(
  entries: Iterable<JournalEntry>,
  eventData: (position: number) => JsonText,
): Generator<ReplayTurn> {
  const reader = createTurnReader(eventData)
  for (const entry of entries) {
    const turn = reader.read(entry)
    if (turn !== undefined) yield turn
  }
  const last = reader.end()
  if (last !== undefined) yield last
}

const readEntry = <Read>({ position, type }: JournalEntry, read: () => Read): Read => {
  try {
    return read()
  } catch (error) {
    if (error instanceof DamagedExecution) throw error
    throw new DamagedExecution(`entry ${position} of the history (${type}) cannot be read`, { cause: error })
  }
}

const readDelivery = (entry: JournalEntry, eventData: (position: number) => JsonText): Delivery | undefined => {
  const { at, command = 0, name = '', attempt = 1, source = 0, data = '{}' } = entry
  switch (entry.type) {
    case 'execution_started':
      return { kind: 'start', at, data }
    case 'event_delivered':
      return { kind: 'event', at, command, name, source, eventId: readId(data), data: eventData(source) }
    case 'wait_timed_out':
      return { kind: 'wait_timeout', at, command, name, ...readEarly(entry) }
    case 'timer_fired':
      return { kind: 'timer', at, command, ...readEarly(entry) }
    case 'effect_completed':
      return { kind: 'effect_result', at, command, name, attempt, data }
    case 'effect_failed':
      return { kind: 'effect_failure', at, command, name, attempt, data }
    case 'cancel_requested':
      return { kind: 'cancel', at }
    default:
      return undefined
  }
}

/** Only what was asked for early has data. */
const readEarly = ({ data }: JournalEntry): { early?: true } => (data === undefined ? {} : { early: true })

const readId = (data: JsonText): string => (JSON.parse(data) as { id: string }).id

const readCommand = (entry: JournalEntry): Command | undefined => {
  const { command = 0, name = '', data = '{}' } = entry
  switch (entry.type) {
    case 'timer_scheduled':
      return { kind: 'timer', command, dueAt: Date.parse((JSON.parse(data) as { wakeAt: string }).wakeAt), data }
    case 'wait_scheduled':
      return { kind: 'wait', command, name, data, ...readTimeout(data) }
    case 'effect_scheduled':
      return { kind: 'effect', command, name, options: {}, data }
    default:
      return undefined
  }
}

const readTimeout = (data: JsonText): { dueAt?: number } => {
  const { timeoutAt } = JSON.parse(data) as { timeoutAt?: string }
  return timeoutAt === undefined ? {} : { dueAt: Date.parse(timeoutAt) }
}
