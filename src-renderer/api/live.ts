import { createContext, useContext, useEffect, useEffectEvent, useSyncExternalStore } from 'react'
import type { Failure } from './failures.ts'
import type { LiveBatch, Liveness, LiveChanges } from './live-changes.ts'

export const LiveContext = createContext<LiveChanges | undefined>(undefined)

const useLive = (): LiveChanges => {
  const live = useContext(LiveContext)
  if (live === undefined) throw new Error('useLive needs a LiveContext around it')
  return live
}

/** What a function of it answers, as that changes. */
const useTold = <Told>(tells: (live: LiveChanges) => () => Told): Told => {
  const live = useLive()
  return useSyncExternalStore(live.onLiveness, tells(live))
}

export const useLiveness = (): Liveness => useTold((live) => live.liveness)

/**
 * The time of the data on screen while nothing answers; undefined while something answers, or when there is no data.
 */
export const useLostAt = (): number | undefined => useTold((live) => live.lostAt)

/** Why nothing answers, or why the server refuses this page; undefined where nothing says so. */
export const useLiveProblem = (): Failure | undefined => useTold((live) => live.problem)

export const useRetry = (): (() => void) => useLive().retry

const ASK_EVERY_MS = 5_000

/** How often to read Programs and sources: never when the server reports their changes. */
export const useProgramsInterval = (): number | false => (useTold((live) => live.tellsPrograms) ? false : ASK_EVERY_MS)

/** Calls the listener with batches of changes. */
export const useChanges = (listener: (batch: LiveBatch) => void): void => {
  const live = useLive()
  const hear = useEffectEvent(listener)
  useEffect(() => live.onChanges((batch) => hear(batch)), [live])
}
