// The errors of commands, and how they are printed.

import { messageOf } from '#runtime/shared/message-of.ts'
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
  /** For `--json`: the service's own, or what says more than the message. */
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
export const withCause = (error: Error): string => {
  const { cause } = error
  const message = messageOf(error)
  return cause instanceof Error && !message.includes(messageOf(cause)) ? `${message}: ${withCause(cause)}` : message
}

export type PrintedFailure = {
  readonly exitCode: 1 | 2
  /** For stderr. */
  readonly text: string
  /** For stdout, with `--json`. */
  readonly json: string
}

export const printFailure = (error: unknown): PrintedFailure => {
  if (error instanceof UsageError) {
    return { exitCode: 2, text: `wes: ${printable(error.message)}\n`, json: jsonError('usage', error.message) }
  }
  if (error instanceof CommandFailure) {
    const { code, message, executionId, details = '', hint } = error
    const hintLine = hint === undefined ? '' : `${printable(hint)}\n`
    const text = `${details}wes: ${printable(message)}${error.showsCode ? ` (${code})` : ''}\n${hintLine}`
    // The API's JSON does not name the Execution that the command waited for.
    const json = executionId === undefined ? error.json : undefined
    return { exitCode: 1, text, json: json ?? jsonError(code, message, executionId) }
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return { exitCode: 1, text: `wes: ${printable(text)}\n`, json: jsonError('internal', String(error)) }
}

export const jsonError = (code: string, message: string, executionId?: string): string =>
  `${JSON.stringify({ error: { code, message, executionId } })}\n`
