// `structuredClone`, written for the guest. The engine's extension does not check its stack, compares each object with
// all those before it (300,000 objects took a minute), and returns half a copy when memory runs out.

import { refusal } from './errors.js'
import {
  BaseDate,
  BaseDOMException,
  BaseMap,
  BaseObject,
  BaseRangeError,
  BaseRegExp,
  BaseSet,
  BaseTypeError,
  byteLength,
  bufferSlice,
  construct,
  dateTime,
  defineProperty,
  ERROR_CLASSES,
  hasOwn,
  isArray,
  isError,
  isView,
  keys,
  mapForEach,
  mapGet,
  mapSet,
  objectTag,
  regexpFlags,
  regexpSource,
  setAdd,
  setForEach,
  typedArrayLength,
  typedArrayTag,
  valueOfBigInt,
  valueOfBoolean,
  valueOfNumber,
  valueOfString,
  VIEW_CLASSES,
  viewBuffer,
  viewBytes,
  viewOffset,
} from './primordials.js'

/** About the limit of browsers and Node. */
const DEEPEST_CLONE = 5000
/** Longer arrays lose members that are not items, because listing their keys takes more memory than the items. */
const LONGEST_WITH_MEMBERS = 10_000

const setMember = (object, key, value, enumerable) =>
  defineProperty(object, key, { __proto__: null, value, writable: true, enumerable, configurable: true })

/** With the frames of the call of `structuredClone`. */
const refused = (error) => refusal(error, cloneFunctions.structuredClone)

const refuse = (what) => {
  throw refused(new BaseDOMException(`${what} cannot be cloned`, 'DataCloneError'))
}

/** The state of one call: the copies, and the containers whose members are not copied yet. */
const newClone = () => ({ __proto__: null, copies: construct(BaseMap, []), unfinished: undefined })

const copyMembers = (clone, from, to, depth) => {
  const names = keys(from)
  for (let at = 0; at < names.length; at++) setMember(to, names[at], copyOf(clone, from[names[at]], depth), true)
}

const copyItems = (clone, from, to, depth) => {
  to.length = from.length
  if (from.length <= LONGEST_WITH_MEMBERS) return copyMembers(clone, from, to, depth)
  for (let at = 0; at < from.length; at++) {
    if (hasOwn(from, at)) setMember(to, at, copyOf(clone, from[at], depth), true)
  }
}

const copyEntries = (clone, from, to, depth) =>
  mapForEach(from, (value, key) => mapSet(to, copyOf(clone, key, depth), copyOf(clone, value, depth)))

const copySetItems = (clone, from, to, depth) => setForEach(from, (item) => setAdd(to, copyOf(clone, item, depth)))

const copyError = (clone, error, to, depth) => {
  if (typeof error.stack === 'string') setMember(to, 'stack', error.stack, false)
  if (hasOwn(error, 'cause')) setMember(to, 'cause', copyOf(clone, error.cause, depth), false)
}

const newError = (error) => {
  const { name } = error
  const errorClass = (typeof name === 'string' ? ERROR_CLASSES[name] : undefined) ?? ERROR_CLASSES.Error
  return construct(errorClass, hasOwn(error, 'message') ? [`${error.message}`] : [])
}

const copyView = (clone, view, depth) => {
  const tag = typedArrayTag(view)
  const buffer = copyOf(clone, viewBuffer(view, tag), depth)
  const length = tag === undefined ? viewBytes(view) : typedArrayLength(view)
  return construct(VIEW_CLASSES[tag ?? 'DataView'], [buffer, viewOffset(view, tag), length])
}

/** The copy of a value without members. Undefined if the value may have members. */
const copyLeaf = (clone, value, tag, depth) => {
  switch (tag) {
    case '[object Date]':
      return construct(BaseDate, [dateTime(value)])
    case '[object RegExp]':
      return construct(BaseRegExp, [regexpSource(value), regexpFlags(value)])
    case '[object ArrayBuffer]':
      return bufferSlice(value, 0, byteLength(value))
    case '[object Boolean]':
      return BaseObject(valueOfBoolean(value))
    case '[object Number]':
      return BaseObject(valueOfNumber(value))
    case '[object String]':
      return BaseObject(valueOfString(value))
    case '[object BigInt]':
      return BaseObject(valueOfBigInt(value))
    case '[object DOMException]':
      return refused(construct(BaseDOMException, [value.message, value.name]))
    default:
      return isView(value) ? copyView(clone, value, depth) : undefined
  }
}

const NOT_CLONED = { __proto__: null }
for (const name of ['Promise', 'WeakMap', 'WeakSet', 'Symbol', 'Generator', 'AsyncGenerator', 'AbortSignal', 'URL']) {
  NOT_CLONED[`[object ${name}]`] = name
}

/** An empty copy. `fill` copies the members later. */
const newContainer = (value, tag) => {
  if (isArray(value)) return { __proto__: null, to: [], fill: copyItems }
  if (tag === '[object Map]') return { __proto__: null, to: construct(BaseMap, []), fill: copyEntries }
  if (tag === '[object Set]') return { __proto__: null, to: construct(BaseSet, []), fill: copySetItems }
  if (isError(value)) return { __proto__: null, to: newError(value), fill: copyError }
  return { __proto__: null, to: {}, fill: copyMembers }
}

const copyObject = (clone, value, depth) => {
  if (depth > DEEPEST_CLONE) throw refused(new BaseRangeError('Maximum call stack size exceeded'))
  const tag = objectTag(value)
  if (NOT_CLONED[tag] !== undefined) refuse(`A ${NOT_CLONED[tag]}`)
  const leaf = tag === '[object Object]' || isArray(value) ? undefined : copyLeaf(clone, value, tag, depth)
  if (leaf !== undefined) {
    mapSet(clone.copies, value, leaf)
    return leaf
  }
  const { to, fill } = newContainer(value, tag)
  mapSet(clone.copies, value, to)
  clone.unfinished = { __proto__: null, from: value, to, fill, depth: depth + 1, next: clone.unfinished }
  return to
}

const copyOf = (clone, value, depth) => {
  if (typeof value === 'function') return refuse('A function')
  if (typeof value === 'symbol') return refuse('A symbol')
  if (typeof value !== 'object' || value === null) return value
  return mapGet(clone.copies, value) ?? copyObject(clone, value, depth)
}

const cloneFunctions = {
  structuredClone(value, options) {
    if (arguments.length === 0) throw refused(new BaseTypeError('structuredClone takes the value to clone'))
    const transfer = options?.transfer
    if (transfer !== undefined && transfer.length !== 0) refuse('What is to be transferred')
    const clone = newClone()
    const copy = copyOf(clone, value, 0)
    while (clone.unfinished !== undefined) {
      const { from, to, fill, depth, next } = clone.unfinished
      clone.unfinished = next
      fill(clone, from, to, depth)
    }
    return copy
  },
}

export const installClone = () => {
  const value = cloneFunctions.structuredClone
  defineProperty(globalThis, 'structuredClone', { value, writable: true, enumerable: false, configurable: true })
}
