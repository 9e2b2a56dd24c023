// Formats values for logs. Never calls getters, so formatting does not change a value. A Proxy may run its traps; their
// errors are caught.

import {
  byteLength,
  dateIso,
  dateTime,
  domExceptionMessage,
  domExceptionName,
  errorStack,
  functionText,
  getOwnPropertyDescriptor,
  getPrototypeOf,
  indexOf,
  isArray,
  isError,
  isView,
  mapForEach,
  mapSize,
  numberText,
  ownKeys,
  regexpExec,
  regexpText,
  setForEach,
  setSize,
  slice,
  stringify,
  symbolText,
  toText,
  trunc,
  typedArrayLength,
  typedArrayTag,
} from './primordials.js'
import { urlTexts } from './url.js'

const DEEPEST = 5
const MOST_MEMBERS = 100
/** A limit for one log call, so that logging a huge value stays cheap. */
const MOST_PARTS = 2000
/** A prototype chain may be a Proxy that never ends. */
const LONGEST_CHAIN = 20
const PLAIN_KEY = /^[A-Za-z_$][\w$]*$/
const INDEX = /^\d+$/

let partsLeft = 0
let showsFrames = true

/** Undefined if the value has another type than `read` expects: built-in functions check that. */
const attempt = (read, value) => {
  try {
    return read(value)
  } catch {
    return undefined
  }
}

const dataProperty = (object, key) => {
  const descriptor = getOwnPropertyDescriptor(object, key)
  return descriptor === undefined ? undefined : descriptor.value
}

const inherited = (object, key) => {
  let step = object
  for (let depth = 0; step !== null && depth < LONGEST_CHAIN; depth++) {
    const descriptor = getOwnPropertyDescriptor(step, key)
    if (descriptor !== undefined) return descriptor.value
    step = getPrototypeOf(step)
  }
  return undefined
}

const inheritedText = (object, key) => {
  const value = inherited(object, key)
  return typeof value === 'string' ? value : ''
}

const constructorName = (object) => {
  const made = inherited(object, 'constructor')
  const name = typeof made === 'function' ? dataProperty(made, 'name') : undefined
  return typeof name === 'string' ? name : ''
}

const keyText = (key) => {
  if (typeof key === 'symbol') return `[${symbolText(key)}]`
  return regexpExec(PLAIN_KEY, key) === null ? stringify(key) : key
}

const primitiveText = (value, isInner) => {
  switch (typeof value) {
    case 'string':
      return isInner ? stringify(value) : value
    case 'number':
      return value === 0 && 1 / value < 0 ? '-0' : numberText(value)
    case 'bigint':
      return `${toText(value)}n`
    case 'symbol':
      return symbolText(value)
    default:
      return toText(value)
  }
}

const functionLabel = (value) => {
  const name = dataProperty(value, 'name')
  const kind = slice(attempt(functionText, value) ?? '', 0, 6) === 'class ' ? 'class' : 'Function'
  return typeof name === 'string' && name !== '' ? `[${kind}: ${name}]` : `[${kind} (anonymous)]`
}

const join = (first, second) => (first === '' ? second : second === '' ? first : `${first}, ${second}`)
const listed = (open, parts, close) => (parts === '' ? open + close : `${open} ${parts} ${close}`)

/** `above` links the values that contain this one: `{ value, up, depth }`. */
const isInside = (above, value) => {
  for (let step = above; step !== undefined; step = step.up) if (step.value === value) return true
  return false
}

const memberText = (descriptor, above) => {
  if (descriptor.get !== undefined) return descriptor.set === undefined ? '[Getter]' : '[Getter/Setter]'
  return descriptor.set === undefined ? describe(descriptor.value, above, true) : '[Setter]'
}

const membersText = (object, above, skipsIndexes) => {
  const names = ownKeys(object)
  let text = ''
  let shown = 0
  for (let at = 0; at < names.length; at++) {
    const key = names[at]
    if (skipsIndexes && typeof key === 'string' && regexpExec(INDEX, key) !== null) continue
    const descriptor = getOwnPropertyDescriptor(object, key)
    if (descriptor === undefined || !descriptor.enumerable) continue
    if (shown >= MOST_MEMBERS || partsLeft <= 0) return join(text, '… more')
    text = join(text, `${keyText(key)}: ${memberText(descriptor, above)}`)
    shown++
  }
  return text
}

const itemsText = (object, count, above) => {
  let text = ''
  for (let at = 0; at < count; at++) {
    if (at >= MOST_MEMBERS || partsLeft <= 0) return join(text, `… ${count - at} more`)
    const descriptor = getOwnPropertyDescriptor(object, at)
    text = join(text, descriptor === undefined ? '<empty>' : memberText(descriptor, above))
  }
  return text
}

const entriesText = (name, size, each, object, entry) => {
  let text = ''
  let shown = 0
  each(object, (value, key) => {
    if (shown < MOST_MEMBERS && partsLeft > 0) text = join(text, entry(value, key))
    else if (shown === MOST_MEMBERS) text = join(text, '… more')
    shown++
  })
  return listed(`${name}(${size}) {`, text, '}')
}

const hiddenMember = (error, key, above) => {
  const descriptor = getOwnPropertyDescriptor(error, key)
  return descriptor === undefined || descriptor.enumerable ? '' : `${key}: ${memberText(descriptor, above)}`
}

const errorText = (error, above) => {
  // The getters of a DOMException are the engine's, and read only those.
  const name = attempt(domExceptionName, error) ?? inheritedText(error, 'name')
  const message = attempt(domExceptionMessage, error) ?? inheritedText(error, 'message')
  const header = message === '' ? name || 'Error' : name === '' ? message : `${name}: ${message}`
  const stack = dataProperty(error, 'stack') ?? attempt(errorStack, error)
  const frames =
    showsFrames && typeof stack === 'string' && stack !== ''
      ? `\n${slice(stack, -1) === '\n' ? slice(stack, 0, -1) : stack}`
      : ''
  const hidden = join(hiddenMember(error, 'cause', above), hiddenMember(error, 'errors', above))
  const members = join(membersText(error, above, false), hidden)
  return members === '' ? header + frames : `${header}${frames}\n{ ${members} }`
}

const plainText = (object, above) => {
  const name = getPrototypeOf(object) === null ? '[null prototype]' : constructorName(object)
  const pattern = name === 'RegExp' ? attempt(regexpText, object) : undefined
  if (pattern !== undefined) return pattern
  const readUrl = urlTexts[name]
  const url = readUrl === undefined ? undefined : attempt(readUrl, object)
  if (url !== undefined) return listed(`${name} {`, stringify(url), '}')
  // Errors that the engine does not recognise as errors.
  if (name === 'DOMException' || slice(name, -5) === 'Error') return errorText(object, above)
  return listed(name === 'Object' || name === '' ? '{' : `${name} {`, membersText(object, above, false), '}')
}

const objectText = (object, above) => {
  if (isError(object)) return errorText(object, above)
  if (typeof object === 'function') return functionLabel(object)
  if (isArray(object)) {
    const count = dataProperty(object, 'length')
    return listed('[', join(itemsText(object, count, above), membersText(object, above, true)), ']')
  }
  if (isView(object) && typedArrayTag(object) !== undefined) {
    const count = typedArrayLength(object)
    return listed(`${typedArrayTag(object)}(${count}) [`, itemsText(object, count, above), ']')
  }
  const time = attempt(dateTime, object)
  if (time !== undefined) return time === time ? dateIso(object) : 'Invalid Date'
  const entries = attempt(mapSize, object)
  if (entries !== undefined) {
    return entriesText(
      'Map',
      entries,
      mapForEach,
      object,
      (value, key) => `${describe(key, above, true)} => ${describe(value, above, true)}`,
    )
  }
  const elements = attempt(setSize, object)
  if (elements !== undefined) {
    return entriesText('Set', elements, setForEach, object, (value) => describe(value, above, true))
  }
  const bytes = attempt(byteLength, object)
  return bytes === undefined ? plainText(object, above) : `ArrayBuffer(${bytes})`
}

const describe = (value, above, isInner) => {
  partsLeft--
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return primitiveText(value, isInner)
  if (isInside(above, value)) return '[Circular]'
  const depth = above === undefined ? 0 : above.depth + 1
  try {
    if (depth > DEEPEST)
      return isArray(value) ? '[Array]' : typeof value === 'function' ? functionLabel(value) : '[Object]'
    return objectText(value, { __proto__: null, value, up: above, depth })
  } catch {
    return '[unreadable]'
  }
}

const DIRECTIVES = 'sdifoOjc'

const filledIn = (letter, value) => {
  if (letter === 'c') return '' // CSS, for the consoles of browsers
  if (letter === 'i' && typeof value === 'number') return numberText(trunc(value))
  return describe(value, undefined, letter === 'o' || letter === 'O' || letter === 'j')
}

/** As every console does: `%s` and the like in the first text stand for the values behind it. */
const fillIn = (template, values) => {
  let text = ''
  let from = 0
  let used = 1
  for (let at = indexOf(template, '%'); at >= 0; at = indexOf(template, '%', at + 2)) {
    const letter = slice(template, at + 1, at + 2)
    const isDirective = letter !== '' && indexOf(DIRECTIVES, letter) >= 0 && used < values.length
    if (!isDirective && letter !== '%') continue
    text += slice(template, from, at) + (isDirective ? filledIn(letter, values[used++]) : '%')
    from = at + 2
  }
  return { __proto__: null, text: text + slice(template, from), used }
}

/** Formats the arguments of one log call. */
export const inspectAll = (values) => {
  partsLeft = MOST_PARTS
  const hasTemplate = values.length > 1 && typeof values[0] === 'string'
  const filled = hasTemplate ? fillIn(values[0], values) : undefined
  let text = hasTemplate ? filled.text : ''
  for (let at = hasTemplate ? filled.used : 0; at < values.length; at++) {
    text += (at > 0 ? ' ' : '') + describe(values[at], undefined, false)
  }
  return text
}

/** Formats a thrown value, without the frames of errors in it. */
export const inspectThrown = (value) => {
  showsFrames = false
  try {
    return inspectAll([value])
  } finally {
    showsFrames = true
  }
}
