// Which Executions, and which versions, have been slow. Those run in hosts of their own, where nobody waits for them.

export type SlowPrograms = {
  /** Whether the Execution should run alone. `isNew`: it has not run at all yet. */
  runsAlone(executionId: string, versionId: string, isNew: boolean): boolean
  /** Whether the version has been quick a few times, and seldom slow. */
  isProven(versionId: string): boolean
  /** A turn of it was given up in the shared host. */
  noteSlow(executionId: string, versionId: string): void
  /** The shared host fell silent while it ran: it may do so again at once. */
  noteSilent(executionId: string, versionId: string): void
  /** Its host ended while it ran. Answers how often that has happened to it in a row. */
  noteKill(executionId: string, versionId: string): number
  /** It ran in good time. */
  noteGood(executionId: string, versionId: string): void
  forget(executionId: string): void
}

type Entry = { isSlow: boolean; kills: number }
type Visits = { good: number; bad: number }

const MOST_ENTRIES = 10_000
/** A version is slow when more than every fifth of its visits went badly, and not just one. */
const BAD_SHARE = 0.2
const LEAST_BAD = 2
const PROVEN_AFTER = 3
/** Old visits count less: both counts are halved when they reach this. */
const MOST_VISITS = 64

export const createSlowPrograms = (): SlowPrograms => {
  // In the order of insertion: what is first goes first.
  const executions = new Map<string, Entry>()
  const versions = new Map<string, Visits>()

  const entryIn = <T>(map: Map<string, T>, key: string, fresh: T): T => {
    const found = map.get(key)
    if (found !== undefined) return found
    map.set(key, fresh)
    if (map.size > MOST_ENTRIES) {
      const [oldest] = map.keys()
      if (oldest !== undefined) map.delete(oldest)
    }
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
