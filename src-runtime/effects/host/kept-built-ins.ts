// All effects of a process share its built-in functions, and so does the host. Notices when an effect has changed them, and
// undoes it. What modules change while a bundle is loaded stays: libraries do so on purpose, and in each process again.

import { AsyncLocalStorage } from 'node:async_hooks'
import { EventEmitter } from 'node:events'

export type KeptBuiltIns = {
  /** Undoes what was changed, and names it. Call it before anything else when code of an effect has run. */
  undoChanges(): readonly string[]
  /** What is there now stays. */
  accept(): void
}

/** `process.emit` and `process.reallyExit` are missing: packages that start processes wrap them for as long as these run. */
const HOLDERS: Readonly<Record<string, object>> = {
  JSON,
  Promise,
  'Promise.prototype': Promise.prototype,
  Object,
  Reflect,
  'Function.prototype': Function.prototype,
  'Array.prototype': Array.prototype,
  'String.prototype': String.prototype,
  'RegExp.prototype': RegExp.prototype,
  'Map.prototype': Map.prototype,
  'Set.prototype': Set.prototype,
  'WeakMap.prototype': WeakMap.prototype,
  'AsyncLocalStorage.prototype': AsyncLocalStorage.prototype,
  'EventEmitter.prototype': EventEmitter.prototype,
  Buffer,
  console,
}

const GLOBALS: readonly string[] = [
  ...['JSON', 'Promise', 'Object', 'Array', 'String', 'RegExp', 'Map', 'Set', 'Error', 'Buffer', 'process', 'console'],
  ...['AbortController', 'DOMException', 'queueMicrotask'],
  ...['setTimeout', 'setInterval', 'setImmediate', 'clearTimeout', 'clearInterval', 'clearImmediate'],
]

type Kept = {
  readonly holder: object
  readonly key: PropertyKey
  readonly name: string
  readonly isEnumerable: boolean
  value: unknown
}

// Kept too, and nothing below calls other functions: an effect may have replaced them.
const { defineProperty } = Object
const { deleteProperty, get, ownKeys } = Reflect

export const keepBuiltIns = (): KeptBuiltIns => {
  const kept: readonly Kept[] = [
    ...Object.entries(HOLDERS).flatMap(([name, holder]) => functionsOf(holder, name)),
    ...GLOBALS.map((key) => keep(globalThis, key, key)),
    keep(process, 'nextTick', 'process.nextTick'),
  ]
  let ownOfObjects = ownKeys(Object.prototype).length

  /** They are added behind the others. `JSON.stringify` and many libraries find them in each object. */
  const removeAdded = (): boolean => {
    const keys = ownKeys(Object.prototype)
    const isOther = keys.length !== ownOfObjects
    for (let at = ownOfObjects; at < keys.length; at++) deleteProperty(Object.prototype, keys[at]!)
    ownOfObjects = ownKeys(Object.prototype).length
    return isOther
  }

  return {
    undoChanges: () => {
      const names: string[] = []
      for (let at = 0; at < kept.length; at++) {
        const one = kept[at]!
        if (current(one) === one.value) continue
        names[names.length] = one.name
        restore(one)
      }
      if (removeAdded()) names[names.length] = 'Object.prototype'
      return names
    },
    accept: () => {
      for (let at = 0; at < kept.length; at++) kept[at]!.value = current(kept[at]!)
      ownOfObjects = ownKeys(Object.prototype).length
    },
  }
}

const functionsOf = (holder: object, holderName: string): readonly Kept[] =>
  Object.entries(Object.getOwnPropertyDescriptors(holder))
    .filter(([key, { value }]) => typeof value === 'function' && key !== 'constructor')
    .map(([key]) => keep(holder, key, `${holderName}.${key}`))
    .concat(Symbol.iterator in holder ? keep(holder, Symbol.iterator, `${holderName}[Symbol.iterator]`) : [])

const keep = (holder: object, key: PropertyKey, name: string): Kept => ({
  holder,
  key,
  name,
  isEnumerable: Object.prototype.propertyIsEnumerable.call(holder, key),
  value: get(holder, key),
})

const current = ({ holder, key }: Kept): unknown => {
  try {
    return get(holder, key)
  } catch {
    return undefined
  }
}

const restore = (one: Kept): void => {
  const { holder, key, value, isEnumerable: enumerable } = one
  try {
    defineProperty(holder, key, { value, enumerable, writable: true, configurable: true })
  } catch {
    // The effect has made it final.
    one.value = current(one)
  }
}
