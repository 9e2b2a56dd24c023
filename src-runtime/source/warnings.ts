// What the compiler warns of: packages that use what Programs do not have, and code that does not do what it seems to.

import { distinct } from './source-error.ts'

/** A package in a Program that uses globals which Programs do not have. The Program may never call the parts that do. */
export type Lacking = {
  readonly package: string
  readonly globals: readonly string[]
  /** Through which imports the Program contains it, as at the end of errors. */
  readonly chain: string
}

export type Warnings = {
  readonly lacking: readonly Lacking[]
  /** Texts, with places in the sources. */
  readonly doubtful: readonly string[]
}

export const NO_WARNINGS: Warnings = { lacking: [], doubtful: [] }

export const warningTexts = (programs: readonly Warnings[]): readonly string[] => [
  ...lackingTexts(programs.flatMap(({ lacking }) => lacking)),
  ...distinct(
    programs.flatMap(({ doubtful }) => doubtful),
    (text) => text,
  ),
]

/** A line for each package. */
const lackingTexts = (all: readonly Lacking[]): readonly string[] =>
  [...Map.groupBy(all, (one) => one.package)].map(([name, found]) => {
    const globals = [...new Set(found.flatMap((one) => one.globals))].toSorted()
    const them = globals.length === 1 ? 'it' : 'them'
    return `${name} uses ${listed(globals)}, which Programs do not have: the parts of ${name} that need ${them} fail${found[0]!.chain}`
  })

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
