// Random numbers that are the same in every replay of an Execution: sfc32, seeded with the Execution's id. Not suitable
// for secrets.

import { refusal } from './errors.js'
import {
  BaseDOMException,
  BaseTypeError,
  Bytes,
  charCode,
  construct,
  defineProperty,
  freeze,
  imul,
  isView,
  slice,
  typedArrayBuffer,
  typedArrayBytes,
  typedArrayLength,
  typedArrayOffset,
  typedArrayTag,
} from './primordials.js'

let a = 0
let b = 0
let c = 0
let d = 0
/** Seeded on first use, because most Programs use no random numbers. */
let unusedSeed = 'template'

export const seedRandom = (text) => {
  unusedSeed = text
}

const mix = (text, start, factor) => {
  let hash = start
  for (let at = 0; at < text.length; at++) {
    hash = imul(hash ^ charCode(text, at), factor)
    hash ^= hash >>> 15
  }
  return hash
}

const applySeed = () => {
  const text = unusedSeed
  unusedSeed = undefined
  a = mix(text, 0x9e3779b9, 597399067)
  b = mix(text, 0x243f6a88, 2869860233)
  c = mix(text, 0xb7e15162, 951274213)
  d = 1
  for (let round = 0; round < 15; round++) next()
}

const next = () => {
  const t = (((a + b) | 0) + d) | 0
  d = (d + 1) | 0
  a = b ^ (b >>> 9)
  b = (c + (c << 3)) | 0
  c = ((c << 21) | (c >>> 11)) + t
  c |= 0
  return t >>> 0
}

const random32 = () => {
  if (unusedSeed !== undefined) applySeed()
  return next()
}

const INTEGER_ARRAYS = {
  __proto__: null,
  Int8Array: true,
  Uint8Array: true,
  Uint8ClampedArray: true,
  Int16Array: true,
  Uint16Array: true,
  Int32Array: true,
  Uint32Array: true,
  BigInt64Array: true,
  BigUint64Array: true,
}

const HEX = '0123456789abcdef'
const hex = (value) => HEX[(value >>> 4) & 15] + HEX[value & 15]

// Method shorthand: like the built-ins, these have no prototype and cannot be constructed.
const functions = {
  random() {
    const high = random32() >>> 5
    return (high * 67108864 + (random32() >>> 6)) / 9007199254740992
  },
  getRandomValues(array) {
    if (!isView(array) || INTEGER_ARRAYS[typedArrayTag(array)] !== true) {
      throw refusal(new BaseTypeError('crypto.getRandomValues takes an integer typed array'), functions.getRandomValues)
    }
    const length = typedArrayBytes(array)
    if (length > 65536) {
      const error = new BaseDOMException('More than 65536 bytes asked for', 'QuotaExceededError')
      throw refusal(error, functions.getRandomValues)
    }
    const bytes = construct(Bytes, [typedArrayBuffer(array), typedArrayOffset(array), length])
    const count = typedArrayLength(bytes)
    for (let at = 0; at < count; at++) bytes[at] = random32()
    return array
  },
  randomUUID() {
    let text = ''
    for (let at = 0; at < 16; at++) {
      const byte = random32() & 255
      text += hex(at === 6 ? (byte & 15) | 64 : at === 8 ? (byte & 63) | 128 : byte)
    }
    return `${slice(text, 0, 8)}-${slice(text, 8, 12)}-${slice(text, 12, 16)}-${slice(text, 16, 20)}-${slice(text, 20)}`
  },
}

export const installRandom = () => {
  defineProperty(Math, 'random', { value: functions.random, writable: true, enumerable: false, configurable: true })
  const crypto = freeze({
    getRandomValues: freeze(functions.getRandomValues),
    randomUUID: freeze(functions.randomUUID),
  })
  defineProperty(globalThis, 'crypto', { value: crypto, writable: true, enumerable: false, configurable: true })
}
