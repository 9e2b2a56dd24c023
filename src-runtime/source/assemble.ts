// Combines the compiled parts of a module.

import type { Checked } from './check-program.ts'
import type { ProgramBundle } from './bundle-programs.ts'
import { sourceNameOf, type Definition } from './bundling.ts'
import { effectsKey, type Effects, type EffectsByKey } from './compile-effects.ts'
import { reachableFrom, type ModuleDescription } from './describe.ts'
import type { DescribedProgram } from './evaluator.ts'
import { exportError, placeOfExport } from './export-error.ts'
import { bareProgram, commonJsExports, unexportedPrograms } from './find-programs.ts'
import { restoreNames } from './forbidden-names.ts'
import type { Warnings } from './warnings.ts'
import { mendLoops } from './mend-loops.ts'
import { mendParameters } from './mend-parameters.ts'
import { mendPatterns } from './mend-patterns.ts'
import { exportNamed, SDK, type ModuleFacts, type Range } from './module-facts.ts'
import { metadataWarnings } from './find-unsupported.ts'
import type { SdkModule } from './sdk-module.ts'
import { compareText, placeOf, sortedErrors, sourceError, startOf, type SourceError } from './source-error.ts'
import { inputBehind, isDependency, type SourceFiles } from './source-files.ts'
import { isMadeUp, nameOfUrl, storedSourceMap, type RawSourceMap } from './source-map.ts'
import type { CompiledFile, CompiledProgram } from './source.ts'
import { CONVERTERS } from './to-json-schema.ts'

export type Described = DescribedProgram & { readonly kind: 'program' }

/** A definition that is being compiled. */
export type Part = {
  readonly described: Described
  /** Undefined if bundling failed. */
  readonly bundle?: ProgramBundle
} & Checked

const isOwnText = (name: string): boolean => !isDependency(name) && /\.(?:[cm]?[jt]sx?|json)$/.test(name)

export const assemble = (
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
  let isOpen = description?.isOpen === true
  const reading = files.read(path)
  if (reading?.ok === false && files.faultOf(path) === undefined) errors.push(...reading.errors)
  const found = description?.errors ?? []
  const isSure = definesPrograms(files.text(path) ?? '', found)
  if (isSure) errors.push(...found, ...(reading?.ok === true ? unexportedErrors(reading.facts) : []))
  for (const one of description?.programs ?? []) {
    if (one.kind === 'program' || (!isSure && isReexport(files, one))) continue
    errors.push(exportError(files, one, one.kind === 'fault' ? one.message : noConverter(one.vendor)))
  }
  for (const { described, bundle, errors: own, warnings } of parts) {
    for (const input of bundle === undefined ? [] : reachableFrom(files, bundle.inputs, path)) inputs.add(input)
    const effects = bundle && effectsByKey.get(effectsKey(bundle))
    effects?.inputs.forEach((input) => inputs.add(input))
    const all = [...own, ...(effects?.errors ?? [])]
    isOpen ||= bundle === undefined || effects?.isOpen === true
    errors.push(...all)
    if (bundle === undefined || all.length > 0) failedIds.push(described.id)
    else programs.push(compiledProgram(files, sdk, described, bundle, effects, warnings))
  }
  const names = new Set([...inputs].filter((name) => !isMadeUp(name)).map(inputBehind))
  for (const name of names) {
    const fault = name === path || isOwnText(name) ? files.faultOf(name) : undefined
    if (fault === undefined) continue
    errors.push(sourceError(startOf(name), fault, undefined))
    isOpen ||= name === path // permissions may change without a new stamp
  }
  for (const error of errors) {
    names.add(error.path)
    for (const name of error.wanted ?? []) names.add(name)
  }
  return {
    path,
    programs,
    failedIds,
    errors: sortedErrors(errors),
    doubts: isSure ? [] : found,
    warnings: reading?.ok === true ? bareProgramWarnings(reading.facts) : [],
    inputs: [...names].toSorted(compareText),
    isOpen,
  }
}

/** The name may be misspelt. Only where the package is imported: others may have similar names. */
const definesPrograms = (text: string, errors: readonly SourceError[]): boolean =>
  text.includes('defineProgram') ||
  (text.includes(SDK) && (/defineprogram/i.test(text) || errors.some(({ message }) => MISSPELT.test(message))))

const MISSPELT = new RegExp(`${SDK} has no export "d\\w*pr`, 'i')

const unexportedErrors = (facts: ModuleFacts): readonly SourceError[] => {
  const errorAt = ({ start }: Range, message: string, marked: string) =>
    sourceError(placeOf(facts.path, facts.text, start), message, facts.text, marked.length)
  return [
    ...unexportedPrograms(facts).map((at) =>
      errorAt(at, `this Program is not exported: ${HOW_TO_EXPORT}`, 'defineProgram'),
    ),
    ...commonJsExports(facts).map((at) =>
      errorAt(at, `Programs in exports of CommonJS are not found: ${HOW_TO_EXPORT}`, 'export'),
    ),
  ]
}

const bareProgramWarnings = (facts: ModuleFacts): readonly SourceError[] => {
  const found = bareProgram(facts)
  if (found === undefined) return []
  const text =
    'an object with id and run is no Program, so it is not deployed: export default defineProgram({ id }, run)'
  return [sourceError(placeOf(facts.path, facts.text, found.start), text, facts.text)]
}

const noConverter = (vendor: string): string =>
  `schemas of ${vendor} cannot be converted to JSON Schema: install ${CONVERTERS[vendor]?.package} in the project`

const HOW_TO_EXPORT = 'use `export default`, or export it by name'

const isReexport = (files: SourceFiles, { path, exportName }: Definition): boolean =>
  exportNamed(files.facts(path), exportName)?.kind !== 'local'

const compiledProgram = (
  files: SourceFiles,
  sdk: SdkModule,
  described: Described,
  bundle: ProgramBundle,
  effects: Effects | undefined,
  warnings: Warnings,
): CompiledProgram => {
  const { id, path, exportName, description, inputSchema, events } = described
  const { code, map } = mendPatterns(mendParameters(mendLoops({ ...bundle, code: restoreNames(bundle.code) })))
  return {
    id,
    path,
    exportName,
    place: placeOfExport(files, described),
    isReexported: isReexport(files, described),
    warnings: {
      ...warnings,
      doubtful: [
        ...warnings.doubtful,
        ...metadataWarnings(files, bundle.code, [...bundle.used].map(sourceNameOf)),
        ...(effects?.bundle?.doubtful ?? []),
      ],
    },
    artifact: {
      format: 'wes.program/1',
      id,
      ...(description !== undefined && { description }),
      sdk: sdk.version,
      program: {
        code: withSourceNames(code),
        sourceMap: mapText(map, (name) => files.text(name)),
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
        effects: {
          code: effects.bundle.code,
          sourceMap: mapText(effects.bundle.map, (url) => files.text(nameOfUrl(url))),
        },
      }),
    },
  }
}

const mapText = (map: RawSourceMap, textOf: (source: string) => string | undefined): string =>
  JSON.stringify(storedSourceMap(map, textOf))

/** Replaces names in the comments that say where code came from. They have their own lines, so no position changes. */
const withSourceNames = (code: string): string =>
  code.replaceAll(/^( *\/\/ )(.*\?wes-slice:.*)$/gm, (_, start: string, name: string) => start + sourceNameOf(name))
