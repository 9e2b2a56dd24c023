// What the compiler warns of: packages that use what Programs do not have, and code that does not do what it seems to.

import { codeFrame, distinct, startOf, type Place, type SourceError } from './source-error.ts'

/** A package in a Program that uses globals which Programs do not have. The Program may never call the parts that do. */
export type Lacking = {
  readonly package: string
  readonly globals: readonly string[]
  /** Through which imports the Program contains it, as at the end of errors. */
  readonly chain: string
}

export type Warnings = {
  readonly lacking: readonly Lacking[]
  /** Texts, which begin with places in the sources where they have one. */
  readonly doubtful: readonly string[]
}

export const NO_WARNINGS: Warnings = { lacking: [], doubtful: [] }

type Warned = { readonly place: Place; readonly warnings: Warnings }
type TextOf = (path: string) => string | undefined

/** What has no place of its own is at the options of the first Program that it is about. */
export const programWarnings = (programs: readonly Warned[], textOf: TextOf): readonly SourceError[] => {
  const lacking = programs.flatMap(({ place, warnings }) => warnings.lacking.map((one) => ({ ...one, place })))
  const doubtful = programs.flatMap(({ place, warnings }) =>
    warnings.doubtful.map((message) => ({ message, place: placeIn(message, textOf) ?? place })),
  )
  return [...lackingTexts(lacking), ...distinct(doubtful, ({ message }) => message)].map(({ message, place }) => ({
    ...place,
    message,
    frame: codeFrame(textOf(place.path) ?? '', place.line, place.column),
  }))
}

/** Of a file as a whole. */
export const fileWarning = (path: string, message: string): SourceError => ({ ...startOf(path), message, frame: '' })

const placeIn = (message: string, textOf: TextOf): Place | undefined => {
  const [, path = '', line, column] = /^(.+?):(\d+):(\d+) /.exec(message) ?? []
  return textOf(path) === undefined ? undefined : { path, line: Number(line), column: Number(column) }
}

type Message = { readonly message: string; readonly place: Place }

/** A line for each package. */
const lackingTexts = (all: readonly (Lacking & { readonly place: Place })[]): readonly Message[] =>
  [...Map.groupBy(all, (one) => one.package)].map(([name, found]) => {
    const globals = [...new Set(found.flatMap((one) => one.globals))].toSorted()
    const them = globals.length === 1 ? 'it' : 'them'
    const [{ chain, place }] = found as [(typeof found)[number]]
    const message = `${name} uses ${listed(globals)}, which Programs do not have: the parts of ${name} that need ${them} fail${chain}`
    return { message, place }
  })

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
