// The built-ins as they are before any Program code runs. Program code may replace and patch whatever it can reach, so
// the runtime uses these copies only, and no syntax that looks up methods on prototypes (for-of, spread, destructuring
// of arrays, array element writes).

const { apply } = Reflect

/** `uncurry(String.prototype.trim)(text)` calls the original without looking anything up. */
const uncurry = Function.prototype.bind.bind(Function.prototype.call)

const getterOf = (object, key) => uncurry(Reflect.getOwnPropertyDescriptor(object, key).get)

export const { construct, defineProperty, deleteProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys } = Reflect
export const call = apply
export const { freeze, keys, setPrototypeOf } = Object
export const isArray = Array.isArray
export const isView = ArrayBuffer.isView
export const { isError, captureStackTrace } = Error
export const errorStack = getterOf(Error.prototype, 'stack')
export const { isFinite: isFiniteNumber, isInteger, parseFloat: toNumber } = Number
export const { stringify, parse } = JSON
export const { floor, imul, min, ceil, trunc } = Math
export const BaseError = Error
export const BaseTypeError = TypeError
export const BaseRangeError = RangeError
export const BasePromise = Promise
export const rejected = Promise.reject
export const BaseDOMException = DOMException
export const toText = String
export const symbolFor = Symbol.for
export const { iterator: symbolIterator, toStringTag: symbolTag } = Symbol

export const parseDate = Date.parse
export const now = Date.now
export const dateTime = uncurry(Date.prototype.getTime)
export const dateIso = uncurry(Date.prototype.toISOString)
export const isPrototypeOf = uncurry(Object.prototype.isPrototypeOf)
export const functionText = uncurry(Function.prototype.toString)
export const regexpText = uncurry(RegExp.prototype.toString)
export const regexpExec = uncurry(RegExp.prototype.exec)
export const symbolText = uncurry(Symbol.prototype.toString)
export const charCode = uncurry(String.prototype.charCodeAt)
export const indexOf = uncurry(String.prototype.indexOf)
export const slice = uncurry(String.prototype.slice)
export const lowerCase = uncurry(String.prototype.toLowerCase)
export const wellFormed = uncurry(String.prototype.toWellFormed)
export const numberText = uncurry(Number.prototype.toString)
export const mapSize = getterOf(Map.prototype, 'size')
export const setSize = getterOf(Set.prototype, 'size')
export const mapForEach = uncurry(Map.prototype.forEach)
export const setForEach = uncurry(Set.prototype.forEach)
export const typedArrayTag = getterOf(getPrototypeOf(Uint8Array.prototype), symbolTag)
export const typedArrayLength = getterOf(getPrototypeOf(Uint8Array.prototype), 'length')
export const typedArrayBytes = getterOf(getPrototypeOf(Uint8Array.prototype), 'byteLength')
export const typedArrayOffset = getterOf(getPrototypeOf(Uint8Array.prototype), 'byteOffset')
export const typedArrayBuffer = getterOf(getPrototypeOf(Uint8Array.prototype), 'buffer')
export const Bytes = Uint8Array
export const byteLength = getterOf(ArrayBuffer.prototype, 'byteLength')

const encoder = new TextEncoder()
const encode = uncurry(TextEncoder.prototype.encode)
export const utf8Bytes = (text) => typedArrayLength(encode(encoder, text))
