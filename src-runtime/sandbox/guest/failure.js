// Converts a thrown value to text. It may be any value, so every access may throw again.

import { isEffectError, isObject, isOutOfMemory } from './errors.js'
import { inspectThrown } from './inspect.js'
import {
  LONGEST_CAUSE_MESSAGE,
  LONGEST_CAUSE_NAME,
  LONGEST_CAUSE_STACK,
  LONGEST_ERROR_TEXT,
  MOST_CAUSES,
  MOST_INNER_ERRORS,
  MOST_INNER_LEVELS,
} from './limits.js'
import {
  BaseError,
  beginningOf,
  isArray,
  isError,
  isPrototypeOf,
  stringify,
  suppressedPrototype,
  toText,
  wellFormed,
} from './primordials.js'
import { ALL_REJECTED } from './promises.js'

const cut = (text) => wellFormed(text.length > LONGEST_ERROR_TEXT ? `${beginningOf(text, LONGEST_ERROR_TEXT)}…` : text)

const textMember = (object, key, otherwise) => {
  try {
    const value = object[key]
    return typeof value === 'string' ? cut(value) : otherwise
  } catch {
    return otherwise
  }
}

const looksLikeError = (value) => {
  if (!isObject(value)) return false
  if (isError(value)) return true
  try {
    return isPrototypeOf(BaseError.prototype, value)
  } catch {
    return false
  }
}

/** `show`: the text of what is not JSON. */
const valueText = (value, show) => {
  if (typeof value === 'string') return cut(value)
  if (isOutOfMemory(value)) return 'out of memory'
  try {
    const json = stringify(value)
    if (json !== undefined && (json !== '{}' || show === toText)) return cut(json)
  } catch {
    // Not JSON.
  }
  try {
    return cut(show(value))
  } catch {
    return 'a value that cannot be shown'
  }
}

/** As logs show it, where JSON leaves something out. */
const inspected = (value) => (typeof value === 'object' ? inspectThrown(value) : toText(value))

/** What threw when `using` disposed of something, and what had been thrown before. */
const suppressedErrors = (value) => [value.error, value.suppressed]

/** In a box, because an inner error may be undefined. Undefined if there is none. */
const innerError = (value, index) => {
  try {
    if (!isObject(value)) return undefined
    const errors = isPrototypeOf(suppressedPrototype, value) ? suppressedErrors(value) : value.errors
    if (!isArray(errors) || index >= errors.length) return undefined
    return { __proto__: null, value: errors[index] }
  } catch {
    return undefined
  }
}

const isAmong = (value, seen) => {
  for (let above = seen; above !== undefined; above = above.next) if (above.value === value) return true
  return false
}

/** Some libraries make it a list or an object. */
const ownMessage = (error, show) => {
  try {
    return valueText(error.message ?? '', show)
  } catch {
    return ''
  }
}

/** Of compilers that write `using` differently. The engine gives such an error none. */
const SUPPRESSED = 'An error was suppressed during disposal'

const isOfOuterError = (message) =>
  message === '' || message === ALL_REJECTED || message === SUPPRESSED || message === `${SUPPRESSED}.`

/** The messages of inner errors say more than what such errors have. */
const errorMessage = (error, seen, depth, show) => {
  const own = ownMessage(error, show)
  if (!isOfOuterError(own) || depth >= MOST_INNER_LEVELS || isAmong(error, seen)) return own
  let text = ''
  for (let index = 0; index < MOST_INNER_ERRORS; index++) {
    const inner = innerError(error, index)
    if (inner === undefined) break
    const above = { __proto__: null, value: error, next: seen }
    const message = looksLikeError(inner.value)
      ? errorMessage(inner.value, above, depth + 1, show)
      : valueText(inner.value, show)
    if (message !== '') text = text === '' ? message : `${text}; ${message}`
  }
  return text === '' ? own : cut(text)
}

const messageBy = (show, thrown) =>
  looksLikeError(thrown) ? errorMessage(thrown, undefined, 0, show) : valueText(thrown, show)

/** The message of an error, or the text of another thrown value. Programs see it, so it stays as it is. */
export const messageOf = (thrown) => messageBy(toText, thrown)

const ownCauseOf = (value) => {
  try {
    return isObject(value) ? value.cause : undefined
  } catch {
    return undefined
  }
}

/** Of an error with several inner ones, and no cause, the first counts. */
const causeOf = (value) => ownCauseOf(value) ?? innerError(value, 0)?.value

const hasMessage = (value) => textMember(value, 'message', undefined) !== undefined

/** `,"cause":{ name?, message, stack?, cause? }`, or nothing. `seen` contains the errors above, to end cycles. */
const causeText = (thrown, seen, depth) => {
  const cause = causeOf(thrown)
  if (cause === undefined || cause === null || depth > MOST_CAUSES) return ''
  if (isAmong(cause, seen)) return ''
  const isErrorLike = looksLikeError(cause) || (isObject(cause) && hasMessage(cause))
  const message = isErrorLike ? errorMessage(cause, undefined, 0, inspected) : valueText(cause, inspected)
  const shortMessage = stringify(wellFormed(beginningOf(message, LONGEST_CAUSE_MESSAGE)))
  const inner = causeText(cause, { __proto__: null, value: cause, next: seen }, depth + 1)
  const name = isErrorLike ? textMember(cause, 'name', looksLikeError(cause) ? 'Error' : '') : ''
  const stack = isErrorLike ? textMember(cause, 'stack', '') : ''
  const namePart = name === '' ? '' : `"name":${stringify(wellFormed(beginningOf(name, LONGEST_CAUSE_NAME)))},`
  const stackPart = stack === '' ? '' : `,"stack":${stringify(wellFormed(beginningOf(stack, LONGEST_CAUSE_STACK)))}`
  return `,"cause":{${namePart}"message":${shortMessage}${stackPart}${inner}}`
}

/** Empty if it is no error. */
export const stackOf = (thrown) => (looksLikeError(thrown) ? textMember(thrown, 'stack', '') : '')

/** One JSON object: `{ code, name, message, stack, cause? }`. */
export const failureText = (thrown) => {
  const isErrorLike = looksLikeError(thrown)
  const name = isErrorLike ? textMember(thrown, 'name', 'Error') : 'Error'
  const message = messageBy(inspected, thrown)
  const stack = stackOf(thrown)
  const cause = isErrorLike ? causeText(thrown, { __proto__: null, value: thrown, next: undefined }, 1) : ''
  const code = isEffectError(thrown)
    ? 'effect_failed'
    : isOutOfMemory(thrown)
      ? 'program_out_of_memory'
      : 'program_error'
  return `{"code":"${code}","name":${stringify(name)},"message":${stringify(message)},"stack":${stringify(stack)}${cause}}`
}
