// Evaluates the options of definitions for the manifest. That is the slow part of a build, and most saves change
// functions only, so results are cached until a module that they depend on changes.

import type { Metafile } from 'esbuild'
import { forgetOldest } from '../shared/forget-oldest.ts'
import { within } from '../shared/within.ts'
import { createYield } from '../shared/yield-to-event-loop.ts'
import type { Blanked } from './blank.ts'
import { bundleDefinitions, type DefinitionKind, type DefinitionsBundle, type Slices } from './bundle-definitions.ts'
import { keysFrom, sourceNameOf } from './bundling.ts'
import { bundlerErrors } from './bundler-errors.ts'
import type { Described, DescribedEffect, DescribedProgram, Evaluation, Evaluator } from './evaluator.ts'
import { createLateEvaluations, WAITED_FOR_MS } from './late-evaluations.ts'
import { packageLinksOf } from './package-links.ts'
import type { SdkModule } from './sdk-module.ts'
import { fileError, sourceError, startOf, type Place, type SourceError } from './source-error.ts'
import { stampOf, statOf } from '../shared/stat-of.ts'
import { inputBehind, mayHaveChangedSince, type SourceFiles } from './source-files.ts'
import { createSourceOf, isMadeUp, type RawSourceMap } from './source-map.ts'
import { isStale, type StampNow, type Stamps } from './stamps.ts'

export type ModuleDescription = {
  readonly programs: readonly DescribedProgram[]
  readonly effects: readonly DescribedEffect[]
  readonly errors: readonly SourceError[]
  /** The modules that it depends on. */
  readonly inputs: readonly string[]
  /** Describing failed before all modules were known, or has not ended. */
  readonly isOpen: boolean
}

/** Describes parts of Program modules or effect modules, by module name. */
export type Describe = (kind: DefinitionKind, slices: Slices) => Promise<ReadonlyMap<string, ModuleDescription>>

type Entry = {
  readonly rest: string
  readonly stamps: Stamps
  readonly description: ModuleDescription
}

const KEPT = 5_000
/** How much longer others wait for an evaluation for each module that is evaluated with the first. */
const WAITED_FOR_EACH_MS = 50

/** `onLateEnded`: definitions that took long have been evaluated. Without it, all are waited for. */
export const createDescribe = (
  files: SourceFiles,
  sdk: SdkModule,
  evaluator: Evaluator,
  onLateEnded?: () => void,
): Describe => {
  const late = createLateEvaluations(evaluator, onLateEnded)
  const kept = new Map<string, Entry>()
  /** Vendors of the schemas that the project uses. */
  const converters = new Set<string>()

  const stampNow: StampNow = (name) => stampOf(files.fileOf(name))

  /** A slow one delays the others only until each is evaluated alone. */
  const evaluateTogether = async (count: number, code: string): Promise<Evaluation> => {
    if (onLateEnded === undefined) return evaluator.evaluate(code)
    const controller = new AbortController()
    const evaluating = evaluator.evaluate(code, controller.signal)
    const soon = await within(WAITED_FOR_MS + count * WAITED_FOR_EACH_MS, evaluating)
    controller.abort()
    return soon ?? evaluating
  }

  /** Whether all are to be described again, with converters that they need. One that was bundled before is not installed. */
  const needsConverters = (programs: readonly DescribedProgram[]): boolean => {
    const before = converters.size
    for (const one of programs) if (one.kind === 'converter_needed') converters.add(one.vendor)
    return converters.size > before
  }

  const bundle = (kind: DefinitionKind, slices: Slices): Promise<DefinitionsBundle> =>
    bundleDefinitions(files, sdk, kind, slices, converters)

  const describeOne = async (kind: DefinitionKind, name: string, slice: Blanked): Promise<ModuleDescription> => {
    const bundled = await bundle(kind, new Map([[name, slice]]))
    if (!bundled.ok) {
      return descriptionOf(files, name, {}, { errors: bundlerErrors(files, bundled.errors), isOpen: true })
    }
    const evaluation = await late.evaluate(`${kind} ${name}`, bundled.code)
    switch (evaluation.kind) {
      case 'late':
        return descriptionOf(files, name, bundled.inputs, { errors: [lateError(files, name)], isOpen: true })
      case 'described': {
        const { programs, effects } = evaluation.described
        if (needsConverters(programs)) return describeOne(kind, name, slice)
        return descriptionOf(files, name, bundled.inputs, { programs, effects })
      }
      default:
        return descriptionOf(files, name, bundled.inputs, {
          errors: [thrownError(files, name, evaluation, bundled.map)],
        })
    }
  }

  /** In one bundle; if one of them is at fault or slow, one by one. */
  const describeMany = async (kind: DefinitionKind, slices: Slices): Promise<Map<string, ModuleDescription>> => {
    const bundled = slices.size > 1 ? await bundle(kind, slices) : undefined
    if (bundled?.ok === true) {
      const evaluation = await evaluateTogether(slices.size, bundled.code)
      if (evaluation.kind === 'described') {
        const { described } = evaluation
        if (needsConverters(described.programs)) return describeMany(kind, slices)
        return perModule(files, slices.keys(), described, bundled.inputs)
      }
    }
    const parts = new Map<string, ModuleDescription>()
    for (const [name, slice] of slices) parts.set(name, await describeOne(kind, name, slice))
    return parts
  }

  /** Those that were late do not delay the others again. */
  const describeAll = async (kind: DefinitionKind, slices: Slices): Promise<Map<string, ModuleDescription>> => {
    const isLate = ([name]: readonly [string, Blanked]): boolean => late.isLate(`${kind} ${name}`)
    const { slow = [], quick = [] } = Object.groupBy(slices, (one) => (isLate(one) ? 'slow' : 'quick'))
    const parts = await describeMany(kind, new Map(quick))
    for (const [name, slice] of slow) parts.set(name, await describeOne(kind, name, slice))
    return parts
  }

  return async (kind, slices) => {
    const found = new Map<string, ModuleDescription>()
    const wanted = new Map<string, Blanked>()
    for (const [name, slice] of slices) {
      const entry = kept.get(`${kind} ${name}`)
      if (entry?.rest === slice.rest && !isStale(entry.stamps, stampNow)) found.set(name, entry.description)
      else wanted.set(name, slice)
    }
    if (wanted.size === 0) return found
    const from = Date.now()
    for (const [name, description] of await describeAll(kind, wanted)) {
      found.set(name, description)
      kept.delete(`${kind} ${name}`)
      const others = description.inputs.filter((input) => input !== name)
      if (
        description.isOpen ||
        description.errors.length > 0 ||
        others.some((input) => mayHaveChangedSince(statOf(files.fileOf(input)), from))
      )
        continue
      const stamps = new Map(description.inputs.map(inputBehind).map((input) => [input, stampNow(input)]))
      stamps.delete(name)
      kept.set(`${kind} ${name}`, { rest: wanted.get(name)!.rest, stamps, description })
      forgetOldest(kept, KEPT)
    }
    return found
  }
}

const perModule = async (
  files: SourceFiles,
  names: Iterable<string>,
  described: Described,
  inputs: Metafile['inputs'],
): Promise<Map<string, ModuleDescription>> => {
  const yieldToEventLoop = createYield()
  const programs = Map.groupBy(described.programs, ({ path }) => path)
  const effects = Map.groupBy(described.effects, ({ path }) => path)
  const descriptions = new Map<string, ModuleDescription>()
  for (const name of names) {
    await yieldToEventLoop()
    const own = { programs: programs.get(name) ?? [], effects: effects.get(name) ?? [] }
    descriptions.set(name, descriptionOf(files, name, inputs, own))
  }
  return descriptions
}

/** `bundled`: what the bundle was made of, if it was made. */
const descriptionOf = (
  files: SourceFiles,
  name: string,
  bundled: Metafile['inputs'],
  found: Partial<Omit<ModuleDescription, 'inputs'>>,
): ModuleDescription => ({
  ...{ programs: [], effects: [], errors: [] },
  // Installing the converter changes no input.
  isOpen: found.programs?.some(({ kind }) => kind === 'converter_needed') === true,
  ...found,
  inputs: reachableFrom(files, bundled, name),
})

const lateError = (files: SourceFiles, name: string): SourceError =>
  fileError(
    files,
    name,
    `evaluating its definitions takes longer than ${WAITED_FOR_MS / 1_000} s: until it has ended, its Programs stay as they were`,
  )

/** The names of the files that a module of a bundle needs, including its own, and of those by which links name packages. */
export const reachableFrom = (files: SourceFiles, inputs: Metafile['inputs'], name: string): readonly string[] => {
  const own = Object.keys(inputs).filter((key) => sourceNameOf(key) === name)
  const seen = keysFrom(inputs, own)
  const links = [...seen].flatMap((key) => packageLinksOf(files, inputs, key))
  return [...new Set([...[...seen].map(sourceNameOf), ...links])].filter((found) => !isMadeUp(found))
}

const FRAME = /describe\.js:(\d+):(\d+)/g

const thrownError = (
  files: SourceFiles,
  name: string,
  evaluation: Exclude<Evaluation, { kind: 'described' }>,
  map: RawSourceMap,
): SourceError => {
  if (evaluation.kind === 'lost') {
    return fileError(files, name, `evaluating its definitions failed: ${evaluation.message}`)
  }
  const place = placeInStack(evaluation.stack ?? '', map) ?? startOf(name)
  const text = `${evaluation.name}: ${evaluation.message} (thrown while the module was evaluated)`
  return sourceError(place, text, files.text(place.path))
}

/** The innermost frame in the project's own code, or else the innermost with a source. */
const placeInStack = (stack: string, map: RawSourceMap): Place | undefined => {
  const sourceOf = createSourceOf(map)
  const places = [...stack.matchAll(FRAME)].flatMap(([, line, column]) => sourceOf(Number(line), Number(column)) ?? [])
  return places.find(({ path }) => !path.includes('node_modules/') && !isMadeUp(path)) ?? places[0]
}
