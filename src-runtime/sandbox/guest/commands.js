// `ctx`: each call writes a command and returns a promise that stays pending until a delivery settles it.

import { RETRY_LIMITS } from '../../shared/retry-limits.ts'
import { ctxLog } from './console.js'
import { acceptsOldTerms, hasEnded } from './control.js'
import { parseDuration } from './durations.js'
import { callSite, cancelledError, effectError, isObject, refusalOf, timeoutError } from './errors.js'
import { LATEST_DATE_MS, LONGEST_NAME } from './limits.js'
import { nextCommand, writeEffect, writeTimer, writeWait } from './output.js'
import { inputText } from './payload.js'
import {
  BasePromise,
  BaseTypeError,
  charCode,
  dateTime,
  freeze,
  indexOf,
  isFiniteNumber,
  isInteger,
  now,
  parseDate,
  stringify,
  wellFormed,
} from './primordials.js'

/** By command number: `{ resolve, reject, name, stack }`. */
let pending = { __proto__: null }

const never = () => new BasePromise(() => {})

/** If `write` throws, because the arguments of `method` are invalid, there is no command and the promise rejects. */
const ask = (method, write) => {
  if (hasEnded()) return never()
  return new BasePromise((resolve, reject) => {
    try {
      write(resolve, reject)
    } catch (error) {
      throw refusalOf(error, method)
    }
  })
}

const hold = (command, resolve, reject, name, stack) => {
  pending[command] = { __proto__: null, resolve, reject, name, stack }
}

const isLowSurrogate = (code) => code >= 0xdc00 && code <= 0xdfff

/** Counts characters as JSON Schema does: a surrogate pair is one. `name` is well-formed. */
const isTooLong = (name) => {
  if (name.length > 2 * LONGEST_NAME) return true
  let characters = name.length
  for (let at = 0; at < name.length; at++) if (isLowSurrogate(charCode(name, at))) characters--
  return characters > LONGEST_NAME
}

const nameOf = (value, what) => {
  const given = isObject(value) ? value.name : value
  const name = typeof given === 'string' ? wellFormed(given) : ''
  if (name === '' || isTooLong(name)) {
    throw new BaseTypeError(`${what} needs a name of 1 to ${LONGEST_NAME} characters, or a definition that has one`)
  }
  // No event of such a name can be sent.
  if (indexOf(name, '\0') >= 0 && !acceptsOldTerms()) {
    throw new BaseTypeError(`${what} needs a name without U+0000`)
  }
  return name
}

const optionsOf = (value, what) => {
  if (value === undefined || value === null) return { __proto__: null }
  if (typeof value !== 'object') throw new BaseTypeError(`The options of ${what} must be an object`)
  return value
}

const dueAfter = (durationMs, what) => {
  const dueAt = now() + durationMs
  if (dueAt > LATEST_DATE_MS) throw new BaseTypeError(`${what} ends later than any date can express`)
  return dueAt
}

const asDate = (value) => {
  if (typeof value === 'number') return value
  if (typeof value === 'string') return parseDate(value)
  try {
    return dateTime(value)
  } catch {
    return NaN
  }
}

const isAtMost = (value, { most }) => value <= most || acceptsOldTerms()

const numberOf = (value, what, wanted, isValid) => {
  if (!isValid(value)) throw new BaseTypeError(`${what} must be ${wanted}`)
  return value
}

const intervalOf = (value, what) => {
  const ms = parseDuration(value, what)
  if (!isAtMost(ms, RETRY_LIMITS.intervalMs)) throw new BaseTypeError(`${what} must be at most 365 days`)
  return ms
}

const retryText = (retry) => {
  const { maxAttempts, initialInterval, initialIntervalMs, backoffCoefficient, maxInterval, maxIntervalMs } = optionsOf(
    retry,
    'retry',
  )
  const first = initialInterval ?? initialIntervalMs
  const most = maxInterval ?? maxIntervalMs
  const policy = { __proto__: null }
  if (maxAttempts !== undefined) {
    policy.maxAttempts = numberOf(
      maxAttempts,
      'retry.maxAttempts',
      'an integer from 1 to 1,000,000',
      (value) => isInteger(value) && value >= 1 && isAtMost(value, RETRY_LIMITS.maxAttempts),
    )
  }
  if (first !== undefined) policy.initialIntervalMs = intervalOf(first, 'retry.initialInterval')
  if (backoffCoefficient !== undefined) {
    policy.backoffCoefficient = numberOf(
      backoffCoefficient,
      'retry.backoffCoefficient',
      'a number from 1 to 100',
      (value) => isFiniteNumber(value) && value >= 1 && isAtMost(value, RETRY_LIMITS.backoffCoefficient),
    )
  }
  if (most !== undefined) policy.maxIntervalMs = intervalOf(most, 'retry.maxInterval')
  return stringify(policy)
}

/** The members of the command's data after `input`: nothing, or `"retry":…,"timeoutMs":…`. */
const effectOptionsText = (options) => {
  const { retry, timeout } = optionsOf(options, 'ctx.effect')
  const retryPart = retry === undefined || retry === null ? '' : `"retry":${retryText(retry)}`
  if (timeout === undefined) return retryPart
  const timeoutMs = parseDuration(timeout, 'The timeout of an effect')
  if (timeoutMs === 0) throw new BaseTypeError('The timeout of an effect must be longer than 0')
  return `${retryPart === '' ? '' : `${retryPart},`}"timeoutMs":${timeoutMs}`
}

const contextMethods = {
  effect(effect, input, options) {
    return ask(contextMethods.effect, (resolve, reject) => {
      const name = nameOf(effect, 'ctx.effect')
      const optionsText = effectOptionsText(options)
      const { json, tooLarge } = inputText(name, input)
      const stack = callSite(contextMethods.effect)
      if (tooLarge === true) {
        const message = `The input of effect "${name}" is larger than 1 MiB as JSON`
        throw effectError({ __proto__: null, code: 'result_too_large', message }, stack)
      }
      const inputPart = json === undefined ? '' : `"input":${json}`
      const data = inputPart === '' || optionsText === '' ? inputPart + optionsText : `${inputPart},${optionsText}`
      const command = nextCommand()
      writeEffect(command, name, `{${data}}`, `{${optionsText}}`)
      hold(command, resolve, reject, name, stack)
    })
  },
  sleep(duration) {
    return ask(contextMethods.sleep, (resolve, reject) => {
      const dueAt = dueAfter(parseDuration(duration, 'The time that ctx.sleep takes'), 'ctx.sleep')
      const command = nextCommand()
      writeTimer(command, dueAt)
      hold(command, resolve, reject)
    })
  },
  sleepUntil(date) {
    return ask(contextMethods.sleepUntil, (resolve, reject) => {
      const dueAt = asDate(date)
      if (!isFiniteNumber(dueAt) || dueAt > LATEST_DATE_MS || dueAt < -LATEST_DATE_MS) {
        throw new BaseTypeError('ctx.sleepUntil takes a Date, an ISO 8601 text or milliseconds since 1970')
      }
      const command = nextCommand()
      writeTimer(command, dueAt - (dueAt % 1))
      hold(command, resolve, reject)
    })
  },
  waitForEvent(event, options) {
    return ask(contextMethods.waitForEvent, (resolve, reject) => {
      const name = nameOf(event, 'ctx.waitForEvent')
      const { timeout } = optionsOf(options, 'ctx.waitForEvent')
      const durationMs = timeout === undefined ? undefined : parseDuration(timeout, 'The timeout of ctx.waitForEvent')
      const dueAt = durationMs === undefined ? undefined : dueAfter(durationMs, 'ctx.waitForEvent')
      const stack = dueAt === undefined ? undefined : callSite(contextMethods.waitForEvent)
      const command = nextCommand()
      writeWait(command, dueAt, name)
      hold(command, resolve, reject, name, stack)
    })
  },
}
for (const name of Object.keys(contextMethods)) freeze(contextMethods[name])

export const createContext = (executionId, programId, versionNumber) =>
  freeze({ ...contextMethods, log: ctxLog, executionId, programId, versionNumber })

/** Undefined if the command is no longer pending: the delivery is then ignored. */
const take = (command) => {
  const entry = pending[command]
  delete pending[command]
  return entry
}

export const resolveCommand = (command, value) => {
  const entry = take(command)
  if (entry !== undefined) entry.resolve(value)
}

export const timeOutCommand = (command) => {
  const entry = take(command)
  if (entry !== undefined) entry.reject(timeoutError(entry.name, entry.stack))
}

export const failCommand = (command, failure) => {
  const entry = take(command)
  if (entry !== undefined) entry.reject(effectError(failure, entry.stack))
}

/** Rejects all pending commands in call order: integer keys enumerate in ascending order. */
export const cancelAll = () => {
  const entries = pending
  pending = { __proto__: null }
  for (const command in entries) {
    const { reject, stack } = entries[command]
    reject(cancelledError(stack))
  }
}

/** The stack of the call of a pending command, if stored. */
export const siteOf = (command) => {
  const entry = pending[command]
  return entry === undefined ? '' : (entry.stack ?? '')
}
