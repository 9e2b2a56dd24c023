// The errors of commands, and how they are printed.

import { printable } from './text.ts'

/** The command line itself is wrong. Exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The command failed. Exit code 1. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure'
  readonly code: string
  /** Whether the code is printed behind the message, as of the service's errors. */
  readonly showsCode: boolean
  /** What to do next. */
  readonly hint: string | undefined
  /** That of the Execution that the command waited for. */
  readonly executionId: string | undefined
  /** The service's own JSON, for `--json`. */
  readonly json: string | undefined
  /** Lines to print before the message; safe for a terminal. */
  readonly details: string | undefined
  constructor(
    code: string,
    message: string,
    more: {
      readonly showsCode?: boolean
      readonly hint?: string
      readonly executionId?: string
      readonly json?: string
      readonly details?: string
    } = {},
  ) {
    super(message)
    this.code = code
    this.showsCode = more.showsCode === true
    this.hint = more.hint
    this.executionId = more.executionId
    this.json = more.json
    this.details = more.details
  }
}

/** Its message, and that of its cause where it does not say the same. */
export const withCause = ({ message, cause }: Error): string =>
  cause instanceof Error && !message.includes(cause.message) ? `${message}: ${withCause(cause)}` : message

export type PrintedFailure = {
  readonly exitCode: 1 | 2
  readonly text: string
  /** The API's JSON for stdout: with `--json`, the API's errors go there too. */
  readonly answer?: string
}

export const printFailure = (error: unknown, asJson: boolean): PrintedFailure => {
  if (error instanceof UsageError) {
    return { exitCode: 2, text: asJson ? jsonError('usage', error.message) : `wes: ${printable(error.message)}\n` }
  }
  if (error instanceof CommandFailure) {
    if (asJson) {
      const own = jsonError(error.code, error.message, error.executionId)
      if (error.json === undefined) return { exitCode: 1, text: own }
      // The API's JSON does not name the Execution that the command waited for.
      return { exitCode: 1, text: error.executionId === undefined ? error.json : own, answer: error.json }
    }
    const hint = error.hint === undefined ? '' : `${printable(error.hint)}\n`
    const code = error.showsCode ? ` (${error.code})` : ''
    return { exitCode: 1, text: `${error.details ?? ''}wes: ${printable(error.message)}${code}\n${hint}` }
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return { exitCode: 1, text: asJson ? jsonError('internal', String(error)) : `wes: ${printable(text)}\n` }
}

const jsonError = (code: string, message: string, executionId?: string): string =>
  `${JSON.stringify({ error: { code, message, executionId } })}\n`
