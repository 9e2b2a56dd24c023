// Checks a guest's output where it leaves the sandbox, so that the rest of the runtime may embed its payloads as text.

import type { ErrorCause, ExecutionError, FailureCode } from '../engine/journal.ts'
import type { Operation, TurnOutput } from '../engine/turn.ts'
import { causeChain, causesOf } from '../shared/error-cause.ts'
import { isTextDeeperThan, JSON_DEPTH_LIMIT } from '../shared/json-depth.ts'
import { LARGEST_RESULT_BYTES } from './limits.ts'
import { explainMissing } from '../shared/missing-globals.ts'
import type { StackMapper } from './stack-trace.ts'
import { MalformedTurn, readTurn } from './turn-text.ts'

const RESULT_WRAPPING_BYTES = '{"result":}'.length
/** `{ input?, retry?, timeoutMs? }` around the input. */
const EFFECT_WRAPPING_BYTES = 2000

const mustBeJson = (json: string): void => {
  try {
    JSON.parse(json)
  } catch {
    throw new MalformedTurn('A payload is not JSON')
  }
}

const checkOperation = (operation: Operation): void => {
  if (operation.kind === 'timer' || operation.kind === 'wait') return
  mustBeJson(operation.data)
  if (operation.kind === 'log') return
  const bytes = Buffer.byteLength(operation.data)
  if (bytes > LARGEST_RESULT_BYTES + EFFECT_WRAPPING_BYTES || isTextDeeperThan(operation.data, JSON_DEPTH_LIMIT + 1)) {
    throw new MalformedTurn('An effect has an input that is over the limits')
  }
}

const refusedResult = (data: string): ExecutionError | undefined => {
  // Before it is parsed: some megabytes of JSON may take more memory than the host has.
  if (Buffer.byteLength(data) - RESULT_WRAPPING_BYTES > LARGEST_RESULT_BYTES) {
    return { code: 'result_too_large', message: 'The result is larger than 1 MiB as JSON' }
  }
  mustBeJson(data)
  // One level more for the object around the result.
  return isTextDeeperThan(data, JSON_DEPTH_LIMIT + 1)
    ? { code: 'invalid_result', message: `The result is nested deeper than ${JSON_DEPTH_LIMIT} levels` }
    : undefined
}

export const OUT_OF_MEMORY = 'The Program used more than 64 MiB of memory'

const failureLine = (error: ExecutionError): string => `f${JSON.stringify(error)}\n`

export const failureTurn = (code: FailureCode, message: string, more: Partial<ExecutionError> = {}): string =>
  failureLine({ code, message, ...more })

/**
 * An effect runs in Node: what is missing there is not what Programs lack. A package that passes an error on may write its message
 * above the frames.
 */
const OF_PROGRAM = /^(?:\S[^\n]*\n)? {4}at [^\n]*[ (]program\.js:/
const MISSING_IN_LOG = /\bReferenceError: (\w+ is not defined)(?=\n {4}at [^\n]*[ (]program\.js:)/g

/** With the author's frames alone. */
const withStack = <Thrown extends Omit<ErrorCause, 'cause'>>(thrown: Thrown, stacks: StackMapper): Thrown => {
  const { stack = '', ...rest } = thrown
  const { name = 'Error' } = thrown
  const message = OF_PROGRAM.test(stack) ? explainMissing(name, thrown.message) : thrown.message
  const frames = stacks.frames(stack)
  const told = { ...rest, message }
  return (
    frames === '' ? told : { ...told, stack: `${message === '' ? name : `${name}: ${message}`}\n${frames}` }
  ) as Thrown
}

const withStacks = ({ cause, ...error }: ExecutionError, stacks: StackMapper): ExecutionError => ({
  ...withStack(error, stacks),
  ...causeChain(causesOf(cause).map((one) => withStack(one, stacks))),
})

const lastLine = (text: string): number => text.lastIndexOf('\n', text.length - 2) + 1

/** In one pass: the text may have 16 MiB and a thousand logs. */
const mapLogs = (text: string, turn: TurnOutput, stacks: StackMapper): string => {
  let mapped = ''
  let from = 0
  for (const operation of turn.operations) {
    if (operation.kind !== 'log' || !operation.data.includes('    at ')) continue
    const log = JSON.parse(operation.data) as { readonly level: string; readonly message: string }
    const explained = log.message.replaceAll(
      MISSING_IN_LOG,
      (_, missing: string) => `ReferenceError: ${explainMissing('ReferenceError', missing)}`,
    )
    const message = stacks.text(explained)
    if (message === log.message) continue
    const line = `l${operation.data}\n`
    const at = text.indexOf(line, from)
    mapped += `${text.slice(from, at)}l${JSON.stringify({ level: log.level, message })}\n`
    from = at + line.length
  }
  return mapped + text.slice(from)
}

export type CheckedTurn = { readonly text: string; readonly hasEnded: boolean }

/**
 * Throws `MalformedTurn`. In the returned text, stacks show the author's source, and the result is within the limits.
 */
export const checkTurn = (raw: string, stacks: StackMapper): CheckedTurn => {
  if (raw === '') return { text: raw, hasEnded: false }
  const turn = readTurn(raw)
  for (const operation of turn.operations) checkOperation(operation)
  const text = mapLogs(raw, turn, stacks)
  const { outcome } = turn
  switch (outcome.kind) {
    case 'suspended':
      return { text, hasEnded: false }
    case 'completed': {
      const refused = refusedResult(outcome.data)
      return { text: refused === undefined ? text : replaceOutcome(text, refused), hasEnded: true }
    }
    case 'failed': {
      // The engine only says "out of memory".
      const isMemory = outcome.error.code === 'program_out_of_memory'
      const error = isMemory ? { ...outcome.error, message: OUT_OF_MEMORY } : outcome.error
      return { text: replaceOutcome(text, withStacks(error, stacks)), hasEnded: true }
    }
  }
}

const replaceOutcome = (text: string, error: ExecutionError): string =>
  text.slice(0, lastLine(text)) + failureLine(error)
