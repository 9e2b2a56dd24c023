// While code under test runs, it alone sees the Execution's clock, randomness and, for Programs, UTC as the time zone. Only
// one piece of code runs at a time, from its call until all its microtasks are done: that is a turn.

import type { ProgramContext } from '../define-program.ts'
import { watchConsole, withConsole, type ConsoleTarget } from './console.ts'

export type World = {
  readonly now: () => number
  readonly random: () => number
  /** Set while a Program runs: schedules effects that are called like functions. */
  readonly program?: ProgramContext
  /** Gets what the code writes to `console`. */
  readonly console?: ConsoleTarget
  /** Gets rejections that nobody handles by the end of a turn, and what callbacks throw; without it they end the test. */
  readonly onUnhandled?: (reason: unknown) => void
}

type Shared = { last: Promise<unknown>; program: ProgramContext | undefined }

/** On the global object, because a test may load this module twice: bundled, and from its package. */
const KEY = Symbol.for('wes.testing')
const globals = globalThis as unknown as Record<symbol, Shared | undefined> & {
  Date: DateConstructor
  readonly Math: { random: () => number }
  readonly crypto?: { getRandomValues<View>(view: View): View }
  readonly setImmediate?: (callback: () => void) => unknown
  readonly MessageChannel?: new () => { port1: Port; port2: Port }
  readonly setTimeout: (callback: () => void, ms: number) => unknown
  readonly process?: Process
}
type OnUnhandled = (reason: unknown) => void
type Fault = 'unhandledRejection' | 'uncaughtException'
type Process = {
  readonly env?: { TZ?: string }
  rawListeners?(event: Fault): readonly OnUnhandled[]
  on(event: Fault, listener: OnUnhandled): void
  off(event: Fault, listener: OnUnhandled): void
}
type Port = { onmessage: (() => void) | null; postMessage(message: null): void; close(): void }

const shared: Shared = (globals[KEY] ??= { last: Promise.resolve(), program: undefined })

/** The running Program, if any. */
export const runningProgram = (): ProgramContext | undefined => shared.program

const { setImmediate, MessageChannel, setTimeout } = globals

/** Resolves once all microtasks have run. Captured before a test can replace timers. */
export const drained = (): Promise<void> =>
  new Promise((resolve) => {
    if (setImmediate !== undefined) return void setImmediate(resolve)
    if (MessageChannel === undefined) return void setTimeout(resolve, 0)
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    return port2.postMessage(null)
  })

export const realTime = (ms: number): Promise<'late'> =>
  new Promise((resolve) => void setTimeout(() => resolve('late'), ms))

/** Runs `act` and the microtasks that it starts. */
export const inWorld = (world: World, act: () => void): Promise<void> => {
  const turn = shared.last.then(async () => {
    const restore = enter(world)
    const unwatch = watchConsole()
    try {
      if (world.console === undefined) act()
      else withConsole(world.console, act)
      await drained()
    } finally {
      unwatch()
      restore()
    }
  })
  shared.last = turn.catch(() => {})
  return turn
}

const enter = ({ now, random, program, onUnhandled }: World): (() => void) => {
  const { Date: realDate, Math: math, crypto } = globals
  const realRandom = math.random
  globals.Date = dateAt(realDate, now)
  const unsetConstructor = setConstructor(realDate.prototype, globals.Date)
  math.random = random
  shared.program = program
  const own = crypto === undefined ? {} : seededCrypto(crypto, random)
  for (const [name, value] of Object.entries(own)) Object.defineProperty(crypto, name, { value, configurable: true })
  const leaveUtc = program === undefined ? () => {} : enterUtc()
  const stopCatching = onUnhandled === undefined ? () => {} : catchUnhandled(onUnhandled)
  return () => {
    stopCatching()
    leaveUtc()
    globals.Date = realDate
    unsetConstructor()
    math.random = realRandom
    shared.program = undefined
    for (const name of Object.keys(own)) Reflect.deleteProperty(crypto as object, name)
  }
}

/**
 * The zone of Programs in the service. Worker threads, as of the pool `threads` of Vitest, keep the machine's, and so does
 * Deno without --allow-env, where it throws.
 */
const enterUtc = (): (() => void) => {
  try {
    const env = globals.process?.env
    const zone = env?.TZ
    if (env === undefined || zone === 'UTC') return () => {}
    env.TZ = 'UTC'
    return () => {
      if (zone === undefined) delete env.TZ
      else env.TZ = zone
    }
  } catch {
    return () => {}
  }
}

/** The second is for what a callback of queueMicrotask or a listener of an AbortSignal throws. */
const FAULTS = ['unhandledRejection', 'uncaughtException'] as const

/** In place of the listeners of the test runner, which would fail the test. */
const catchUnhandled = (onUnhandled: OnUnhandled): (() => void) => {
  const { process } = globals
  if (process?.rawListeners === undefined) return () => {}
  const others = FAULTS.flatMap((fault) =>
    (process.rawListeners?.(fault) ?? []).map((listener) => [fault, listener] as const),
  )
  for (const [fault, other] of others) process.off(fault, other)
  for (const fault of FAULTS) process.on(fault, onUnhandled)
  return () => {
    for (const fault of FAULTS) process.off(fault, onUnhandled)
    for (const [fault, other] of others) process.on(fault, other)
  }
}

const dateAt = (realDate: DateConstructor, now: () => number): DateConstructor =>
  new Proxy(realDate, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget) as object,
    apply: (target) => new target(now()).toString(),
    get: (target, key, receiver) => (key === 'now' ? now : (Reflect.get(target, key, receiver) as unknown)),
  })

/** Libraries compare it: `value.constructor === Date`. Returns what sets the one before again. */
const setConstructor = (prototype: Date, value: DateConstructor): (() => void) => {
  const before = Reflect.getOwnPropertyDescriptor(prototype, 'constructor')
  Object.defineProperty(prototype, 'constructor', { ...before, value })
  return () => {
    if (before !== undefined) Object.defineProperty(prototype, 'constructor', before)
  }
}

type Bytes = { readonly buffer: ArrayBufferLike; readonly byteOffset: number; readonly byteLength: number }

/** Set on the instance, so that it hides the platform's prototype method. */
const seededCrypto = (platform: NonNullable<typeof globals.crypto>, random: () => number) => {
  const fill = (bytes: Uint8Array): Uint8Array => bytes.map(() => Math.floor(random() * 256))
  const fillIn = platform.getRandomValues.bind(platform)
  return {
    getRandomValues: <View extends Bytes>(view: View): View => {
      fillIn(view) // Throws for floats, and for more than 64 KiB.
      const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength)
      bytes.set(fill(bytes))
      return view
    },
    randomUUID: (): string => {
      const bytes = fill(new Uint8Array(16))
      bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
      bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
      const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
      return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
    },
  }
}

/**
 * A random generator seeded by a text, so that each Execution has its own numbers, the same in every run of the test.
 */
export const seededRandom = (seed: string): (() => number) => {
  let state = 0x811c9dc5
  for (const character of seed) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 0x01000193)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
