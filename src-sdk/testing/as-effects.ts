// Replaces the exports of a `*.effects.ts` module for a Program under test. Called by the Program, they schedule the
// effect, like the references that the compiler inserts. Called by other code, such as a test of the effect, they are
// the original functions.

import { runningProgram } from './world.ts'

const OPTIONS = Symbol.for('wes.effect')
const NAMED = Symbol.for('wes.effect.name')

/** On the global object, like the state in world.ts: a test may load this module twice. */
const BY_NAME = Symbol.for('wes.testing.effects')
const globals = globalThis as unknown as Record<symbol, Map<string, object> | undefined>
const byName = (globals[BY_NAME] ??= new Map<string, object>())

type AnyFunction = (...args: unknown[]) => unknown

/** Prepares the exports of an effect module for Programs under test. `wes()` does this to each `*.effects.ts`. */
export const asEffects = <Exports extends object>(exports: Exports): Exports =>
  Object.fromEntries(Object.entries(exports).map(([name, value]) => [name, asEffect(name, value)])) as Exports

const asEffect = (name: string, value: unknown): unknown => {
  if (typeof value !== 'function' || isClass(value)) return value
  const real = value as AnyFunction & { readonly [OPTIONS]?: unknown }
  const effect: AnyFunction = (...args) => {
    const program = runningProgram()
    return program === undefined ? real(...args) : program.effect(effect, args[0])
  }
  Object.defineProperty(effect, 'name', { value: name })
  Object.defineProperty(effect, NAMED, { value: name })
  if (real[OPTIONS] !== undefined) Object.defineProperty(effect, OPTIONS, { value: real[OPTIONS] })
  byName.set(name, effect)
  return effect
}

/** The effect exported under a name, for a call by name. Of several, that of the module that was loaded last. */
export const effectNamed = (name: string): object | undefined => byName.get(name)

/** A class, such as an error that an effect throws, is no effect. */
const isClass = (value: object): boolean => /^class\b/.test(Function.prototype.toString.call(value))

/** The name of an effect's export, as recorded by `asEffects`. */
export const exportNameOf = (effect: object): string | undefined => {
  const name = (effect as { readonly [NAMED]?: unknown })[NAMED]
  return typeof name === 'string' ? name : undefined
}

/** The options given to `defineEffect`. */
export const optionsOf = (effect: object): object | undefined => {
  const options = (effect as { readonly [OPTIONS]?: unknown })[OPTIONS]
  return typeof options === 'object' && options !== null ? options : undefined
}
