// From modules of a project to artifacts: find the definitions, learn what they say of themselves, bundle what they run,
// refuse what would not replay, bundle their effects.

import { createBreath } from './breathe.ts'
import type { Blanked } from './blank.ts'
import type { Slices } from './bundle-definitions.ts'
import { bundleEffects, type EffectModules, type EffectsBundle } from './bundle-effects.ts'
import { keyOf, SLICE, sourceNameOf, type BundlingOf, type Definition } from './bundling.ts'
import { bundlePrograms, type ProgramBundle } from './bundle-programs.ts'
import { bundlerErrors } from './bundler-errors.ts'
import { checkProgram } from './check-program.ts'
import { createDescribe, reachableFrom, type Describe, type ModuleDescription } from './describe.ts'
import type { DescribedEffect, DescribedProgram } from './describe-modules.ts'
import { createEvaluator, type Evaluator } from './evaluator.ts'
import { restoreNames } from './forbidden-names.ts'
import { definerOf, withoutTypes, type ModuleFacts } from './module-facts.ts'
import { loadSdk, type SdkModule } from './sdk-module.ts'
import { candidatesOf, describingSlice } from './slice-module.ts'
import { compareText, placeOf, sourceError, sortedErrors, type SourceError } from './source-error.ts'
import { createSourceFiles, inputBehind, type SourceFiles } from './source-files.ts'
import { isMadeUp, storedSourceMap, type RawSourceMap } from './source-map.ts'
import type { CompiledFile, CompiledProgram, SourceArtifact } from './source.ts'

export type Compiler = {
  /** Modules by their paths in the project; one answer for each, in order. */
  compile(paths: readonly string[]): Promise<readonly CompiledFile[]>
  readonly files: SourceFiles
  readonly evaluator: Evaluator
  stop(): void
}

export type CompilerOptions = {
  readonly folder: string
  /** Stays the caller's to stop. Without it the compiler has its own. */
  readonly evaluator?: Evaluator
}

type Described = DescribedProgram & { readonly kind: 'program' }

type Part = {
  readonly described: Described
  readonly bundle?: ProgramBundle
  readonly errors: readonly SourceError[]
}

/** A schema library is bundled once for all that are described together. */
const DESCRIBED_AT_ONCE = 250
/** What happens between two answers of the bundler keeps the process from anything else. */
const BUNDLED_AT_ONCE = 40

const chunks = <Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size))

export const createCompiler = ({ folder, evaluator: shared }: CompilerOptions): Compiler => {
  const files = createSourceFiles(folder)
  const evaluator = shared ?? createEvaluator()
  let describe: Describe | undefined
  return {
    files,
    evaluator,
    compile: async (paths) => {
      const sdk = await loadSdk()
      describe ??= createDescribe(files, sdk, evaluator, (name) => effectSlice(files, name))
      const compiled: CompiledFile[] = []
      for (const many of chunks(paths, DESCRIBED_AT_ONCE)) {
        const descriptions = await describe('programs', await slicesOf(files, many))
        for (const few of chunks(many, BUNDLED_AT_ONCE)) {
          compiled.push(...(await compileBatch(files, sdk, describe, descriptions, few)))
        }
      }
      return compiled
    },
    stop: () => {
      if (shared === undefined) evaluator.stop()
    },
  }
}

const compileBatch = async (
  files: SourceFiles,
  sdk: SdkModule,
  describe: Describe,
  descriptions: ReadonlyMap<string, ModuleDescription>,
  paths: readonly string[],
): Promise<readonly CompiledFile[]> => {
  const definitions = paths.flatMap(
    (path) => descriptions.get(path)?.programs.filter((one): one is Described => one.kind === 'program') ?? [],
  )
  const bundled = await bundleAll(files, sdk, definitions)
  const breathe = createBreath()
  const parts: Part[] = []
  for (const described of definitions) {
    await breathe()
    const outcome = bundled.get(keyOf(described))!
    parts.push(
      outcome.ok
        ? { described, bundle: outcome.bundle, errors: checkProgram(files, outcome.bundle) }
        : { described, errors: outcome.errors },
    )
  }
  const effects = await effectsOf(files, sdk, describe, parts)
  const compiled: CompiledFile[] = []
  for (const path of paths) {
    await breathe()
    const own = parts.filter(({ described }) => described.path === path)
    compiled.push(assemble(files, sdk, path, descriptions.get(path), own, effects))
  }
  return compiled
}

const slicesOf = async (files: SourceFiles, paths: readonly string[]): Promise<Slices> => {
  const slices = new Map<string, Blanked>()
  const breathe = createBreath()
  for (const path of paths) {
    await breathe()
    const facts = files.facts(path)
    const names = facts === undefined ? [] : candidatesOf(facts)
    if (facts !== undefined && names.length > 0) slices.set(path, describingSlice(facts, names))
  }
  return slices
}

type Bundled =
  | { readonly ok: true; readonly bundle: ProgramBundle }
  | { readonly ok: false; readonly errors: readonly SourceError[] }

/** All at once; one by one when one of them is at fault, to learn which. */
const bundleAll = async (
  files: SourceFiles,
  sdk: SdkModule,
  definitions: readonly Definition[],
): Promise<ReadonlyMap<string, Bundled>> => {
  const bundled = new Map<string, Bundled>()
  if (definitions.length === 0) return bundled
  const all = await bundlePrograms(files, sdk, definitions)
  if (all.ok) {
    for (const bundle of all.bundles) bundled.set(keyOf(bundle.definition), { ok: true, bundle })
  } else if (definitions.length === 1) {
    bundled.set(keyOf(definitions[0]!), { ok: false, errors: bundlerErrors(files, all.errors) })
  } else {
    for (const one of definitions) for (const [key, part] of await bundleAll(files, sdk, [one])) bundled.set(key, part)
  }
  return bundled
}

type Effects = {
  readonly errors: readonly SourceError[]
  readonly inputs: readonly string[]
  readonly manifest: readonly NonNullable<SourceArtifact['manifest']['effects']>[number][]
  readonly bundle?: EffectsBundle
}

/** By the key of the list of modules: Programs often share theirs. */
type EffectsByKey = ReadonlyMap<string, Effects>

const modulesOf = ({ effects }: ProgramBundle): EffectModules => [...effects].map(([name, { names }]) => [name, names])

const effectsOf = async (
  files: SourceFiles,
  sdk: SdkModule,
  describe: Describe,
  parts: readonly Part[],
): Promise<EffectsByKey> => {
  const wanted = new Map<string, EffectModules>()
  const slices = new Map<string, Blanked>()
  for (const { bundle } of parts) {
    if (bundle === undefined || bundle.effects.size === 0) continue
    wanted.set(JSON.stringify(modulesOf(bundle)), modulesOf(bundle))
    for (const [name, { withOptions }] of bundle.effects) {
      const facts = files.facts(name)
      if (facts !== undefined && withOptions.length > 0) slices.set(name, describingSlice(facts, withOptions))
    }
  }
  const [descriptions, bundles] = await Promise.all([
    describe('effects', slices),
    bundleEffectsAll(files, sdk, [...wanted.values()]),
  ])
  return new Map(
    [...wanted].map(([key, modules], index) => [key, effectsFor(files, modules, descriptions, bundles[index]!)]),
  )
}

const bundleEffectsAll = async (
  files: SourceFiles,
  sdk: SdkModule,
  wanted: readonly EffectModules[],
): Promise<readonly BundlingOf<EffectsBundle>[]> => {
  if (wanted.length === 0) return []
  const all = await bundleEffects(files, sdk, wanted)
  if (all.ok) return all.bundles.map((bundle) => ({ ok: true, bundles: [bundle], warnings: [] }))
  if (wanted.length === 1) return [all]
  return Promise.all(wanted.map((one) => bundleEffects(files, sdk, [one])))
}

const effectsFor = (
  files: SourceFiles,
  modules: EffectModules,
  descriptions: ReadonlyMap<string, ModuleDescription>,
  outcome: BundlingOf<EffectsBundle>,
): Effects => {
  const errors: SourceError[] = [...clashes(files, modules)]
  const inputs = new Set<string>()
  const options = new Map<string, DescribedEffect>()
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
    return { errors: [...errors, ...bundlerErrors(files, outcome.errors)], inputs: [...inputs], manifest }
  const [bundle] = outcome.bundles
  for (const input of bundle!.inputs) inputs.add(sourceNameOf(input))
  return { errors, inputs: [...inputs], manifest, bundle: bundle! }
}

/** An effect is named by its export, so one Program cannot have two of a name. */
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

const assemble = (
  files: SourceFiles,
  sdk: SdkModule,
  path: string,
  description: ModuleDescription | undefined,
  parts: readonly Part[],
  effectsByKey: EffectsByKey,
): CompiledFile => {
  const errors: SourceError[] = []
  const inputs = new Set([path, ...(description?.inputs ?? [])])
  const programs: CompiledProgram[] = []
  const failedIds: string[] = []
  if (meansPrograms(files, path)) {
    const reading = files.read(path)
    if (reading?.ok === false) errors.push(...reading.errors)
    errors.push(...(description?.errors ?? []))
    for (const one of description?.programs ?? []) {
      if (one.kind === 'fault') errors.push(exportError(files, one, one.message))
    }
  }
  for (const { described, bundle, errors: own } of parts) {
    for (const input of bundle === undefined ? [] : reachableFrom(bundle.inputs, path)) inputs.add(input)
    const effects = bundle && effectsByKey.get(JSON.stringify(modulesOf(bundle)))
    effects?.inputs.forEach((input) => inputs.add(input))
    const all = [...own, ...(effects?.errors ?? [])]
    errors.push(...all)
    if (bundle === undefined || all.length > 0) failedIds.push(described.id)
    else programs.push(compiledProgram(files, sdk, described, bundle, effects))
  }
  const names = new Set([...inputs].filter((name) => !isMadeUp(name)).map(inputBehind))
  for (const error of errors) names.add(error.path)
  return { path, programs, failedIds, errors: sortedErrors(errors), inputs: [...names].toSorted(compareText) }
}

/** A module that only supports Programs may be anywhere, and what it does is its own affair. */
const meansPrograms = (files: SourceFiles, path: string): boolean =>
  files.text(path)?.includes('defineProgram') === true

const compiledProgram = (
  files: SourceFiles,
  sdk: SdkModule,
  described: Described,
  bundle: ProgramBundle,
  effects: Effects | undefined,
): CompiledProgram => {
  const { id, path, exportName, description, inputSchema, events } = described
  const facts = files.facts(path)
  const own = facts?.exports.find((one) => one.kind !== 'all' && one.name === exportName)
  return {
    id,
    path,
    exportName,
    place: facts === undefined ? { path, line: 1, column: 1 } : placeOfExport(facts, exportName),
    isReexported: own?.kind === 'from',
    artifact: {
      format: 'wes.program/1',
      id,
      ...(description !== undefined && { description }),
      sdk: sdk.version,
      program: {
        code: withSourceNames(restoreNames(bundle.code)),
        sourceMap: mapText(files, bundle.map),
      },
      manifest: {
        ...(inputSchema !== undefined && { inputSchema }),
        ...(events.length > 0 && {
          events: events.map(({ name, payloadSchema }) => ({
            name,
            ...(payloadSchema !== undefined && { payloadSchema }),
          })),
        }),
        ...(effects !== undefined && { effects: effects.manifest }),
      },
      ...(effects?.bundle !== undefined && {
        effects: { code: effects.bundle.code, sourceMap: mapText(files, effects.bundle.map) },
      }),
    },
  }
}

const mapText = (files: SourceFiles, map: RawSourceMap): string =>
  JSON.stringify(storedSourceMap(map, sourceNameOf, (name) => files.text(name)))

/** The comments that say where code came from. They stand alone on their lines, so no position changes. */
const withSourceNames = (code: string): string =>
  code.replaceAll(
    new RegExp(`^( *// )(${SLICE}.*)$`, 'gm'),
    (_, start: string, name: string) => start + sourceNameOf(name),
  )

const exportError = (
  files: SourceFiles,
  { path, exportName }: { readonly path: string; readonly exportName: string },
  text: string,
): SourceError => {
  const facts = files.facts(path)
  const source = files.text(path)
  return sourceError(
    facts === undefined ? { path, line: 1, column: 1 } : placeOfExport(facts, exportName),
    text,
    source,
  )
}

const placeOfExport = (facts: ModuleFacts, exportName: string) => {
  const one = facts.exports.find((candidate) => candidate.kind !== 'all' && candidate.name === exportName)
  const value = facts.values.get((one?.kind === 'local' ? one.local : undefined) ?? exportName)
  const node = value === undefined ? undefined : withoutTypes(value)
  // Of a definition, what it says of itself.
  const options = node?.type === 'CallExpression' && definerOf(node, facts.imports) ? node.arguments[0] : undefined
  return placeOf(facts.path, facts.text, (options ?? node)?.start ?? 0)
}

const effectSlice = (files: SourceFiles, name: string): Blanked | undefined => {
  const facts = files.facts(name)
  if (facts === undefined) return undefined
  const names = facts.exports.flatMap((one) => {
    if (one.kind === 'all') return []
    const value = one.kind === 'local' && one.local !== undefined ? facts.values.get(one.local) : undefined
    return one.kind === 'from' || (value && definerOf(withoutTypes(value), facts.imports) === 'defineEffect')
      ? [one.name]
      : []
  })
  return describingSlice(facts, names)
}
