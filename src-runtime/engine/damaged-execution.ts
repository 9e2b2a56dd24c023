// What is stored of an Execution lacks a part, or cannot be read: a disk, or somebody with an editor, changed it. That
// Execution fails; nothing is made up in place of what is missing.

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
