// One clock for the page: all relative times update together once a second, and not at all while the page is hidden.

import { useSyncExternalStore } from 'react'
import { useLostAt } from '../api/live.ts'
import { useScope } from '../api/scope.ts'
import { serviceAheadMs } from '../api/service-clock.ts'

const TICK_MS = 1_000
const listeners = new Set<() => void>()
let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined

const tick = () => {
  if (document.hidden) return
  now = Date.now()
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  if (timer === undefined) {
    now = Date.now()
    timer = setInterval(tick, TICK_MS)
    document.addEventListener('visibilitychange', tick)
  }
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
    document.removeEventListener('visibilitychange', tick)
  }
}

const neverTicks = () => () => {}

/**
 * What time it is at the service, in milliseconds since the epoch at the last tick. It stops while the service does not
 * answer, because the data on screen is of that moment. What does not change with time passes false, and is not rendered again.
 */
export const useNow = (ticks = true): number => {
  const current = useServiceClock(ticks)
  return useLostAt() ?? current
}

/** Like useNow, but does not stop when the service does not answer. */
export const useServiceClock = (ticks = true): number => {
  const current = useClock(ticks)
  return current + serviceAheadMs(useScope().connection)
}

/** What time it is on this machine. */
export const useClock = (ticks = true): number => useSyncExternalStore(ticks ? subscribe : neverTicks, () => now)

/** The day in UTC at the service, such as `2026-11-20`. */
export const useUtcDay = (): string => {
  const { connection } = useScope()
  return useSyncExternalStore(subscribe, () => new Date(now + serviceAheadMs(connection)).toISOString().slice(0, 10))
}
