// Converts what a Program or a fake threw to an Execution's error. It may be any value, so reading it may throw again.

import type { EffectFailure } from '../../src-runtime/engine/effect-attempts.ts'
import type { ErrorCause, ExecutionError } from '../../src-runtime/engine/journal.ts'
import { EffectError, NonRetryableError } from '../errors-for-authors.ts'
import { wellFormed } from './json-data.ts'
import { thrownText } from './log.ts'

export type AttemptFailure = { readonly error: EffectFailure; readonly retryable: boolean }

/** EffectErrors that `ctx` threw. One that a Program creates counts as its own error. */
const effectErrors = new WeakSet<object>()

export const newEffectError = (message: string, options: { readonly code: string; readonly cause?: object }) => {
  const error = new EffectError(message, options)
  effectErrors.add(error)
  return error
}

export const programFailure = (thrown: unknown): ExecutionError => ({
  code: effectErrors.has(thrown as object) ? 'effect_failed' : 'program_error',
  ...(isError(thrown)
    ? { ...membersInProgram(thrown), ...causesInProgram(thrown) }
    : { name: 'Error', message: wellFormed(thrownText(thrown)) }),
})

export const effectFailure = (thrown: unknown): AttemptFailure => ({
  error: {
    code: codeOf(thrown) ?? 'effect_failed',
    ...membersInEffect(thrown),
    name: nameInEffect(thrown),
    ...causesInEffect(thrown),
  },
  retryable: !isNonRetryable(thrown),
})

/** An error of the runtime rather than the fake. Only another attempt after a timeout may end otherwise. */
export const attemptFailure = (
  code: 'effect_timeout' | 'invalid_result' | 'result_too_large',
  message: string,
): AttemptFailure => ({
  error: { code, name: code === 'effect_timeout' ? 'TimeoutError' : 'EffectError', message },
  retryable: code === 'effect_timeout',
})

type Members = Omit<ErrorCause, 'cause'>

/** As many as src-runtime/shared/error-cause.ts keeps, which needs Node. */
const MOST_CAUSES = 8

const read = (object: object, key: string): unknown => {
  try {
    return (object as Readonly<Record<string, unknown>>)[key]
  } catch {
    return undefined
  }
}

const textMember = (object: object, key: string): string | undefined => {
  const value = read(object, key)
  return typeof value === 'string' ? value : undefined
}

/** Errors of other realms are no instances. */
const isError = (value: unknown): value is object => {
  try {
    return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]'
  } catch {
    return false
  }
}

const isObject = (value: unknown): value is object =>
  (typeof value === 'object' && value !== null) || typeof value === 'function'

/** `nextOf` returns undefined for the last one. Ends at a cycle. */
const causeChain = (
  thrown: unknown,
  nextOf: (thrown: unknown) => unknown,
  membersOf: (cause: unknown) => Members,
  above: readonly unknown[] = [],
): { readonly cause?: ErrorCause } => {
  const cause = nextOf(thrown)
  const seen = [...above, thrown]
  if (cause === undefined || cause === null || seen.length > MOST_CAUSES || seen.includes(cause)) return {}
  return { cause: { ...membersOf(cause), ...causeChain(cause, nextOf, membersOf, seen) } }
}

// As src-runtime/sandbox/guest/failure.js describes errors of Programs.

const membersInProgram = (error: object): Members => {
  const name = textMember(error, 'name') ?? (isError(error) ? 'Error' : '')
  const stack = textMember(error, 'stack') ?? ''
  const message = isError(error) ? messageOf(error) : (textMember(error, 'message') ?? '')
  return {
    ...(name === '' ? {} : { name: wellFormed(name) }),
    message: wellFormed(message),
    ...(stack === '' ? {} : { stack: wellFormed(stack) }),
  }
}

const causesInProgram = (thrown: object) =>
  causeChain(
    thrown,
    (error) => (isObject(error) ? (read(error, 'cause') ?? innerErrors(error)[0]) : undefined),
    // An EffectError has a plain object as its cause.
    (cause) =>
      isObject(cause) && (isError(cause) || textMember(cause, 'message') !== undefined)
        ? membersInProgram(cause)
        : { message: wellFormed(thrownText(cause)) },
  )

// As src-runtime/effects/host/describe-error.ts, which needs Node, describes errors of effects.

const MOST_INNER_ERRORS = 10
const MOST_LEVELS = 3
/** Of errors that consist of others. The messages of those say more. */
const OF_OUTER_ERRORS: ReadonlySet<string> = new Set([
  'All promises were rejected',
  'An error was suppressed during disposal',
  'An error was suppressed during disposal.',
])

const isNonRetryable = (thrown: unknown): boolean => {
  try {
    return thrown instanceof NonRetryableError
  } catch {
    return false
  }
}

/** The codes of a DOMException say nothing. */
const codeOf = (thrown: unknown): string | undefined => {
  if (!isError(thrown) || Object.prototype.toString.call(thrown) === '[object DOMException]') return undefined
  const code = read(thrown, 'code')
  return typeof code === 'number' || (typeof code === 'string' && code !== '') ? wellFormed(String(code)) : undefined
}

const nameInEffect = (thrown: unknown): string => wellFormed((isError(thrown) && textMember(thrown, 'name')) || 'Error')

const membersInEffect = (thrown: unknown): Members => {
  const message = wellFormed(messageOf(thrown))
  if (!isError(thrown)) return { message }
  const name = nameInEffect(thrown)
  return { name, message, stack: wellFormed(textMember(thrown, 'stack') ?? `${name}: ${message}`) }
}

/**
 * An error without a message has those of its inner errors, as when a connection is refused at each address. `above`:
 * the errors that contain it. One may contain itself.
 */
const messageOf = (thrown: unknown, above: readonly unknown[] = []): string => {
  if (!isError(thrown)) return thrownText(thrown)
  const own = thrownText(read(thrown, 'message') ?? '')
  const isOwn = own !== '' && !OF_OUTER_ERRORS.has(own)
  if (isOwn || above.length >= MOST_LEVELS || above.includes(thrown)) return own
  const inner = innerErrors(thrown).map((one) => messageOf(one, [...above, thrown]))
  return inner.filter((one) => one !== '').join('; ') || own
}

/** An error that was thrown when `using` disposed of something contains the one before. */
const innerErrors = (error: object): readonly unknown[] => {
  if (textMember(error, 'name') === 'SuppressedError') return [read(error, 'error'), read(error, 'suppressed')]
  const errors = read(error, 'errors')
  return Array.isArray(errors) ? errors.slice(0, MOST_INNER_ERRORS) : []
}

const causesInEffect = (thrown: unknown) =>
  causeChain(
    thrown,
    (error) => (isError(error) ? (read(error, 'cause') ?? innerErrors(error)[0]) : undefined),
    membersInEffect,
  )
