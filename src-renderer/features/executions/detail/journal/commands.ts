// Derives the state of each command of an Execution from its history, entry by entry.

import type { Waiting } from '#sdk/index.ts'
import type { EntryLine } from './entry-line.ts'

export type Attempt = {
  /** From 1. */
  readonly number: number
  readonly from: number
  /** Absent while the attempt is running. */
  readonly to?: number
  readonly outcome: 'running' | 'failed' | 'completed' | 'dropped'
  /** The entry that ended it. */
  readonly position?: number
  readonly error?: string
  /** When the next attempt may begin. */
  readonly retryAt?: number
  /** A user started it before it was due. */
  readonly early?: true
}

export type CommandOutcome =
  | 'open'
  | 'completed'
  | 'failed'
  | 'fired'
  | 'delivered'
  | 'timed out'
  /** A cancel rejected it. */
  | 'cancelled'
  /** The Program ended before the command did. */
  | 'dropped'

export type Command = {
  /** From 1. */
  readonly number: number
  readonly kind: 'effect' | 'timer' | 'wait'
  /** The name of the effect or the event; empty for timers. */
  readonly name: string
  readonly from: number
  readonly to?: number
  readonly outcome: CommandOutcome
  /** The positions of the entries that started and ended it. */
  readonly position: number
  readonly endPosition?: number
  /** When a timer wakes or a wait times out. */
  readonly dueAt?: number
  /** A user fired it, or let it time out, before that. */
  readonly early?: true
  /** Of an effect. */
  readonly attempts: readonly Attempt[]
}

export type CommandFold = {
  readonly add: (line: EntryLine) => void
  /** In the order of their numbers. Commands are immutable; a change replaces the object. */
  readonly commands: readonly Command[]
}

export const createCommandFold = (): CommandFold => {
  const commands: Command[] = []
  /** The indexes of open commands, by number. */
  const open = new Map<number, number>()

  const begin = (line: EntryLine, kind: Command['kind']) => {
    if (line.command === undefined) return
    open.set(line.command, commands.length)
    commands.push(scheduled(line, line.command, kind))
  }
  const change = (line: EntryLine, next: (command: Command) => Command) => {
    const index = line.command === undefined ? undefined : open.get(line.command)
    if (index !== undefined) commands[index] = next(commands[index]!)
  }
  const end = (line: EntryLine, outcome: CommandOutcome) => {
    change(line, (command) => ended(command, line, outcome))
    if (line.command !== undefined) open.delete(line.command)
  }
  const endAll = (line: EntryLine, outcome: CommandOutcome) => {
    for (const index of open.values()) commands[index] = ended(commands[index]!, line, outcome)
    open.clear()
  }

  const add = (line: EntryLine): void => {
    switch (line.type) {
      case 'effect_scheduled':
        return begin(line, 'effect')
      case 'timer_scheduled':
        return begin(line, 'timer')
      case 'wait_scheduled':
        return begin(line, 'wait')
      case 'effect_attempt_failed':
        return change(line, (command) => ({ ...command, attempts: failedAttempt(command.attempts, line) }))
      case 'effect_completed':
        return end(line, 'completed')
      case 'effect_failed':
        return end(line, 'failed')
      case 'timer_fired':
        return end(line, 'fired')
      case 'event_delivered':
        return end(line, 'delivered')
      case 'wait_timed_out':
        return end(line, 'timed out')
      case 'cancel_requested':
        return endAll(line, 'cancelled')
      case 'execution_completed':
      case 'execution_failed':
      case 'execution_cancelled':
        return endAll(line, 'dropped')
      default:
    }
  }
  return { add, commands }
}

const scheduled = (line: EntryLine, number: number, kind: Command['kind']): Command => ({
  number,
  kind,
  name: line.name ?? '',
  from: line.at,
  outcome: 'open',
  position: line.position,
  ...(line.dueAt !== undefined && { dueAt: line.dueAt }),
  attempts: kind === 'effect' ? [{ number: 1, from: line.at, outcome: 'running' }] : [],
})

const ended = (command: Command, line: EntryLine, outcome: CommandOutcome): Command => ({
  ...command,
  outcome,
  to: Math.max(command.from, line.at),
  ...(line.command === command.number && { endPosition: line.position }),
  ...(line.early === true && command.kind !== 'effect' && { early: true }),
  attempts: endedAttempts(command.attempts, line, outcome),
})

const failedAttempt = (attempts: readonly Attempt[], line: EntryLine): readonly Attempt[] => {
  const number = line.attempt ?? attempts.length
  const retryAt = Math.max(line.dueAt ?? line.at, line.at)
  return [
    ...attempts.slice(0, -1),
    { ...closed(attempts.at(-1)!, line, 'failed'), number, error: line.summary, retryAt },
    { number: number + 1, from: retryAt, outcome: 'running' },
  ]
}

const endedAttempts = (attempts: readonly Attempt[], line: EntryLine, outcome: CommandOutcome): readonly Attempt[] => {
  const last = attempts.at(-1)
  if (last === undefined) return attempts
  if (outcome === 'completed') return [...attempts.slice(0, -1), closed(last, line, 'completed')]
  if (outcome === 'failed') {
    return [...attempts.slice(0, -1), { ...closed(last, line, 'failed'), error: line.summary }]
  }
  // The effect was backing off: this attempt never began.
  if (last.from > line.at) return attempts.slice(0, -1)
  const { position: _, ...dropped } = closed(last, line, 'dropped')
  return [...attempts.slice(0, -1), dropped]
}

const closed = (attempt: Attempt, line: EntryLine, outcome: Attempt['outcome']): Attempt => ({
  ...attempt,
  from: Math.min(attempt.from, line.at),
  to: line.at,
  outcome,
  position: line.position,
  ...(line.early === true && { early: true }),
})

/**
 * The commands behind `waitingFor`, in the same order; undefined where the history is not loaded so far. While attempts of an
 * effect follow each other quickly, the history knows another number of them: then it is the only one left with this name.
 */
export const commandsBehind = (
  commands: readonly Command[],
  waitingFor: readonly Waiting[],
): readonly (Command | undefined)[] => {
  const open = new Set(commands.filter((command) => command.outcome === 'open'))
  const exact = waitingFor.map((awaited) => {
    const found = [...open].find((command) => isAwaited(command, awaited))
    if (found !== undefined) open.delete(found)
    return found
  })
  return exact.map((found, index) => {
    const awaited = waitingFor[index]!
    // Before its first attempt has failed, there is nothing to know of it.
    if (found !== undefined || awaited.kind !== 'effect' || awaited.attempt === 1) return found
    const isNamesake = (one: Waiting) => one.kind === 'effect' && one.name === awaited.name
    const unknown = waitingFor.filter((one, at) => exact[at] === undefined && isNamesake(one))
    const [left, ...others] = [...open].filter(({ kind, name }) => kind === 'effect' && name === awaited.name)
    return unknown.length === 1 && others.length === 0 ? left : undefined
  })
}

const isAwaited = (command: Command, awaited: Waiting): boolean => {
  const { kind, name, dueAt, attempts } = command
  switch (awaited.kind) {
    case 'event':
      return kind === 'wait' && name === awaited.name && dueAt === timeOf(awaited.timeoutAt)
    case 'timer':
      return kind === 'timer' && dueAt === timeOf(awaited.wakeAt)
    case 'effect':
      return kind === 'effect' && name === awaited.name && attempts.length === awaited.attempt
  }
}

const timeOf = (iso: string | undefined): number | undefined => (iso === undefined ? undefined : Date.parse(iso))

/** An effect's previous attempt. */
export const attemptBefore = (command: Command | undefined): Attempt | undefined => command?.attempts.at(-2)
