// Finds forbidden code in a bundled Program, as errors with positions in the sources.

import { notAvailable } from '../shared/missing-globals.ts'
import { sourceNameOf } from './bundling.ts'
import type { ProgramBundle } from './bundle-programs.ts'
import { findContextCalls } from './find-context-calls.ts'
import { findEarlyReads } from './find-early-reads.ts'
import { findJsxCalls } from './find-jsx-calls.ts'
import { findUses, type Use } from './find-uses.ts'
import { alternativeToModule } from './forbidden-names.ts'
import { chainText } from './import-chain.ts'
import { parse } from './parse.ts'
import { NO_WARNINGS, type Lacking, type Warnings } from './warnings.ts'
import { compareText, placeOf, sourceError, type Place, type SourceError } from './source-error.ts'
import { isDependency, packageOf, type SourceFiles } from './source-files.ts'
import { createSourceOf, isMadeUp, type RawSourceMap } from './source-map.ts'

export type Checked = { readonly errors: readonly SourceError[]; readonly warnings: Warnings }

/** `events`: the names of those that the Program declares. */
export const checkProgram = (files: SourceFiles, bundle: ProgramBundle, events: readonly string[]): Checked => {
  const errors = ownImportCalls(files, bundle)
  const placeAt = createPlaceAt(bundle.code, bundle.map)
  const uses = [
    ...findUses(bundle.code, bundle.used),
    ...findContextCalls(bundle, events),
    ...findEarlyReads(bundle),
    ...findJsxCalls(bundle, (offset) => lineAt(files, placeAt(offset))),
  ]
  const packages = new Map([...bundle.used].map((key) => [packageOf(sourceNameOf(key)), sourceNameOf(key)]))
  const clients = HTTP_CLIENTS.filter((name) => packages.has(name))
  const withoutNetwork = clients.map(
    (name) =>
      `${name} sends requests, and a Program has no network: call ${name} in an effect${chainText(bundle, packages.get(name)!)}`,
  )
  if (uses.length === 0) return { errors, warnings: { ...NO_WARNINGS, doubtful: withoutNetwork } }
  const placed = uses.map((use) => ({ use, place: placeAt(use.offset) }))
  const checked = new Set(
    placed.flatMap(({ use, place }) =>
      use.isQuestion === true && use.name !== INTL ? [`${place.path} ${use.name}`] : [],
    ),
  )
  // The author's own code makes these, for example for a package that expects `self`.
  const made = new Set(
    placed.flatMap(({ use, place }) => (use.isAssigned === true && !isDependency(place.path) ? [bare(use.name)] : [])),
  )
  const found = placed.filter(({ use, place }) => {
    if (use.isGuarded === true || isMadeUp(place.path) || made.has(bare(use.name))) return false
    if (!isDependency(place.path)) return true
    // A dependency that checks whether a global exists, anywhere in its file, works without it. Properties of the global
    // object are undefined for it.
    return (
      use.isHarmlessInPackages !== true &&
      !use.name.startsWith('globalThis.') &&
      !checked.has(`${place.path} ${use.name}`)
    )
  })
  const {
    doubtful = [],
    late = [],
    refused = [],
  } = Object.groupBy(found, (one) => (isDoubtful(one) ? 'doubtful' : failsLate(one) ? 'late' : 'refused'))
  return {
    errors: [
      ...errors,
      ...onceForPackages(refused).map(({ use, place }) =>
        sourceError(
          place,
          textFor(use, events) + chainText(bundle, place.path),
          files.text(place.path),
          use.kind === 'global' || use.kind === 'effect' ? use.name.length : 1,
        ),
      ),
    ],
    warnings: {
      lacking: lackingIn(bundle, late).filter((one) => !clients.includes(one.package)),
      doubtful: [
        ...withoutNetwork,
        ...doubtful.map(({ use, place }) => sourceError(place, textFor(use, events), undefined).message),
      ],
    },
  }
}

/** They look for a way to send requests when they are called, and fail in words of their own. */
const HTTP_CLIENTS = ['axios', 'cross-fetch', 'got', 'ky', 'node-fetch', 'ofetch', 'superagent', 'undici', 'wretch']

/** A package that asks whether it exists only wants to know of its newer parts, and uses the others without asking. */
const INTL = 'Intl'

const bare = (name: string): string => name.replace('globalThis.', '')

/**
 * A dependency may use a global in parts that no Program gets to. The sandbox does not have it, so what gets there fails, and
 * says why; when a module is loaded, before its Program is deployed.
 */
const failsLate = ({ use, place }: Placed): boolean =>
  isDependency(place.path) && use.kind === 'global' && use.name !== 'import.meta'

const isDoubtful = ({ use: { kind } }: Placed): boolean =>
  kind === 'unawaited' || kind === 'each' || kind === 'early' || kind === 'undeclared'

/** A package needs many built-in modules, in many of its own, and cannot be used because of the first one. */
const onceForPackages = (refused: readonly Placed[]): readonly Placed[] => {
  const seen = new Set<string>()
  return refused.filter(({ use, place }) => {
    if (use.kind !== 'module' || !isDependency(place.path)) return true
    const name = packageOf(place.path)
    if (seen.has(name)) return false
    seen.add(name)
    return true
  })
}

const lackingIn = (bundle: ProgramBundle, late: readonly Placed[]): readonly Lacking[] =>
  [...Map.groupBy(late, ({ place }) => packageOf(place.path))].map(([name, uses]) => ({
    package: name,
    globals: [...new Set(uses.map(({ use }) => use.name))].toSorted(compareText),
    chain: chainText(bundle, uses[0]!.place.path),
  }))

/** import() works in a bundle, but loads nothing on demand, as the author would expect. */
const ownImportCalls = (files: SourceFiles, { inputs, used }: ProgramBundle): readonly SourceError[] => {
  const errors: SourceError[] = []
  for (const key of used) {
    const path = sourceNameOf(key)
    const calls = inputs[key]?.imports.some(({ kind, external }) => kind === 'dynamic-import' && external !== true)
    if (calls !== true || isDependency(path)) continue
    const text = files.text(path)
    if (text === undefined) continue
    for (const { start, end } of parse(path, text, 'module').importCalls) {
      errors.push(sourceError(placeOf(path, text, start), IMPORT_CALL, text, end - start))
    }
  }
  return errors
}

const IMPORT_CALL = 'import() is not available in a Program, which is one script: import at the top of the module'

const textFor = ({ kind, name }: Use, events: readonly string[]): string => {
  switch (kind) {
    case 'import':
      return IMPORT_CALL
    case 'module':
      return name === ''
        ? 'require() is not available in a Program: use import'
        : `"${name}" is not available in a Program: ${alternativeToModule(name)}`
    case 'global':
      return notAvailable(name)
    case 'argument':
      return `an effect takes one input, so this argument of "${name}" would be lost: pass one object`
    case 'unawaited':
      return `${name} is called without await: the Program does not wait for it, and it is dropped if the Program returns first. Write await, or void if that is meant`
    case 'each':
      return `${name} does not wait for this asynchronous function: the Program goes on, and the rest of the function is dropped if the Program returns first. Await in a for loop, or await Promise.all of ${name === 'map' ? 'the result' : 'map'}`
    case 'undeclared':
      return `event ${JSON.stringify(name)} is not among the events that the Program declares (${events.join(', ')}): correct its name, or add it to events, so that the service checks its payloads`
    case 'early':
      return `this is undefined: ${name}, which declares it, imports this module, itself or through others, and so runs later. Move what both need into a third module`
    case 'jsx':
      return `JSX calls ${name}, which is not declared: import ${name.replace(/\..*/, '')}, or say in tsconfig.json what JSX calls ("jsx": "react-jsx" with "jsxImportSource", or "jsxFactory" and "jsxFragmentFactory")`
    case 'effect':
      return 'an effect that is defined here would run as a part of the Program, without being journalled or retried: define it in a *.effects.ts module of the project, or export it from one, and import it from there'
  }
}

type Placed = { readonly use: Use; readonly place: Place }

/** Where code of the bundle comes from. */
const createPlaceAt = (code: string, map: RawSourceMap): ((offset: number) => Place) => {
  let sourceOf: ReturnType<typeof createSourceOf> | undefined
  return (offset) => {
    const place = placeOf('wes:bundle', code, offset)
    sourceOf ??= createSourceOf(map)
    return sourceOf(place.line, place.column) ?? place
  }
}

/** From a place to the end of its line. */
const lineAt = (files: SourceFiles, { path, line, column }: Place): string =>
  isDependency(path)
    ? ''
    : (files
        .text(path)
        ?.split('\n')
        [line - 1]?.slice(column - 1) ?? '')
