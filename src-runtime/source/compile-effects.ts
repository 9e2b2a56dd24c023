// Finds the effects of compiled Programs and their options, and bundles their modules.

import type { Blanked } from './blank.ts'
import {
  bundleEffects,
  chainToPackage,
  type EffectModules,
  type EffectsBundle,
  type PackagesOf,
} from './bundle-effects.ts'
import type { ProgramBundle } from './bundle-programs.ts'
import { bundleEach, sourceNameOf, type OneBundled } from './bundling.ts'
import { bundlerErrors } from './bundler-errors.ts'
import type { Describe, ModuleDescription } from './describe.ts'
import type { DescribedEffect } from './evaluator.ts'
import { exportError } from './export-error.ts'
import { findViteGlobs, metadataWarnings } from './find-unsupported.ts'
import type { SdkModule } from './sdk-module.ts'
import { describingSlice } from './slice-module.ts'
import { compareText, type SourceError } from './source-error.ts'
import type { SourceFiles } from './source-files.ts'
import type { SourceArtifact } from './source.ts'

export type Effects = {
  readonly errors: readonly SourceError[]
  readonly inputs: readonly string[]
  readonly manifest: readonly NonNullable<SourceArtifact['manifest']['effects']>[number][]
  /** Undefined if bundling failed. */
  readonly bundle?: EffectsBundle
  readonly isOpen: boolean
}

/** By `effectsKey`, because Programs often share effects. */
export type EffectsByKey = ReadonlyMap<string, Effects>

export const effectsKey = (bundle: ProgramBundle): string => JSON.stringify(modulesOf(bundle))

const modulesOf = ({ effects }: ProgramBundle): EffectModules => [...effects].map(([name, { names }]) => [name, names])

export const compileEffects = async (
  files: SourceFiles,
  sdk: SdkModule,
  describe: Describe,
  packages: PackagesOf,
  bundles: readonly ProgramBundle[],
): Promise<EffectsByKey> => {
  const wanted = new Map<string, EffectModules>()
  const slices = new Map<string, Blanked>()
  for (const bundle of bundles) {
    if (bundle.effects.size === 0) continue
    wanted.set(effectsKey(bundle), modulesOf(bundle))
    for (const [name, { withOptions }] of bundle.effects) {
      const facts = files.facts(name)
      if (facts !== undefined && withOptions.length > 0) slices.set(name, describingSlice(facts, withOptions))
    }
  }
  const [descriptions, outcomes] = await Promise.all([
    describe('effects', slices),
    bundleEach([...wanted.values()], (modules) => bundleEffects(files, sdk, packages, modules)),
  ])
  return new Map(
    [...wanted].map(([key, modules], index) => [key, effectsFor(files, modules, descriptions, outcomes[index]!)]),
  )
}

const effectsFor = (
  files: SourceFiles,
  modules: EffectModules,
  descriptions: ReadonlyMap<string, ModuleDescription>,
  outcome: OneBundled<EffectsBundle>,
): Effects => {
  const errors: SourceError[] = [...clashes(files, modules)]
  const inputs = new Set<string>()
  const options = new Map<string, DescribedEffect>()
  const isOpen = !outcome.ok || modules.some(([name]) => descriptions.get(name)?.isOpen === true)
  for (const [name] of modules) {
    inputs.add(name)
    const description = descriptions.get(name)
    if (description === undefined) continue
    errors.push(...description.errors)
    description.inputs.forEach((input) => inputs.add(input))
    for (const effect of description.effects) {
      if (effect.kind === 'fault')
        errors.push(exportError(files, effect, `effect "${effect.exportName}": ${effect.message}`))
      else options.set(effect.exportName, effect)
    }
  }
  const manifest = modules
    .flatMap(([, names]) => names)
    .toSorted(compareText)
    .map((name) => {
      const effect = options.get(name)
      if (effect?.kind !== 'effect') return { name }
      const { retry, timeoutMs } = effect
      return {
        name,
        ...(retry !== undefined && { retry }),
        ...(timeoutMs !== undefined && { timeoutMs }),
      }
    })
  if (!outcome.ok)
    return {
      errors: [...errors, ...bundlerErrors(files, outcome.errors, (path) => chainToPackage(outcome, path))],
      inputs: [...inputs],
      manifest,
      isOpen,
    }
  const { code, inputs: names } = outcome.bundle
  for (const input of names) inputs.add(sourceNameOf(input))
  errors.push(...outcome.bundle.errors, ...findViteGlobs(files, code, names))
  const doubtful = [...outcome.bundle.doubtful, ...metadataWarnings(files, code, names)]
  return { errors, inputs: [...inputs], manifest, bundle: { ...outcome.bundle, doubtful }, isOpen }
}

/** An export's name is the effect's name, so a Program cannot use two effects of the same name. */
const clashes = (files: SourceFiles, modules: EffectModules): readonly SourceError[] => {
  const owners = new Map<string, string>()
  const errors: SourceError[] = []
  for (const [module, names] of modules) {
    for (const name of names) {
      const owner = owners.get(name)
      if (owner === undefined) owners.set(name, module)
      else {
        const text = `effect "${name}" is exported by ${owner} as well, and a Program uses both modules: rename one of the two`
        errors.push(exportError(files, { path: module, exportName: name }, text))
      }
    }
  }
  return errors
}
