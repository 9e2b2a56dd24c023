// Converts the inputs of effects to JSON text, within limits.

import { isOutOfMemory, isStackOverflow } from './errors.js'
import { messageOf } from './failure.js'
import { DEEPEST_PAYLOAD, LARGEST_PAYLOAD } from './limits.js'
import { mayLog, writeLog } from './output.js'
import { BasePromise, BaseTypeError, charCode, indexOf, isPrototypeOf, stringify, utf8Bytes } from './primordials.js'

const QUOTE = 34
const BACKSLASH = 92
const OPEN_BRACKET = 91
const CLOSE_BRACKET = 93
const OPEN_BRACE = 123
const CLOSE_BRACE = 125

/** The end of a string. `start` is after its opening quote. */
const endOfString = (json, start) => {
  let at = indexOf(json, '"', start)
  for (;;) {
    let before = at - 1
    while (charCode(json, before) === BACKSLASH) before--
    if ((at - before) % 2 === 1) return at
    at = indexOf(json, '"', at + 1)
  }
}

const isTooDeep = (json) => {
  // Too short to be that deep.
  if (json.length < 2 * DEEPEST_PAYLOAD) return false
  let depth = 0
  for (let at = 0; at < json.length; at++) {
    const code = charCode(json, at)
    if (code === QUOTE) at = endOfString(json, at + 1)
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (++depth > DEEPEST_PAYLOAD) return true
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth--
  }
  return false
}

const isTooLarge = (json) =>
  json.length > LARGEST_PAYLOAD || (json.length * 3 > LARGEST_PAYLOAD && utf8Bytes(json) > LARGEST_PAYLOAD)

const TOO_LARGE = { __proto__: null, tooLarge: true }

const TOO_DEEP = `is nested deeper than ${DEEPEST_PAYLOAD} levels`

/** `error`: what `stringify` threw. */
export const whyNotText = (error) => (isStackOverflow(error) ? TOO_DEEP : `is not JSON: ${messageOf(error)}`)

/** `stringify` made nothing of the value. */
export const whyNoText = (value) =>
  `is not JSON: ${typeof value === 'object' ? 'its toJSON() returns no JSON' : `it is a ${typeof value}`}`

/** Looking for a promise calls a function for each member: of a value of this length, at most some ms of the turn. */
const LONGEST_WALKED = 65_536

/** The name of the first member of this kind, as JSON: `""` is the value itself. Empty if there is none, or if it cannot be told. */
const memberThat = (isOfKind, value) => {
  let name = ''
  try {
    stringify(value, (key, member) => {
      if (isOfKind(member)) name ||= stringify(key)
      return name === '' ? member : undefined
    })
  } catch {
    // A getter or toJSON() threw.
  }
  return name
}

const isPromise = (member) => isPrototypeOf(BasePromise.prototype, member)
const isBigInt = (member) => typeof member === 'bigint'

/**
 * The name of a member that is a promise, as JSON: what a forgotten await leaves is `{}`, and what it asked for would never be
 * done. Empty if there is none, or if it cannot be told.
 */
export const promiseIn = (value, json) =>
  json.length > LONGEST_WALKED || indexOf(json, '{}') === -1 ? '' : memberThat(isPromise, value)

/** The name of the first member that is an object around it, as JSON. Empty if there is none, or if it cannot be told. */
const memberOfItself = (value) => {
  const around = { __proto__: null }
  let depth = 0
  let name = ''
  const look = function (key, member) {
    while (depth > 0 && around[depth - 1] !== this) depth--
    for (let at = 0; at < depth; at++) if (around[at] === member) name ||= stringify(key)
    if (name !== '' || depth === DEEPEST_PAYLOAD) return undefined
    around[depth++] = member
    return member
  }
  try {
    stringify(value, look)
  } catch {
    // A getter or toJSON() threw.
  }
  return name
}

/** What to do about a value of which `stringify` made no JSON; may be empty. */
export const adviceFor = (value) => {
  const name = memberThat(isBigInt, value)
  if (name === '') {
    const circular = memberOfItself(value)
    return circular === '' ? '' : `. Its member ${circular} is an object that contains it: leave it out`
  }
  return `. ${name === '""' ? 'It' : `Its member ${name}`} is a BigInt: make it a text with String(…), or a number with Number(…)`
}

/**
 * Only a warning, because journals hold such inputs: if they were refused now, their Executions could not be replayed.
 * A replayed turn's log is not compared.
 */
const warnOfPromise = (effect, value, json) => {
  const name = promiseIn(value, json)
  if (name === '' || !mayLog()) return
  const what =
    name === '""' ? `The input of effect "${effect}"` : `The member ${name} of the input of effect "${effect}"`
  writeLog('warn', `${what} is a promise, so the effect gets {} for it: await the promise first`)
}

/** `{ json }`, which is undefined for `undefined`, or `{ tooLarge }`. Throws a TypeError for values that are not JSON. */
export const inputText = (effect, value) => {
  if (typeof value === 'string' && value.length > LARGEST_PAYLOAD) return TOO_LARGE
  let json
  try {
    json = stringify(value)
  } catch (error) {
    if (isOutOfMemory(error)) return TOO_LARGE
    throw new BaseTypeError(`The input of effect "${effect}" ${whyNotText(error)}`)
  }
  if (json === undefined && value !== undefined) {
    throw new BaseTypeError(`The input of effect "${effect}" ${whyNoText(value)}`)
  }
  if (json === undefined) return { __proto__: null, json }
  if (isTooLarge(json)) return TOO_LARGE
  if (isTooDeep(json)) throw new BaseTypeError(`The input of effect "${effect}" ${TOO_DEEP}`)
  warnOfPromise(effect, value, json)
  return { __proto__: null, json }
}
