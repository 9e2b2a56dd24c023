// Which Executions, and which versions, have been slow. Those run in hosts of their own, where nobody waits for them.

export type SlowMemory = {
  /** Whether the Execution should run alone. `isNew`: it has not run at all yet. */
  runsAlone(executionId: string, versionId: string, isNew: boolean): boolean
  /** A turn of it was given up in the shared host. */
  noteSlow(executionId: string, versionId: string): void
  /** Its host ended while it ran, or may have run. Answers how often that has happened to it in a row. */
  noteKill(executionId: string): number
  /** An Execution of the version ended its host for certain. */
  noteCulprit(versionId: string): void
  /** It ran in good time. */
  noteGood(executionId: string, versionId: string): void
  forget(executionId: string): void
}

type Entry = { isSlow: boolean; kills: number }
type Record = { good: number; bad: number }

const MOST_ENTRIES = 10_000
/** A version is slow when more than every fifth of its visits went badly, and not just one. */
const BAD_SHARE = 0.2
const LEAST_BAD = 2
/** Old visits count less: both counts are halved when they reach this. */
const MOST_VISITS = 64

export const createSlowMemory = (): SlowMemory => {
  // In the order of last use: what is first goes first.
  const executions = new Map<string, Entry>()
  const versions = new Map<string, Record>()

  const keep = <T>(map: Map<string, T>, key: string, value: T): T => {
    map.delete(key)
    map.set(key, value)
    if (map.size > MOST_ENTRIES) {
      const [oldest] = map.keys()
      if (oldest !== undefined) map.delete(oldest)
    }
    return value
  }

  const entryOf = (executionId: string): Entry =>
    keep(executions, executionId, executions.get(executionId) ?? { isSlow: false, kills: 0 })

  const visit = (versionId: string, wasGood: boolean): void => {
    const record = versions.get(versionId)
    // Versions that were never slow are not remembered at all.
    if (record === undefined && wasGood) return
    const { good, bad } = record ?? { good: 0, bad: 0 }
    const factor = good + bad >= MOST_VISITS ? 0.5 : 1
    const updated = { good: good * factor + (wasGood ? 1 : 0), bad: bad * factor + (wasGood ? 0 : 1) }
    if (updated.bad < 0.1) versions.delete(versionId)
    else keep(versions, versionId, updated)
  }

  return {
    runsAlone: (executionId, versionId, isNew) => {
      const entry = executions.get(executionId)
      if (entry !== undefined) return entry.isSlow || entry.kills > 0
      const record = versions.get(versionId)
      return (
        isNew && record !== undefined && record.bad >= LEAST_BAD && record.bad > BAD_SHARE * (record.good + record.bad)
      )
    },
    noteSlow: (executionId, versionId) => {
      entryOf(executionId).isSlow = true
      visit(versionId, false)
    },
    noteKill: (executionId) => ++entryOf(executionId).kills,
    noteCulprit: (versionId) => visit(versionId, false),
    noteGood: (executionId, versionId) => {
      visit(versionId, true)
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
