// The error of an Execution whose turn was stopped.

import { failureTurn, OUT_OF_MEMORY } from './check-turn.ts'
import type { RawTurn } from './run-turn.ts'
import type { StackMapper } from './stack-trace.ts'
import { PROGRAM_FILE } from './template.ts'

const TIMEOUT =
  'A turn used up its fuel, or its CPU time. Move heavy work into an effect, or spread it over several turns'

export const TIMEOUT_TURN = failureTurn('program_timeout', TIMEOUT)

export const OUT_OF_MEMORY_TURN = failureTurn('program_out_of_memory', OUT_OF_MEMORY)

export const CRASH_TURN = failureTurn('program_error', 'The Program ended the process that ran it, again and again')

/** The output was not a valid turn. */
export const BROKEN_SANDBOX_TURN = failureTurn('program_error', 'The Program broke its sandbox and was stopped')

const BROKEN: Readonly<Record<Extract<RawTurn, { kind: 'broken' }>['why'], string>> = {
  commands: failureTurn(
    'history_limit_exceeded',
    'The Program asked for more than 10,000 effects, timers and waits. Let one effect do several steps, or divide the work among several Executions',
  ),
  output: failureTurn(
    'history_limit_exceeded',
    'The Program asked for more than 16 MiB in one turn. Give effects less input, for instance the id of stored data, or await some before the next ones',
  ),
  memory: OUT_OF_MEMORY_TURN,
  stack: failureTurn('program_error', 'The Program nests its calls too deeply', { name: 'InternalError' }),
  trap: failureTurn('program_error', 'The Program broke the engine that runs it', { name: 'InternalError' }),
}

/** The engine notes positions of calls and the like; this one is that of a function that has done none yet. */
const UNKNOWN_POSITION = ` (${PROGRAM_FILE}:1:1)`

/** The text of a turn that fails, in the guest's format. */
export const cutOffTurn = (turn: Exclude<RawTurn, { kind: 'output' }>, stacks: StackMapper): string => {
  if (turn.kind === 'broken') return BROKEN[turn.why]
  const frames = stacks.frames(turn.stack.replaceAll(UNKNOWN_POSITION, ''))
  return frames === ''
    ? TIMEOUT_TURN
    : failureTurn('program_timeout', TIMEOUT, { stack: `Error: ${TIMEOUT}\n${frames}` })
}
