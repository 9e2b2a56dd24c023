// The stored data of an Execution is incomplete or cannot be read, for example because the disk or another program
// changed it. That Execution fails; the runtime never invents the missing data.

import type { ExecutionError } from './journal.ts'

export class DamagedExecution extends Error {
  override readonly name = 'DamagedExecution'
}

export const missingEntry = (position: number, what: string): DamagedExecution =>
  new DamagedExecution(`entry ${position} of the history (${what}) is missing`)

export const missingCommand = (command: number): DamagedExecution =>
  new DamagedExecution(`the entry of the history that schedules command ${command} is missing`)

export const damagedExecutionError = ({ message }: DamagedExecution): ExecutionError => ({
  code: 'history_damaged',
  message: `The Execution cannot go on: ${message}.`,
})
