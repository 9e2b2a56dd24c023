// One clock for the whole page: everything that shows a relative time ticks together, once a second, and not at all
// while the page is hidden.

import { useSyncExternalStore } from 'react'
import { useLostAt } from '../api/live.ts'

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

/** Milliseconds since the epoch, as of the page's last tick. Stands still while the data does: nothing is known of later. */
export const useNow = (): number => {
  const current = useClock()
  return useLostAt() ?? current
}

/** Goes on whether the service answers or not. */
export const useClock = (): number => useSyncExternalStore(subscribe, () => now)
