// Turns a failed request into words. Codes are the contract's.

import { ServiceRuntimeError } from '#sdk/index.ts'
import { EarlierAccessError } from './other-access.ts'

export type Failure = {
  /**
   * `offline`: no answer came. `missing`: what was asked for does not exist. `unsupported`: this server has no such
   * route.
   */
  readonly kind: 'offline' | 'missing' | 'unsupported' | 'refused' | 'broken'
  /** 0 when no answer came. */
  readonly status: number
  readonly code: string
  readonly message: string
}

const UNSUPPORTED = new Set(['not_found', 'method_not_allowed', 'hosted_only', 'local_only'])

export const failureOf = (error: unknown): Failure => {
  if (!(error instanceof ServiceRuntimeError)) {
    return {
      kind: 'broken',
      status: 0,
      code: 'internal',
      message: error instanceof Error ? error.message : String(error),
    }
  }
  const code = error.cause instanceof EarlierAccessError ? EARLIER_ACCESS : error.code
  return { kind: kindOf(error), status: error.status, code, message: error.message }
}

/** Who asked has signed out since, or has another token. Nobody is told. */
export const EARLIER_ACCESS = 'earlier_access'

const kindOf = ({ status, code }: ServiceRuntimeError): Failure['kind'] => {
  if (status === 0 || code === 'unavailable') return 'offline'
  if (UNSUPPORTED.has(code)) return 'unsupported'
  if (status === 404) return 'missing'
  return status >= 500 ? 'broken' : 'refused'
}

/** Those of a hosted service behind the local runtime, which says in its message what happened. */
const TOLD_BY_RUNTIME = new Set(['too_slow', 'unreachable'])

/** No answer came, or a proxy answered in place of the service. The client's message names the route, not what to do. */
const isUntold = ({ status, code }: Failure): boolean =>
  code === 'network_error' || (code === 'unavailable' && (status === 502 || status === 504))

/** Then nobody knows whether it was done. */
export const isWithoutAnswer = (failure: Failure): boolean => isUntold(failure) || TOLD_BY_RUNTIME.has(failure.code)

/** The words below `titleOf`. `noAnswer`: what may have happened, and what to do, if there was no answer. */
export const wordsOf = (failure: Failure, noAnswer: string): string => {
  if (isUntold(failure)) return noAnswer
  if (!isWithoutAnswer(failure)) return failure.message
  return `${failure.message.replace(/ ?Try again\.$/, '')} ${noAnswer}`
}

/** The words where no title stands above them. */
export const untitledWordsOf = (failure: Failure, noAnswer: string): string =>
  wordsOf(failure, isUntold(failure) ? `There was no answer. ${noAnswer}` : noAnswer)

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
