// Evaluates the options of definitions for the manifest. That is the slow part of a build, and most saves change
// functions only, so results are cached until a module that they depend on changes.

import type { Metafile } from 'esbuild'
import { originalPositionFor, TraceMap } from '@jridgewell/trace-mapping'
import { forgetOldest } from '../shared/forget-oldest.ts'
import { within } from '../shared/within.ts'
import { createYield } from '../shared/yield-to-event-loop.ts'
import type { Blanked } from './blank.ts'
import { bundleDefinitions, type SliceOf, type Slices } from './bundle-definitions.ts'
import { sourceNameOf } from './bundling.ts'
import { bundlerErrors } from './bundler-errors.ts'
import type { Described, DescribedEffect, DescribedProgram } from './describe-modules.ts'
import type { Evaluation, Evaluator } from './evaluator.ts'
import { createLateEvaluations, WAITED_FOR_MS } from './late-evaluations.ts'
import { packageLinksOf } from './package-links.ts'
import type { SdkModule } from './sdk-module.ts'
import { sourceError, type Place, type SourceError } from './source-error.ts'
import { stampOf, type Stamp } from '../shared/stat-of.ts'
import { inputBehind, mayHaveChangedSince, type SourceFiles } from './source-files.ts'
import { isMadeUp, type RawSourceMap } from './source-map.ts'

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
export type Describe = (kind: 'programs' | 'effects', slices: Slices) => Promise<ReadonlyMap<string, ModuleDescription>>

type Entry = {
  readonly rest: string
  readonly stamps: ReadonlyMap<string, Stamp>
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
  effectSliceOf: SliceOf,
  onLateEnded?: () => void,
): Describe => {
  const late = createLateEvaluations(evaluator, onLateEnded)
  const kept = new Map<string, Entry>()
  /** Vendors of the schemas that the project uses. */
  const converters = new Set<string>()

  const isFresh = ({ stamps }: Entry): boolean => {
    for (const [name, stamp] of stamps) if (stampOf(files.fileOf(name)) !== stamp) return false
    return true
  }

  /** A slow one delays the others only until each is evaluated alone. */
  const evaluateTogether = async (count: number, code: string): Promise<Evaluation> => {
    if (onLateEnded === undefined) return evaluator.evaluate(code)
    const controller = new AbortController()
    const evaluating = evaluator.evaluate(code, controller.signal)
    const soon = await within(WAITED_FOR_MS + count * WAITED_FOR_EACH_MS, evaluating)
    controller.abort()
    return soon ?? evaluating
  }

  /** Those that were late do not delay the others again. */
  const evaluateAll = async (
    kind: 'programs' | 'effects',
    slices: Slices,
  ): Promise<ReadonlyMap<string, ModuleDescription>> => {
    const isLate = ([name]: readonly [string, Blanked]): boolean => late.isLate(`${kind} ${name}`)
    const { slow = [], quick = [] } = Object.groupBy(slices, (one) => (isLate(one) ? 'slow' : 'quick'))
    const parts = quick.length === 0 ? new Map<string, ModuleDescription>() : await evaluate(kind, new Map(quick))
    for (const one of slow) for (const [name, part] of await evaluate(kind, new Map([one]))) parts.set(name, part)
    return parts
  }

  const evaluate = async (kind: 'programs' | 'effects', slices: Slices): Promise<Map<string, ModuleDescription>> => {
    const none: Slices = new Map()
    const bundle = await bundleDefinitions(
      files,
      sdk,
      kind === 'programs' ? slices : none,
      kind === 'effects' ? slices : none,
      converters,
      effectSliceOf,
    )
    if (bundle.ok) {
      const [name = ''] = slices.keys()
      const evaluation =
        slices.size === 1
          ? await late.evaluate(`${kind} ${name}`, bundle.code)
          : await evaluateTogether(slices.size, bundle.code)
      if (evaluation.kind === 'late') return atFault(files, slices, [lateError(files, name)], bundle.inputs, true)
      if (evaluation.kind === 'described') {
        const { described } = evaluation
        const needed = described.programs.flatMap((one) => (one.kind === 'converter_needed' ? [one.vendor] : []))
        if (needed.length === 0) return perModule(files, slices, described, bundle.inputs)
        needed.forEach((vendor) => converters.add(vendor))
        return evaluate(kind, slices)
      }
      if (slices.size === 1)
        return atFault(files, slices, [thrownError(files, slices, evaluation, bundle.map)], bundle.inputs)
    } else if (slices.size === 1) {
      return atFault(files, slices, bundlerErrors(files, bundle.errors), undefined)
    }
    const parts = new Map<string, ModuleDescription>()
    for (const [name, slice] of slices) {
      for (const [key, part] of await evaluate(kind, new Map([[name, slice]]))) parts.set(key, part)
    }
    return parts
  }

  return async (kind, slices) => {
    const found = new Map<string, ModuleDescription>()
    const wanted = new Map<string, Blanked>()
    for (const [name, slice] of slices) {
      const entry = kept.get(`${kind} ${name}`)
      if (entry?.rest === slice.rest && isFresh(entry)) found.set(name, entry.description)
      else wanted.set(name, slice)
    }
    if (wanted.size === 0) return found
    const from = Date.now()
    for (const [name, description] of await evaluateAll(kind, wanted)) {
      found.set(name, description)
      kept.delete(`${kind} ${name}`)
      const others = description.inputs.filter((input) => input !== name)
      if (description.errors.length > 0 || others.some((input) => mayHaveChangedSince(files.fileOf(input), from)))
        continue
      const stamps = new Map(description.inputs.map(inputBehind).map((input) => [input, stampOf(files.fileOf(input))]))
      stamps.delete(name)
      kept.set(`${kind} ${name}`, { rest: wanted.get(name)!.rest, stamps, description })
      forgetOldest(kept, KEPT)
    }
    return found
  }
}

const perModule = async (
  files: SourceFiles,
  slices: Slices,
  described: Described,
  inputs: Metafile['inputs'],
): Promise<Map<string, ModuleDescription>> => {
  const yieldToEventLoop = createYield()
  const programs = Map.groupBy(described.programs, ({ path }) => path)
  const effects = Map.groupBy(described.effects, ({ path }) => path)
  const descriptions = new Map<string, ModuleDescription>()
  for (const name of slices.keys()) {
    await yieldToEventLoop()
    descriptions.set(name, {
      programs: programs.get(name) ?? [],
      effects: effects.get(name) ?? [],
      errors: [],
      inputs: reachableFrom(files, inputs, name),
      isOpen: false,
    })
  }
  return descriptions
}

/** `inputs` is undefined if bundling failed. */
const atFault = (
  files: SourceFiles,
  slices: Slices,
  errors: readonly SourceError[],
  inputs: Metafile['inputs'] | undefined,
  isOpen = inputs === undefined,
): Map<string, ModuleDescription> =>
  new Map(
    [...slices.keys()].map((name) => [
      name,
      { programs: [], effects: [], errors, inputs: reachableFrom(files, inputs ?? {}, name), isOpen },
    ]),
  )

const lateError = (files: SourceFiles, name: string): SourceError =>
  sourceError(
    { path: name, line: 1, column: 1 },
    `evaluating its definitions takes longer than ${WAITED_FOR_MS / 1_000} s: until it has ended, its Programs stay as they were`,
    files.text(name),
  )

/** The names of the files that a module of a bundle needs, including its own, and of those by which links name packages. */
export const reachableFrom = (files: SourceFiles, inputs: Metafile['inputs'], name: string): readonly string[] => {
  const queue = Object.keys(inputs).filter((key) => sourceNameOf(key) === name)
  const seen = new Set(queue)
  for (let key = queue.pop(); key !== undefined; key = queue.pop()) {
    for (const { path, external } of inputs[key]?.imports ?? []) {
      if (external === true || seen.has(path)) continue
      seen.add(path)
      queue.push(path)
    }
  }
  const links = [...seen].flatMap((key) => packageLinksOf(files, inputs, key))
  return [...new Set([...[...seen].map(sourceNameOf), ...links])].filter((found) => !isMadeUp(found))
}

const FRAME = /describe\.js:(\d+):(\d+)/

const thrownError = (
  files: SourceFiles,
  slices: Slices,
  evaluation: Exclude<Evaluation, { kind: 'described' }>,
  map: RawSourceMap,
): SourceError => {
  const [name = ''] = slices.keys()
  if (evaluation.kind === 'lost') {
    return sourceError(
      { path: name, line: 1, column: 1 },
      `evaluating its definitions failed: ${evaluation.message}`,
      files.text(name),
    )
  }
  const place = placeInStack(evaluation.stack ?? '', map) ?? { path: name, line: 1, column: 1 }
  const text = `${evaluation.name}: ${evaluation.message} (thrown while the module was evaluated)`
  return sourceError(place, text, files.text(place.path))
}

/** The innermost frame in the project's own code, or else the innermost with a source. */
const placeInStack = (stack: string, map: RawSourceMap): Place | undefined => {
  const traceMap = new TraceMap(map)
  const places = stack.split('\n').flatMap((line): readonly Place[] => {
    const at = FRAME.exec(line)
    if (at === null) return []
    const found = originalPositionFor(traceMap, { line: Number(at[1]), column: Number(at[2]) - 1 })
    return found.source === null
      ? []
      : [{ path: sourceNameOf(found.source), line: found.line, column: found.column + 1 }]
  })
  return places.find(({ path }) => !path.includes('node_modules/') && !isMadeUp(path)) ?? places[0]
}
