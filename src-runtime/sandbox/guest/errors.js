// The errors that `ctx` rejects with. Authors recognise them by `name`, or by the brand that the classes of the SDK
// look for: the class of a bundled SDK is another object than the one here.

import { BaseError, captureStackTrace, defineProperty, freeze, isError, symbolFor } from './primordials.js'

const own = (object, key, value) =>
  defineProperty(object, key, { __proto__: null, value, writable: true, enumerable: false, configurable: true })

const seal = (errorClass, name) => {
  own(errorClass.prototype, 'name', name)
  own(errorClass.prototype, symbolFor(`wes.${name}`), true)
  freeze(errorClass.prototype)
  freeze(errorClass)
}

// Constructors are spelled out: the implicit ones may look up the array iterator.
export class TimeoutError extends BaseError {
  constructor(message) {
    super(message)
  }
}
export class CancelledError extends BaseError {
  #cancelled = true
  constructor(message) {
    super(message)
  }
  static is(value) {
    return isObject(value) && #cancelled in value
  }
}
export class EffectError extends BaseError {
  #effect = true
  constructor(message) {
    super(message)
  }
  static is(value) {
    return isObject(value) && #effect in value
  }
}

export const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function'

export const isEffectError = EffectError.is
export const isCancelledError = CancelledError.is
delete EffectError.is
delete CancelledError.is

seal(TimeoutError, 'TimeoutError')
seal(CancelledError, 'CancelledError')
seal(EffectError, 'EffectError')

/** Where the Program is now, in frames; the host drops the frames of this runtime. */
export const callSite = () => {
  const site = { __proto__: null, stack: '' }
  captureStackTrace(site)
  return site.stack
}

const withStack = (error, stack) => {
  if (typeof stack === 'string') own(error, 'stack', stack)
  return error
}

export const timeoutError = (eventName, stack) =>
  withStack(new TimeoutError(`No event "${eventName}" came in time`), stack)

export const cancelledError = () => new CancelledError('The Execution was cancelled')

/** `failure` is `{ code, message, name? }`; its name, if it says more than "Error", is kept as the cause. */
export const effectError = (failure, stack) => {
  const error = new EffectError(failure.message)
  own(error, 'code', failure.code)
  if (typeof failure.name === 'string') {
    const cause = { name: failure.name, message: failure.message, code: failure.code }
    // Not enumerable: what a Program makes of its causes stays what it was when the journal was written.
    if (typeof failure.stack === 'string') own(cause, 'stack', failure.stack)
    if (isObject(failure.cause)) own(cause, 'cause', failure.cause)
    own(error, 'cause', cause)
  }
  return withStack(error, stack)
}

/** The type of a value that only the engine can make. */
const ENGINE_INTERNAL = 'unknown'

/**
 * What the engine throws when it cannot get memory: an error; or, where it had none left to say so, a value of its
 * own.
 */
export const isOutOfMemory = (value) => {
  try {
    if (typeof value === ENGINE_INTERNAL) return true
    return isError(value) && value.name === 'InternalError' && value.message === 'out of memory'
  } catch {
    return false
  }
}

/** Of whatever was thrown, which may throw again when it is read. */
export const messageOf = (error) => {
  try {
    return `${error.message}`
  } catch {
    return 'it cannot be read'
  }
}
