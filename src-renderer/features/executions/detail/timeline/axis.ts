// The time axis, with breaks where nothing happens for long and no effect runs. Between breaks one unit is a millisecond; a break has a
// fixed share of the width, however long it lasts.

import { lastAtMost } from '../journal/journal.ts'

type Stretch = {
  /** Milliseconds since the epoch. */
  readonly from: number
  readonly to: number
  /** Units from the axis's start. */
  readonly start: number
  readonly end: number
  /** Nothing happens in this segment, so it is drawn shorter. */
  readonly isBreak: boolean
}

export type Axis = {
  readonly stretches: readonly Stretch[]
  readonly from: number
  readonly to: number
  /** The whole length in units. */
  readonly length: number
}

/** Shorter pauses are never collapsed. */
const LEAST_PAUSE_MS = 2_500
/** A pause is long when it is this many times longer than all shorter pauses together. */
const LONG = 4
/** When less than this would remain, no pause is collapsed. */
const LEAST_LEFT_MS = 50
const MOST_BREAKS = 12
const BREAK_SHARE = 0.06

export type AxisOptions = {
  readonly from: number
  readonly to: number
  /** The times at which something happens, in any order. */
  readonly moments: Iterable<number>
  /** When effects run, in any order: work, not a wait, however long it takes. */
  readonly busy: readonly Period[]
  readonly collapses: boolean
}

export const makeAxis = ({ from, to, moments, busy, collapses }: AxisOptions): Axis => {
  const end = Math.max(to, from + 1)
  const breaks = collapses ? longPauses(from, end, idlePauses(pausesBetween(from, end, moments), busy)) : []
  const active = end - from - sumOf(breaks)
  const breakLength = Math.max(1, active * BREAK_SHARE)
  const stretches: Stretch[] = []
  let at = from
  let start = 0
  const add = (until: number, isBreak: boolean) => {
    if (until <= at) return
    const length = isBreak ? breakLength : until - at
    stretches.push({ from: at, to: until, start, end: start + length, isBreak })
    at = until
    start += length
  }
  for (const pause of breaks) {
    add(pause.from, false)
    add(pause.to, true)
  }
  add(end, false)
  return { stretches, from, to: end, length: start }
}

export type Period = { readonly from: number; readonly to: number }

const lengthOf = (pause: Period): number => pause.to - pause.from
const sumOf = (pauses: readonly Period[]): number => pauses.reduce((sum, pause) => sum + lengthOf(pause), 0)

/**
 * The pauses that are an order of magnitude longer than everything else, in order; none when there would be too many.
 */
const longPauses = (from: number, to: number, pauses: readonly Period[]): readonly Period[] => {
  const byLength = pauses.toSorted((one, other) => lengthOf(one) - lengthOf(other))
  let shorter = to - from - sumOf(pauses)
  for (const [index, pause] of byLength.entries()) {
    const isLong = lengthOf(pause) > LONG * Math.max(shorter, LEAST_PAUSE_MS)
    if (isLong && shorter >= LEAST_LEFT_MS && byLength.length - index <= MOST_BREAKS)
      return byLength.slice(index).toSorted((one, other) => one.from - other.from)
    shorter += lengthOf(pause)
  }
  return []
}

/** The pauses in which no effect runs. `pauses` are in order. */
const idlePauses = (pauses: readonly Period[], busy: readonly Period[]): readonly Period[] => {
  const byBegin = busy.toSorted((one, other) => one.from - other.from)
  let next = 0
  let busyUntil = -Infinity
  return pauses.filter((pause) => {
    for (; next < byBegin.length && byBegin[next]!.from < pause.to; next++)
      busyUntil = Math.max(busyUntil, byBegin[next]!.to)
    return busyUntil <= pause.from
  })
}

/** The pauses that could become breaks. */
const pausesBetween = (from: number, to: number, moments: Iterable<number>): readonly Period[] => {
  const times = Float64Array.from(moments).toSorted()
  const pauses: Period[] = []
  let before = from
  const see = (time: number) => {
    if (time - before >= LEAST_PAUSE_MS) pauses.push({ from: before, to: time })
    before = Math.max(before, time)
  }
  for (const time of times) if (time <= to) see(time)
  see(to)
  return pauses
}

/** The last one that begins there or before, else the first. */
const stretchAt = ({ stretches }: Axis, at: number, begin: 'from' | 'start'): Stretch =>
  stretches[
    Math.max(
      lastAtMost(stretches, at, (one) => one[begin]),
      0,
    )
  ]!

/**
 * The same for axes that place everything alike up to the last stretch's beginning: as time passes, a break at the end gets longer,
 * but not wider.
 */
export const placesOf = ({ stretches }: Axis): string => stretches.map(({ from, end }) => `${from} ${end}`).join()

/** Times outside the axis are clamped to its ends. */
export const toUnit = (axis: Axis, time: number): number => {
  const stretch = stretchAt(axis, time, 'from')
  const share = (Math.min(Math.max(time, stretch.from), stretch.to) - stretch.from) / (stretch.to - stretch.from)
  return stretch.start + share * (stretch.end - stretch.start)
}

export const toTime = (axis: Axis, unit: number): number => {
  const stretch = stretchAt(axis, unit, 'start')
  const share = (Math.min(Math.max(unit, stretch.start), stretch.end) - stretch.start) / (stretch.end - stretch.start)
  return stretch.from + share * (stretch.to - stretch.from)
}

/**
 * The end of the axis of a running Execution. It grows in steps of a tenth, so that the scale stays the same for a
 * while as bars grow.
 */
export const roomFor = (from: number, now: number): number => {
  const LEAST_MS = 1_000
  const STEP = 1.15
  const elapsed = Math.max(LEAST_MS, now - from)
  return from + LEAST_MS * STEP ** Math.ceil(Math.log(elapsed / LEAST_MS) / Math.log(STEP) + 1e-9)
}
