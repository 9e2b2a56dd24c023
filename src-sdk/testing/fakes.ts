// Fakes: functions of the test that replace effects, found by the effect's name or by the effect itself.

import type { EffectContext, EffectFunction } from '../define-effect.ts'
import { effectNamed, exportNameOf, optionsOf } from './as-effects.ts'
import { replaceFrames } from './call-site.ts'

/** Returns the result of an attempt, or throws to fail it. */
export type FakeEffect<Input = never, Result = unknown> = (
  input: Input,
  attempt: EffectContext,
) => Result | Promise<Result>

export type FakeOf = { readonly effect: object; readonly fake: FakeEffect }

/** Fakes by name, or a list made with `fake()`. */
export type Fakes = Readonly<Record<string, FakeEffect>> | readonly FakeOf[]

/**
 * The fakes of an effect module, with the names and types of its exports:
 *
 *     const effects = { chargeCard: async ({ cents }) => ({ receipt: `r-${cents}` }) } satisfies FakesOf<typeof import('./order.effects.ts')>
 */
export type FakesOf<Module> = {
  readonly [
    Name in keyof Module as Module[Name] extends (...args: never[]) => unknown ? Name : never
  ]?: Module[Name] extends (...args: infer Arguments) => infer Result
    ? FakeEffect<Arguments[0], Awaited<Result>>
    : never
}

/** Makes a fake with the types of its effect. */
export const fake = <Input, Result>(
  effect: EffectFunction<Input, Result>,
  answer: FakeEffect<NoInfer<Input>, NoInfer<Result>>,
): FakeOf => ({ effect, fake: answer })

export type FakeFinder = {
  readonly nameOf: (effect: object) => string | undefined
  /** The effect that a call by name means, if a fake was made for it or its module was loaded. */
  readonly effectNamed: (name: string) => object | undefined
  /**
   * Throws for an effect without a fake. That is a mistake in the test, so the Program cannot catch it. `site` has the
   * stack of the Program's call.
   */
  readonly find: (name: string, reference: object | undefined, site: Error | undefined) => FakeEffect<unknown>
}

export const createFakeFinder = (fakes: Fakes): FakeFinder => {
  const byReference = new Map<object, FakeEffect>()
  const byName = new Map<string, FakeEffect>()
  const faked = new Map<string, object>()
  if (isList(fakes)) {
    for (const { effect, fake: answer } of fakes) {
      if (typeof effect !== 'function') throw new TypeError(NO_FAKES)
      byReference.set(effect, answer)
      const name = nameOf(effect)
      if (name === undefined) continue
      byName.set(name, answer)
      faked.set(name, effect)
    }
  } else {
    for (const [name, answer] of Object.entries<FakeEffect | undefined>(fakes)) {
      if (answer !== undefined) byName.set(name, answer)
    }
  }

  if ([...byReference.values(), ...byName.values()].some((answer) => typeof answer !== 'function')) {
    throw new TypeError(NO_FAKES)
  }

  return {
    nameOf: (effect) =>
      nameOf(effect) ?? (byReference.has(effect) || optionsOf(effect) !== undefined ? 'unnamed' : undefined),
    effectNamed: (name) => faked.get(name) ?? effectNamed(name),
    find: (name, reference, site) => {
      const found = (reference && byReference.get(reference)) ?? byName.get(name)
      if (found !== undefined) return found as FakeEffect<unknown>
      const known = [...byName.keys()]
      const isUnnamed = reference !== undefined && nameOf(reference) === undefined
      const missing = new Error(
        isUnnamed
          ? UNNAMED
          : `The Program called effect "${name}", and the test has no fake for it: give createTestExecution { effects: { ${name}: async (input) => … } }` +
              (known.length === 0 ? '' : `; it has ${known.join(', ')}`),
      )
      if (site !== undefined) replaceFrames(missing, site)
      throw missing
    },
  }
}

/** Code without types may pass anything. */
const NO_FAKES =
  'The effects of createTestExecution are functions by name, { charge: async (input) => … }, or a list of what fake() returns'

const UNNAMED =
  'The Program called an effect that defineEffect made, and the test knows neither its name nor a fake for it: ' +
  'add the plugin wes() to vitest.config.ts, pass the exports of its module to asEffects, or make a fake with fake(effect, …)'

const isList = (fakes: Fakes): fakes is readonly FakeOf[] => Array.isArray(fakes)

/** An effect made with `defineEffect` gets its name from its export, so it has one only after `asEffects`. */
const nameOf = (effect: object): string | undefined => {
  const exported = exportNameOf(effect)
  if (exported !== undefined) return exported
  if (optionsOf(effect) !== undefined) return undefined
  const { name } = effect as { readonly name?: unknown }
  return typeof name === 'string' && name !== '' ? name : undefined
}
