// Compiles modules of a project to artifacts: finds the definitions, evaluates their options, bundles their code,
// refuses what would not replay, and bundles their effects.

import { nodeFork, type Fork } from '../shared/fork.ts'
import { remembered } from '../shared/remembered.ts'
import { assemble, type Described, type Part } from './assemble.ts'
import { createYield } from '../shared/yield-to-event-loop.ts'
import type { Blanked } from './blank.ts'
import type { Slices } from './bundle-definitions.ts'
import { bundlePrograms } from './bundle-programs.ts'
import type { PackagesOf } from './bundle-effects.ts'
import { bundleEach, type BundlingFailed, type Definition } from './bundling.ts'
import { bundlerErrors } from './bundler-errors.ts'
import { checkProgram } from './check-program.ts'
import { compileEffects } from './compile-effects.ts'
import { createDescribe, type Describe, type ModuleDescription } from './describe.ts'
import { createEvaluator, forkEvaluatorWith, type Evaluator } from './evaluator.ts'
import { candidatesOf, ELSEWHERE, mayListPrograms } from './find-programs.ts'
import { chainText } from './import-chain.ts'
import { exportNamed } from './module-facts.ts'
import { loadSdk, type SdkModule } from './sdk-module.ts'
import { describingSlice } from './slice-module.ts'
import { createSourceFiles, type SourceFiles } from './source-files.ts'
import type { CompiledFile } from './source.ts'
import { NO_WARNINGS } from './warnings.ts'

export type Compiler = {
  /** Compiles modules by their paths in the project. Returns one result for each, in order. Rejects when it is stopped. */
  compile(paths: readonly string[]): Promise<readonly CompiledFile[]>
  readonly files: SourceFiles
  readonly evaluator: Evaluator
  /** Whether definitions or the config are being evaluated. Between scans: in the background. */
  isEvaluating(): boolean
  stop(): void
}

export type CompilerOptions = {
  readonly folder: string
  /** The caller stops it. Without it the compiler creates its own. */
  readonly evaluator?: Evaluator
  readonly fork?: Fork
  /** Default: effects import packages from the project folder. */
  readonly packages?: PackagesOf
  /** Definitions that took long have been evaluated, so that a module may compile. Without it, all are waited for. */
  readonly onLateEnded?: () => void
}

/** Modules that are described together share one bundled copy of a schema library. */
const DESCRIBED_AT_ONCE = 250
/** The work between two calls of the bundler blocks the event loop. */
const BUNDLED_AT_ONCE = 40

const chunks = <Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size))

export const createCompiler = ({
  folder,
  evaluator: shared,
  fork = nodeFork,
  packages = 'folder',
  onLateEnded,
}: CompilerOptions): Compiler => {
  const files = createSourceFiles(folder)
  const own = shared ?? createEvaluator(forkEvaluatorWith(fork))
  let running = 0
  const evaluate: Evaluator['evaluate'] = (...given) => {
    running += 1
    return own.evaluate(...given).finally(() => (running -= 1))
  }
  const evaluator: Evaluator = { ...own, evaluate }
  let describe: Describe | undefined
  let stopped = false
  return {
    files,
    evaluator,
    isEvaluating: () => running > 0,
    compile: async (paths) => {
      const sdk = await loadSdk()
      describe ??= createDescribe(files, sdk, evaluator, onLateEnded)
      const compiled: CompiledFile[] = []
      for (const many of chunks(paths, DESCRIBED_AT_ONCE)) {
        const descriptions = onlyCandidates(files, await describe('programs', await slicesOf(files, many)))
        for (const few of chunks(many, BUNDLED_AT_ONCE)) {
          if (stopped) throw new Error('nothing more is compiled')
          compiled.push(...(await compileBatch(files, sdk, describe, packages, descriptions, few)))
        }
      }
      return compiled
    },
    stop: () => {
      stopped = true
      if (shared === undefined) own.stop()
    },
  }
}

const compileBatch = async (
  files: SourceFiles,
  sdk: SdkModule,
  describe: Describe,
  packages: PackagesOf,
  descriptions: ReadonlyMap<string, ModuleDescription>,
  paths: readonly string[],
): Promise<readonly CompiledFile[]> => {
  const definitions = paths.flatMap(
    (path) => descriptions.get(path)?.programs.filter((one): one is Described => one.kind === 'program') ?? [],
  )
  const outcomes = await bundleEach(definitions, (some) => bundlePrograms(files, sdk, some))
  const yieldToEventLoop = createYield()
  const parts: Part[] = []
  for (const [index, described] of definitions.entries()) {
    await yieldToEventLoop()
    const outcome = outcomes[index]!
    parts.push(
      outcome.ok
        ? {
            described,
            bundle: outcome.bundle,
            ...checkProgram(
              files,
              outcome.bundle,
              described.events.map(({ name }) => name),
            ),
          }
        : { described, errors: errorsOf(files, described, outcome), warnings: NO_WARNINGS },
    )
  }
  const effects = await compileEffects(
    files,
    sdk,
    describe,
    packages,
    parts.flatMap(({ bundle }) => bundle ?? []),
  )
  const compiled: CompiledFile[] = []
  // Modules share files.
  const checked = { ...files, faultOf: remembered(files.faultOf) }
  for (const path of paths) {
    await yieldToEventLoop()
    const own = parts.filter(({ described }) => described.path === path)
    compiled.push(assemble(checked, sdk, path, descriptions.get(path), own, effects))
  }
  return compiled
}

const errorsOf = (files: SourceFiles, definition: Definition, { errors, inputs = {} }: BundlingFailed) =>
  bundlerErrors(files, errors, (path) => chainText({ definition, inputs }, path))

const slicesOf = async (files: SourceFiles, paths: readonly string[]): Promise<Slices> => {
  const slices = new Map<string, Blanked>()
  const yieldToEventLoop = createYield()
  for (const path of paths) {
    await yieldToEventLoop()
    const facts = files.facts(path)
    const names = facts === undefined ? [] : candidatesOf(facts)
    if (facts !== undefined && names.length > 0) slices.set(path, describingSlice(facts, names))
  }
  return slices
}

/** Keeps one name of a definition that is exported under two, and of lists those with definitions of the module itself. */
const onlyCandidates = (
  files: SourceFiles,
  descriptions: ReadonlyMap<string, ModuleDescription>,
): ReadonlyMap<string, ModuleDescription> =>
  new Map(
    [...descriptions].map(([path, description]) => {
      const facts = files.facts(path)
      const names = facts === undefined ? [] : candidatesOf(facts)
      const programs = description.programs.filter(
        (one) =>
          names.includes(exportNamed(facts, one.exportName) === undefined ? ELSEWHERE : one.exportName) &&
          !(one.kind === 'fault' && one.isList === true && facts && !mayListPrograms(facts, one.exportName)),
      )
      return [path, { ...description, programs }]
    }),
  )
