// Copies of the built-ins, made before any Program code runs. Program code may patch the originals, so the runtime uses
// only these copies, and no syntax that looks up methods on prototypes (for-of, spread, destructuring of arrays, array
// element writes). Template literals look up a method that Programs cannot patch (globals.js).

const { apply } = Reflect

/** `uncurry(String.prototype.trim)(text)` calls the original without a lookup. */
export const uncurry = Function.prototype.bind.bind(Function.prototype.call)

export const getterOf = (object, key) => uncurry(Reflect.getOwnPropertyDescriptor(object, key).get)

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
export const domExceptionName = getterOf(DOMException.prototype, 'name')
export const domExceptionMessage = getterOf(DOMException.prototype, 'message')
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
const isHighSurrogate = (code) => code >= 0xd800 && code <= 0xdbff
/** At most so many characters from the beginning of a text, and no first half of a surrogate pair at their end. */
export const beginningOf = (text, length) => {
  if (text.length <= length) return text
  return slice(text, 0, isHighSurrogate(charCode(text, length - 1)) ? length - 1 : length)
}
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
export const bufferSlice = uncurry(ArrayBuffer.prototype.slice)

const dataViewBuffer = getterOf(DataView.prototype, 'buffer')
const dataViewOffset = getterOf(DataView.prototype, 'byteOffset')
/** `tag` is the view's `typedArrayTag`; undefined for a DataView. */
export const viewBuffer = (view, tag) => (tag === undefined ? dataViewBuffer(view) : typedArrayBuffer(view))
export const viewOffset = (view, tag) => (tag === undefined ? dataViewOffset(view) : typedArrayOffset(view))
export const viewBytes = getterOf(DataView.prototype, 'byteLength')

const byName = (names) => {
  const found = { __proto__: null }
  for (const name of names) if (typeof globalThis[name] === 'function') found[name] = globalThis[name]
  return found
}
export const VIEW_CLASSES = byName([
  ...['DataView', 'Int8Array', 'Uint8Array', 'Uint8ClampedArray', 'Int16Array', 'Uint16Array', 'Int32Array'],
  ...['Uint32Array', 'BigInt64Array', 'BigUint64Array', 'Float16Array', 'Float32Array', 'Float64Array'],
])
export const ERROR_CLASSES = byName([
  ...['Error', 'EvalError', 'RangeError', 'ReferenceError', 'SyntaxError', 'TypeError', 'URIError'],
])

export const aggregatePrototype = AggregateError.prototype
export const suppressedPrototype = SuppressedError.prototype
export const BaseDate = Date
export const BaseMap = Map
export const BaseObject = Object
export const BaseRegExp = RegExp
export const BaseSet = Set
export const { hasOwn } = Object
export const objectTag = uncurry(Object.prototype.toString)
export const mapGet = uncurry(Map.prototype.get)
export const mapSet = uncurry(Map.prototype.set)
export const setAdd = uncurry(Set.prototype.add)
export const regexpSource = getterOf(RegExp.prototype, 'source')
export const regexpFlags = getterOf(RegExp.prototype, 'flags')
export const valueOfBigInt = uncurry(BigInt.prototype.valueOf)
export const valueOfBoolean = uncurry(Boolean.prototype.valueOf)
export const valueOfNumber = uncurry(Number.prototype.valueOf)
export const valueOfString = uncurry(String.prototype.valueOf)

const encoder = new TextEncoder()
const encode = uncurry(TextEncoder.prototype.encode)
export const utf8Bytes = (text) => typedArrayLength(encode(encoder, text))
