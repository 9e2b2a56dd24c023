// Records which Executions and versions have been slow. Those run in hosts of their own, where others do not wait for
// them.

import { forgetOldest } from '../shared/forget-oldest.ts'

export type SlowPrograms = {
  /** Whether the Execution should run alone. `isNew`: it has not run yet. */
  runsAlone(executionId: string, versionId: string, isNew: boolean): boolean
  /** Whether the version was quick several times, and rarely slow. */
  isProven(versionId: string): boolean
  /** A turn of it was abandoned in the shared host. */
  noteSlow(executionId: string, versionId: string): void
  /** The shared host stopped answering while it ran; this may happen again at once. */
  noteSilent(executionId: string, versionId: string): void
  /** Its host ended while it ran. Returns how often in a row. */
  noteKill(executionId: string, versionId: string): number
  /** It was quick. */
  noteGood(executionId: string, versionId: string): void
  forget(executionId: string): void
}

type Entry = { isSlow: boolean; kills: number }
type Visits = { good: number; bad: number }

const MOST_ENTRIES = 10_000
/** A version is slow when more than this share of its activations was slow, and more than one was. */
const BAD_SHARE = 0.2
const LEAST_BAD = 2
const PROVEN_AFTER = 3
/** At this many activations both counts are halved, so that old ones count less. */
const MOST_VISITS = 64

export const createSlowPrograms = (): SlowPrograms => {
  // In insertion order; the first entries are dropped first.
  const executions = new Map<string, Entry>()
  const versions = new Map<string, Visits>()

  const entryIn = <T>(map: Map<string, T>, key: string, fresh: T): T => {
    const found = map.get(key)
    if (found !== undefined) return found
    map.set(key, fresh)
    forgetOldest(map, MOST_ENTRIES)
    return fresh
  }

  const entryOf = (executionId: string): Entry => entryIn(executions, executionId, { isSlow: false, kills: 0 })

  const visit = (versionId: string, good: number, bad: number): void => {
    const visits = versions.get(versionId) ?? entryIn(versions, versionId, { good: 0, bad: 0 })
    if (visits.good + visits.bad >= MOST_VISITS) {
      visits.good /= 2
      visits.bad /= 2
    }
    visits.good += good
    visits.bad += bad
  }

  const isSlow = (visits: Visits | undefined): boolean =>
    visits !== undefined && visits.bad >= LEAST_BAD && visits.bad > BAD_SHARE * (visits.good + visits.bad)

  return {
    runsAlone: (executionId, versionId, isNew) => {
      const entry = executions.get(executionId)
      if (entry !== undefined) return entry.isSlow || entry.kills > 0
      return isNew && isSlow(versions.get(versionId))
    },
    isProven: (versionId) => {
      const visits = versions.get(versionId)
      return visits !== undefined && visits.good >= PROVEN_AFTER && !isSlow(visits)
    },
    noteSlow: (executionId, versionId) => {
      entryOf(executionId).isSlow = true
      visit(versionId, 0, 1)
    },
    noteSilent: (executionId, versionId) => {
      entryOf(executionId).isSlow = true
      visit(versionId, 0, LEAST_BAD)
    },
    noteKill: (executionId, versionId) => {
      visit(versionId, 0, 1)
      return ++entryOf(executionId).kills
    },
    noteGood: (executionId, versionId) => {
      visit(versionId, 1, 0)
      if (executions.size === 0) return
      const entry = executions.get(executionId)
      if (entry === undefined) return
      entry.kills = 0
      if (!entry.isSlow) executions.delete(executionId)
    },
    forget: (executionId) => {
      executions.delete(executionId)
    },
  }
}
