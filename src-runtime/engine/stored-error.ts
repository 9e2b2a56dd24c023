import type { ExecutionError } from './journal.ts'

/** The error in the row of an Execution, whose own text may be damaged: a list must show the Execution all the same. */
export const readStoredError = (json: string): ExecutionError => {
  try {
    return JSON.parse(json) as ExecutionError
  } catch {
    return { code: 'history_damaged', message: 'The stored error cannot be read.' }
  }
}
