// Reads the text that a guest writes about its turn (guest/output.js) into operations.

import type { ErrorCause, ExecutionError, FailureCode } from '../engine/journal.ts'
import type { Command, EffectOptions, Operation, TurnOutcome, TurnOutput } from '../engine/turn.ts'
import { causeChain, MOST_CAUSES } from '../shared/error-cause.ts'

/** The text does not follow the format, so its slot must not be used any more. */
export class MalformedTurn extends Error {}

const malformed = (line: string | undefined): never => {
  throw new MalformedTurn(`Not a line of a turn: ${JSON.stringify((line ?? 'end of text').slice(0, 100))}`)
}

const isoDate = (at: number): string => new Date(at).toISOString()

const timerData = (dueAt: number): string => `{"wakeAt":"${isoDate(dueAt)}"}`
const waitData = (dueAt: number | undefined): string =>
  dueAt === undefined ? '{}' : `{"timeoutAt":"${isoDate(dueAt)}"}`

const LATEST_DATE_MS = 8.64e15
const COMMAND_LINE = /^[etw](\d{1,5})(?: (-?\d{1,16}|-))?(?: ("(?:[^"\\]|\\.)*"))?$/

type Head = { readonly command: number; readonly dueAt: number | undefined; readonly name: string }

const readHead = (line: string, hasDue: boolean, hasName: boolean): Head => {
  const parts = COMMAND_LINE.exec(line) ?? malformed(line)
  const [, command = '', due, name] = parts
  if ((due === undefined) === hasDue || (name === undefined) === hasName) malformed(line)
  const dueAt = due === undefined || due === '-' ? undefined : Number(due)
  if (dueAt !== undefined && Math.abs(dueAt) > LATEST_DATE_MS) malformed(line)
  return { command: Number(command), dueAt, name: name === undefined ? '' : readText(name) }
}

const readText = (json: string): string => {
  try {
    return JSON.parse(json) as string
  } catch {
    return malformed(json)
  }
}

const NO_OPTIONS: EffectOptions = {}

const readOptions = (json: string | undefined): EffectOptions => {
  if (json === '{}') return NO_OPTIONS
  try {
    const { retry, timeoutMs } = JSON.parse(json ?? '') as EffectOptions
    return { ...(retry === undefined ? {} : { retry }), ...(timeoutMs === undefined ? {} : { timeoutMs }) }
  } catch {
    return malformed(json)
  }
}

type Lines = { readonly lines: readonly string[]; at: number }

const next = (text: Lines): string => text.lines[text.at++] ?? malformed(undefined)

const readCommand = (text: Lines, line: string): Command => {
  switch (line[0]) {
    case 'e': {
      const { command, name } = readHead(line, false, true)
      const data = next(text)
      return { kind: 'effect', command, name, options: readOptions(next(text)), data }
    }
    case 't': {
      const { command, dueAt = malformed(line) } = readHead(line, true, false)
      return { kind: 'timer', command, dueAt, data: timerData(dueAt) }
    }
    case 'w': {
      const { command, dueAt, name } = readHead(line, true, true)
      const wait = { kind: 'wait', command, name, data: waitData(dueAt) } as const
      return dueAt === undefined ? wait : { ...wait, dueAt }
    }
    default:
      return malformed(line)
  }
}

const FAILURE_CODES: ReadonlySet<string> = new Set<FailureCode>([
  'program_error',
  'effect_failed',
  'program_timeout',
  'program_out_of_memory',
  'history_limit_exceeded',
  'result_too_large',
  'invalid_result',
])

const isText = (value: unknown): value is string => typeof value === 'string'

const readCauses = (value: unknown): readonly ErrorCause[] => {
  const causes: ErrorCause[] = []
  for (let next = value; causes.length < MOST_CAUSES;) {
    if (typeof next !== 'object' || next === null) break
    const { name, message, stack, cause } = next as Record<string, unknown>
    if (!isText(message)) break
    causes.push({ ...(isText(name) ? { name } : {}), message, ...(isText(stack) && stack !== '' ? { stack } : {}) })
    next = cause
  }
  return causes
}

const readFailure = (json: string): ExecutionError => {
  let failure: Record<string, unknown>
  try {
    failure = JSON.parse(json) as Record<string, unknown>
  } catch {
    return malformed(json)
  }
  const { code, message, name, stack, cause } = failure
  if (!isText(code) || !FAILURE_CODES.has(code) || !isText(message)) return malformed(json)
  return {
    code: code as FailureCode,
    message,
    ...(isText(name) && name !== '' ? { name } : {}),
    ...(isText(stack) && stack !== '' ? { stack } : {}),
    ...causeChain(readCauses(cause)),
  }
}

const LONGEST_LABEL = 200

/** The first line of a first turn. */
export const labelText = (label: string): string => `n${JSON.stringify(label)}\n`

const readLabel = (line: string): { readonly label: string } => {
  const label = readText(line.slice(1))
  return isText(label) && label.length <= LONGEST_LABEL ? { label } : malformed(line)
}

const SUSPENDED: TurnOutcome = { kind: 'suspended' }

const readOutcome = (line: string): TurnOutcome =>
  line[0] === 'c' ? { kind: 'completed', data: line.slice(1) } : { kind: 'failed', error: readFailure(line.slice(1)) }

/** Throws `MalformedTurn`. Does not parse payloads, which were checked before. */
export const readTurn = (turn: string): TurnOutput => {
  if (turn === '') return { operations: [], outcome: SUSPENDED }
  if (!turn.endsWith('\n')) malformed(turn.slice(-100))
  const text: Lines = { lines: turn.slice(0, -1).split('\n'), at: 0 }
  const operations: Operation[] = []
  const label = text.lines[0]?.[0] === 'n' ? readLabel(next(text)) : {}
  while (text.at < text.lines.length) {
    const line = next(text)
    if (line[0] === 'l') operations.push({ kind: 'log', data: line.slice(1) })
    else if (line[0] === 'c' || line[0] === 'f') {
      if (text.at !== text.lines.length) malformed(text.lines[text.at])
      return { operations, outcome: readOutcome(line), ...label }
    } else operations.push(readCommand(text, line))
  }
  return { operations, outcome: SUSPENDED, ...label }
}

/** One command as text. Equal commands have equal texts; an effect's options are part of its data. */
export const commandText = (command: Command): string =>
  command.kind === 'timer'
    ? `t${command.command}\n${command.data}\n`
    : `${command.kind[0]}${command.command} ${JSON.stringify(command.name)}\n${command.data}\n`

/** One command as the guest would have written it, for `readTurn`. */
export const commandLines = (command: Command): string => {
  const { kind, command: number } = command
  switch (kind) {
    case 'effect':
      return `e${number} ${JSON.stringify(command.name)}\n${command.data}\n${JSON.stringify(command.options)}\n`
    case 'timer':
      return `t${number} ${command.dueAt}\n`
    case 'wait':
      return `w${number} ${command.dueAt ?? '-'} ${JSON.stringify(command.name)}\n`
  }
}

export const commandsText = (commands: readonly Command[]): string => commands.map(commandText).join('')

export const isCommand = (operation: Operation): operation is Command => operation.kind !== 'log'
