// The errors that `ctx` rejects with. Authors recognise them by `name`. The SDK's classes check a brand instead, because
// the classes in a bundled SDK are different objects.

import {
  BaseError,
  captureStackTrace,
  defineProperty,
  errorStack,
  freeze,
  indexOf,
  isError,
  slice,
  symbolFor,
} from './primordials.js'

export const own = (object, key, value) =>
  defineProperty(object, key, { __proto__: null, value, writable: true, enumerable: false, configurable: true })

const seal = (errorClass, name) => {
  own(errorClass.prototype, 'name', name)
  own(errorClass.prototype, symbolFor(`wes.${name}`), true)
  freeze(errorClass.prototype)
  freeze(errorClass)
}

// Explicit constructors, because implicit ones may look up the array iterator. Each error has a name of its own, as those of
// the SDK do: the prototypes are frozen, so a Program that renames an error would otherwise get a TypeError.
export class TimeoutError extends BaseError {
  constructor(message) {
    super(message)
    own(this, 'name', 'TimeoutError')
  }
}
export class CancelledError extends BaseError {
  #cancelled = true
  constructor(message) {
    super(message)
    own(this, 'name', 'CancelledError')
  }
  static is(value) {
    return isObject(value) && #cancelled in value
  }
}
export class EffectError extends BaseError {
  #effect = true
  constructor(message) {
    super(message)
    own(this, 'name', 'EffectError')
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

/**
 * The frames of whatever called `entry`, a function of this runtime that runs. No frames of this runtime may be among them:
 * their positions and their number differ from release to release, so a Program that gives a stack to an effect would not
 * replay after an update.
 */
export const callSite = (entry) => {
  const site = { __proto__: null, stack: '' }
  captureStackTrace(site, entry)
  return site.stack
}

const withStack = (error, stack) => {
  if (typeof stack === 'string') own(error, 'stack', stack)
  return error
}

/** An error of this runtime, with the frames of the call of `entry`. */
export const refusal = (error, entry) => withStack(error, callSite(entry))

/** Whether the engine, or this runtime, made the error that has this stack: not the Program, in a getter that we read. */
const isOurs = (stack) => {
  if (typeof stack !== 'string') return false
  const frame = slice(stack, 0, indexOf(stack, '\n'))
  return indexOf(frame, '(wes:runtime:') >= 0 || indexOf(frame, '(native)') >= 0
}

/** What was thrown while `entry` read its arguments. */
export const refusalOf = (thrown, entry) =>
  isError(thrown) && isOurs(errorStack(thrown)) ? refusal(thrown, entry) : thrown

export const timeoutError = (eventName, stack) =>
  withStack(new TimeoutError(`No event "${eventName}" came in time`), stack)

export const cancelledError = (stack = '') => withStack(new CancelledError('The Execution was cancelled'), stack)

/** `failure` is `{ code, message, name? }`. If it has a name, it becomes the cause. */
export const effectError = (failure, stack) => {
  const error = new EffectError(failure.message)
  own(error, 'code', failure.code)
  if (typeof failure.name === 'string') {
    const cause = { name: failure.name, message: failure.message, code: failure.code }
    // Not enumerable, so that older journals, written before these members existed, replay the same.
    if (typeof failure.stack === 'string') own(cause, 'stack', failure.stack)
    if (isObject(failure.cause)) own(cause, 'cause', failure.cause)
    own(error, 'cause', cause)
  }
  return withStack(error, stack)
}

/** The type of a value that only the engine can create. */
const ENGINE_INTERNAL = 'unknown'

export const isStackOverflow = (value) => {
  try {
    return isError(value) && value.name === 'RangeError' && value.message === 'Maximum call stack size exceeded'
  } catch {
    return false
  }
}

/**
 * Whether the engine threw because it has no memory: an error, or an internal value if there was no memory for an error.
 */
export const isOutOfMemory = (value) => {
  try {
    if (typeof value === ENGINE_INTERNAL) return true
    return isError(value) && value.name === 'InternalError' && value.message === 'out of memory'
  } catch {
    return false
  }
}
