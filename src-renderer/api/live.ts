import { createContext, useContext, useEffect, useEffectEvent, useSyncExternalStore } from 'react'
import type { ExecutionChange } from '#sdk/index.ts'
import type { Liveness, LiveChanges } from './live-changes.ts'

export const LiveContext = createContext<LiveChanges | undefined>(undefined)

const useLive = (): LiveChanges => {
  const live = useContext(LiveContext)
  if (live === undefined) throw new Error('useLive needs a LiveContext around it')
  return live
}

export const useLiveness = (): Liveness => {
  const live = useLive()
  return useSyncExternalStore(live.onLiveness, live.liveness)
}

/** Hears what changed, in batches; an empty batch means that anything may have changed. */
export const useChanges = (listener: (changes: readonly ExecutionChange[]) => void): void => {
  const live = useLive()
  const hear = useEffectEvent(listener)
  useEffect(() => live.onChanges((changes) => hear(changes)), [live])
}
