// While code of a Program or an effect runs, what it writes to `console` goes to the history of its Execution too. All
// other output only goes to the console.

import { builtinModule } from './node-modules.ts'

/** Takes a call of a method of `console`. */
export type ConsoleTarget = (method: string, values: readonly unknown[]) => void

type Storage = { run<Value>(target: ConsoleTarget, act: () => Value): Value; getStore(): ConsoleTarget | undefined }
type AsyncHooks = { readonly AsyncLocalStorage: new () => Storage }
type Method = (...values: readonly unknown[]) => unknown

type Shared = {
  /** Knows which code calls, also after it awaited something. */
  readonly storage: Storage | undefined
  /** Where there is no such storage: the target of the code that runs now. */
  target: ConsoleTarget | undefined
  holds: number
  restore: () => void
  /** Set within a call, because some methods of `console` call others. */
  isWithin: boolean
}

const createShared = (): Shared => {
  const Storage = builtinModule<AsyncHooks>('node:async_hooks')?.AsyncLocalStorage
  const storage = Storage === undefined ? undefined : new Storage()
  return { storage, target: undefined, holds: 0, restore: () => {}, isWithin: false }
}

/** On the global object, like the state in world.ts. */
const KEY = Symbol.for('wes.testing.console')
const globals = globalThis as unknown as Record<symbol, Shared | undefined> & { readonly console: object }
const shared = (globals[KEY] ??= createShared())

/** Runs code whose console is that of a Program or an effect. */
export const withConsole = <Value>(target: ConsoleTarget, act: () => Value): Value => {
  if (shared.storage !== undefined) return shared.storage.run(target, act)
  const before = shared.target
  shared.target = target
  try {
    return act()
  } finally {
    shared.target = before
  }
}

/** Begins to watch `console`. Returns what ends it. */
export const watchConsole = (): (() => void) => {
  if (shared.holds === 0) shared.restore = replaceMethods()
  shared.holds += 1
  let isHeld = true
  return () => {
    if (!isHeld) return
    isHeld = false
    shared.holds -= 1
    if (shared.holds === 0) shared.restore()
  }
}

const replaceMethods = (): (() => void) => {
  const methods = globals.console as Record<string, unknown>
  const replaced = Object.entries(methods).flatMap(([name, usual]) => {
    if (typeof usual !== 'function' || name === 'Console') return []
    const own = watched(name, usual as Method, methods)
    methods[name] = own
    return [{ name, usual, own }]
  })
  return () => {
    // A test may have replaced a method meanwhile.
    for (const { name, usual, own } of replaced) if (methods[name] === own) methods[name] = usual
  }
}

/** What the console of the test cannot format, such as a BigInt by `%j`, the target takes. */
const print = (usual: Method, console: object, values: readonly unknown[]): void => {
  try {
    Reflect.apply(usual, console, values)
  } catch {
    // It is in the history.
  }
}

const watched =
  (name: string, usual: Method, console: object): Method =>
  (...values) => {
    const target = shared.storage?.getStore() ?? shared.target
    if (target === undefined || shared.isWithin) return Reflect.apply(usual, console, values)
    shared.isWithin = true
    try {
      target(name, values)
      print(usual, console, values)
    } finally {
      shared.isWithin = false
    }
  }
