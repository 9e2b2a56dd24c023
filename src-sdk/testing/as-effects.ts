// What a Program under test gets in place of the exports of a `*.effects.ts` module: called by the Program, they schedule
// the effect, as the references do that the compiler puts there. Called by anybody else, a test of the effect itself say,
// they are what they were.

import { runningProgram } from './world.ts'

const OPTIONS = Symbol.for('wes.effect')
const NAMED = Symbol.for('wes.effect.name')

type AnyFunction = (...args: unknown[]) => unknown

/** The exports of an effect module, made ready for Programs under test. `wes()` does this to each `*.effects.ts`. */
export const asEffects = <Exports extends object>(exports: Exports): Exports =>
  Object.fromEntries(Object.entries(exports).map(([name, value]) => [name, asEffect(name, value)])) as Exports

const asEffect = (name: string, value: unknown): unknown => {
  if (typeof value !== 'function') return value
  const real = value as AnyFunction & { readonly [OPTIONS]?: unknown }
  const effect: AnyFunction = (...args) => {
    const program = runningProgram()
    return program === undefined ? real(...args) : program.effect(effect, args[0])
  }
  Object.defineProperty(effect, 'name', { value: name })
  Object.defineProperty(effect, NAMED, { value: name })
  if (real[OPTIONS] !== undefined) Object.defineProperty(effect, OPTIONS, { value: real[OPTIONS] })
  return effect
}

/** An effect that `asEffects` made knows the name of its export. */
export const exportNameOf = (effect: object): string | undefined => {
  const name = (effect as { readonly [NAMED]?: unknown })[NAMED]
  return typeof name === 'string' ? name : undefined
}

/** What `defineEffect` was told. */
export const optionsOf = (effect: object): object | undefined => {
  const options = (effect as { readonly [OPTIONS]?: unknown })[OPTIONS]
  return typeof options === 'object' && options !== null ? options : undefined
}
