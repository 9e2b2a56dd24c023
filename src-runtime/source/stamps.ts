// The stamps of files that were read together, and whether what was read may have changed since.

import type { Stats } from 'node:fs'
import { stampIn, statOf, type Stamp } from '../shared/stat-of.ts'
import { mayHaveChangedSince } from './source-files.ts'

/** By file name. */
export type Stamps = ReadonlyMap<string, Stamp>

/** Reads the stamp of a file, once for each scan. */
export type StampNow = (name: string) => Stamp

/** Of a folder, changes when something comes into it or leaves it. */
export const stampOfInput = (path: string): Stamp => inputStampIn(statOf(path))

const inputStampIn = (stat: Stats | undefined): Stamp =>
  stat?.isDirectory() === true ? `${stat.mtimeMs}` : stampIn(stat)

/** Asks the system about a file, by its name in the project. */
export type StatOfName = (name: string) => Stats | undefined

/** How long a deleted file counts as still there, because some editors delete a file before they write it. */
export const GONE_MS = 250

/** How long what is wrong may just be half written. */
export const SETTLE_MS = 120

/** Appended to a stamp if the file may have changed while it was read, without a new stamp. */
const UNSETTLED = ' unsettled'

/** Marks the stamps of files that were written since `from`. */
export const stampsSince = (statOf: StatOfName, names: Iterable<string>, from: number): Stamps =>
  new Map(
    [...names].map((name) => {
      const stat = statOf(name)
      return [name, mayHaveChangedSince(stat, from) ? `${inputStampIn(stat)}${UNSETTLED}` : inputStampIn(stat)]
    }),
  )

export const isStale = (stamps: Stamps, stampNow: StampNow): boolean =>
  [...stamps].some(([name, stamp]) => stamp !== stampNow(name))

export const hasChanged = (stamps: Stamps, stampNow: StampNow): boolean =>
  [...stamps].some(([name, stamp]) => stamp?.replace(UNSETTLED, '') !== stampNow(name))

export const hasUnsettled = (stamps: Stamps): boolean =>
  [...stamps.values()].some((stamp) => stamp?.endsWith(UNSETTLED))
