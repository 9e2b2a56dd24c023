// Turns a failed request into words. Codes are the contract's.

import { ServiceRuntimeError } from '#sdk/index.ts'

export type Failure = {
  /**
   * `offline`: no answer came. `missing`: what was asked for does not exist. `unsupported`: this server has no such
   * route.
   */
  readonly kind: 'offline' | 'missing' | 'unsupported' | 'refused' | 'broken'
  readonly code: string
  readonly message: string
}

const UNSUPPORTED = new Set(['not_found', 'method_not_allowed', 'hosted_only', 'local_only'])

export const failureOf = (error: unknown): Failure => {
  if (!(error instanceof ServiceRuntimeError)) {
    return { kind: 'broken', code: 'internal', message: error instanceof Error ? error.message : String(error) }
  }
  return { kind: kindOf(error), code: error.code, message: error.message }
}

const kindOf = ({ status, code }: ServiceRuntimeError): Failure['kind'] => {
  if (status === 0 || code === 'unavailable') return 'offline'
  if (UNSUPPORTED.has(code)) return 'unsupported'
  if (status === 404) return 'missing'
  return status >= 500 ? 'broken' : 'refused'
}

/** The words for a failure. `noAnswer` replaces the words for a service that did not answer. */
export const wordsOf = (failure: Failure, noAnswer: string): string =>
  failure.code === 'network_error' ? noAnswer : failure.message

/** The last two are those of a hosted service behind the local runtime. */
const WITHOUT_ANSWER = new Set(['network_error', 'too_slow', 'unreachable'])

/** Then nobody knows whether it was done. */
const isWithoutAnswer = ({ code }: Failure): boolean => WITHOUT_ANSWER.has(code)

export const titleOf = (failure: Failure, refused: string): string =>
  isWithoutAnswer(failure) ? 'There was no answer' : refused

/** Nothing says that another try would be refused. Only for what is done once, however often it is sent. */
export const maySendAgain = (failure: Failure): boolean => failure.kind === 'offline' || isWithoutAnswer(failure)

/** They last until somebody does something, or took long already. */
const LASTING = new Set(['token_locked', 'too_slow', 'redirected', 'not_the_service', 'wrong_service', 'newer_service'])

/** Only failures that may be temporary are retried. */
export const isPassing = (error: unknown): boolean => {
  const { kind, code } = failureOf(error)
  if (LASTING.has(code)) return false
  return kind === 'offline' || kind === 'broken' || code === 'rate_limited'
}
