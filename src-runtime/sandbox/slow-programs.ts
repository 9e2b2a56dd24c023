// Records which Executions and versions have been slow. Those run in hosts of their own, where others do not wait for
// them. So do new versions of a Program that was slow several times in the last minute: otherwise each of them would be slow in
// the shared host first.

import { forgetOldest } from '../shared/forget-oldest.ts'
import type { Activation } from './program-hosts.ts'

type Code = Pick<Activation, 'executionId' | 'versionId' | 'programId' | 'tenant'>

export type SlowPrograms = {
  /** Whether the Execution should run alone. `isNew`: it has not run yet. */
  runsAlone(code: Code, isNew: boolean): boolean
  /** Whether the version was quick several times, and rarely slow. */
  isProven(versionId: string): boolean
  /** A turn of it took longer than the shared host allows. */
  noteSlow(code: Code): void
  /** The shared host stopped answering while it ran; this may happen again at once. */
  noteSilent(code: Code): void
  /** Its host ended while it ran. Returns how often in a row. */
  noteKill(code: Code): number
  /** It ended no host. `isQuick`: nor did it take longer than the shared host allows. */
  noteRan(code: Code, isQuick: boolean): void
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
/** A Program is slow when it was so often within so long, however often it was quick: others waited each time. */
const OFTEN = 4
const OFTEN_WITHIN_MS = 60_000

/** `now` in ms, from a clock that never goes back. */
export const createSlowPrograms = (now = (): number => performance.now()): SlowPrograms => {
  // In insertion order; the first entries are dropped first.
  const executions = new Map<string, Entry>()
  const versions = new Map<string, Visits>()
  /** When Programs were slow lately, the oldest time first. */
  const programs = new Map<string, readonly number[]>()

  const entryIn = <T>(map: Map<string, T>, key: string, fresh: T): T => {
    const found = map.get(key)
    if (found !== undefined) return found
    map.set(key, fresh)
    forgetOldest(map, MOST_ENTRIES)
    return fresh
  }

  const entryOf = (executionId: string): Entry => entryIn(executions, executionId, { isSlow: false, kills: 0 })

  const visit = (code: Code, good: number, bad: number): void => {
    const visits = versions.get(code.versionId) ?? entryIn(versions, code.versionId, { good: 0, bad: 0 })
    if (visits.good + visits.bad >= MOST_VISITS) {
      visits.good /= 2
      visits.bad /= 2
    }
    visits.good += good
    visits.bad += bad
    if (bad === 0) return
    const key = programKey(code)
    const times = [...(programs.get(key) ?? []), now()].slice(-OFTEN)
    programs.delete(key)
    programs.set(key, times)
    forgetOldest(programs, MOST_ENTRIES)
  }

  const isSlow = (visits: Visits | undefined): boolean =>
    visits !== undefined && visits.bad >= LEAST_BAD && visits.bad > BAD_SHARE * (visits.good + visits.bad)

  const isProven = (versionId: string): boolean => {
    const visits = versions.get(versionId)
    return visits !== undefined && visits.good >= PROVEN_AFTER && !isSlow(visits)
  }

  const isOftenSlow = (key: string): boolean => {
    const [oldest = 0, ...later] = programs.get(key) ?? []
    return later.length === OFTEN - 1 && now() - oldest < OFTEN_WITHIN_MS
  }

  /** Little is known of its version, and other code of its Program was often slow. */
  const isLikelySlow = (code: Code): boolean => {
    if (programs.size === 0) return false
    const { good, bad } = versions.get(code.versionId) ?? { good: 0, bad: 0 }
    return bad === 0 && good < PROVEN_AFTER && isOftenSlow(programKey(code))
  }

  const noteSlow = (code: Code): void => {
    entryOf(code.executionId).isSlow = true
    visit(code, 0, 1)
  }

  return {
    runsAlone: (code, isNew) => {
      const entry = executions.get(code.executionId)
      if (entry !== undefined) return entry.isSlow || entry.kills > 0
      return (isNew && isSlow(versions.get(code.versionId))) || isLikelySlow(code)
    },
    isProven,
    noteSlow,
    noteSilent: (code) => {
      entryOf(code.executionId).isSlow = true
      visit(code, 0, LEAST_BAD)
    },
    noteKill: (code) => {
      visit(code, 0, 1)
      return ++entryOf(code.executionId).kills
    },
    noteRan: (code, isQuick) => {
      const entry = executions.get(code.executionId)
      if (isQuick) visit(code, 1, 0)
      else if (entry?.isSlow !== true) noteSlow(code)
      if (entry === undefined) return
      entry.kills = 0
      if (!entry.isSlow) executions.delete(code.executionId)
    },
    forget: (executionId) => {
      executions.delete(executionId)
    },
  }
}

/** Tenants may give their Programs the same id. */
const programKey = ({ tenant = '', programId }: Code): string => `${tenant} ${programId}`
