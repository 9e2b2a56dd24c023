// Failures that a command ends with, and how they are told.

import { printable } from './text.ts'

/** The command line itself is wrong. Exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The command could not do what it was asked. Exit code 1. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure'
  readonly code: string
  /** What to do next. */
  readonly hint: string | undefined
  /** The service's own words, for `--json`. */
  readonly json: string | undefined
  /** Whole lines that go before the message, fit for the terminal as they are. */
  readonly told: string | undefined
  constructor(
    code: string,
    message: string,
    more: { readonly hint?: string; readonly json?: string; readonly told?: string } = {},
  ) {
    super(message)
    this.code = code
    this.hint = more.hint
    this.json = more.json
    this.told = more.told
  }
}

export type ToldFailure = {
  readonly exitCode: 1 | 2
  readonly text: string
  /** What the API answered, for stdout: with `--json`, that is where the API's JSON goes, errors included. */
  readonly answer?: string
}

export const tellFailure = (error: unknown, asJson: boolean): ToldFailure => {
  if (error instanceof UsageError) {
    return { exitCode: 2, text: asJson ? jsonError('usage', error.message) : `wes: ${printable(error.message)}\n` }
  }
  if (error instanceof CommandFailure) {
    if (asJson && error.json !== undefined) return { exitCode: 1, text: error.json, answer: error.json }
    if (asJson) return { exitCode: 1, text: jsonError(error.code, error.message) }
    const hint = error.hint === undefined ? '' : `${printable(error.hint)}\n`
    return { exitCode: 1, text: `${error.told ?? ''}wes: ${printable(error.message)}\n${hint}` }
  }
  const said = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return { exitCode: 1, text: asJson ? jsonError('internal', String(error)) : `wes: ${printable(said)}\n` }
}

const jsonError = (code: string, message: string): string => `${JSON.stringify({ error: { code, message } })}\n`
