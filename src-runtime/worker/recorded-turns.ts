// Checks the turns that are read back from a journal against what the Execution's row says of them, and cuts them into
// parts, so that no message to a Program host grows with the history.

import { DamagedExecution, missingCommand, missingEntry } from '../engine/damaged-execution.ts'
import type { ReplayTurn } from '../engine/replay-turns.ts'

/** A part ends with the turn that reaches this many characters, or this many turns. */
const PART_LENGTH = 2 * 1024 * 1024
const PART_TURNS = 1_000

export type RecordedRow = { readonly turns: number; readonly lastCommand: number }

export type RecordedTurns = {
  /** False when the row counts no more turns: the turn is not one of them. Throws DamagedExecution. */
  add(turn: ReplayTurn): boolean
  /** The part that has become full, once. */
  takeFull(): readonly ReplayTurn[] | undefined
  /** The last part, which may be empty. Throws DamagedExecution when turns are missing. */
  end(): readonly ReplayTurn[]
}

export const createRecordedTurns = ({ turns: count, lastCommand }: RecordedRow): RecordedTurns => {
  let read = 0
  let command = 0
  let part: ReplayTurn[] = []
  let length = 0
  const take = (): readonly ReplayTurn[] => {
    const taken = part
    part = []
    length = 0
    return taken
  }
  return {
    add: (turn) => {
      if (read === count) return false
      if (read === 0 && turn.delivery.kind !== 'start') throw missingEntry(1, 'execution_started')
      read += 1
      command = turn.expected.at(-1)?.command ?? command
      if (read === count && command !== lastCommand) throw missingCommand(command + 1)
      part.push(turn)
      length += lengthOf(turn)
      return true
    },
    takeFull: () => (length >= PART_LENGTH || part.length >= PART_TURNS ? take() : undefined),
    end: () => {
      if (read === 0 && count > 0) throw missingEntry(1, 'execution_started')
      if (read < count) throw new DamagedExecution(`the history holds ${read} turns of ${count}`)
      return take()
    },
  }
}

const lengthOf = ({ delivery, expected }: ReplayTurn): number =>
  ('data' in delivery ? delivery.data.length : 0) + expected.reduce((length, { data }) => length + data.length, 0)
