// What a Program threw, as text. It may have thrown anything, so every look at it may throw again.

import { isEffectError, isObject, isOutOfMemory } from './errors.js'
import { LONGEST_ERROR_TEXT } from './limits.js'
import { BaseError, isError, isPrototypeOf, slice, stringify, toText, wellFormed } from './primordials.js'

const cut = (text) => wellFormed(text.length > LONGEST_ERROR_TEXT ? `${slice(text, 0, LONGEST_ERROR_TEXT)}…` : text)

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

const valueText = (value) => {
  if (isOutOfMemory(value)) return 'out of memory'
  try {
    const json = stringify(value)
    if (json !== undefined) return cut(typeof value === 'string' ? value : json)
  } catch {
    // Not JSON: its own text has to do.
  }
  try {
    return cut(toText(value))
  } catch {
    return 'a value that cannot be shown'
  }
}

/** One JSON object: `{ code, name, message, stack }`. */
export const failureText = (thrown) => {
  const isErrorLike = looksLikeError(thrown)
  const name = isErrorLike ? textMember(thrown, 'name', 'Error') : 'Error'
  const message = isErrorLike ? textMember(thrown, 'message', '') : valueText(thrown)
  const stack = isErrorLike ? textMember(thrown, 'stack', '') : ''
  const code = isEffectError(thrown)
    ? 'effect_failed'
    : isOutOfMemory(thrown)
      ? 'program_out_of_memory'
      : 'program_error'
  return `{"code":"${code}","name":${stringify(name)},"message":${stringify(message)},"stack":${stringify(stack)}}`
}
