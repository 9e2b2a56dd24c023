// The delay of the event loop. Measured only while it is requested, so that an idle runtime does not wake up.

import { monitorEventLoopDelay } from 'node:perf_hooks'
import { pause } from '../shared/pause.ts'

export type EventLoopDelay = {
  /** Over the last seconds. The first call after a pause waits for a few measurements. */
  p99Ms(): Promise<number>
  stop(): void
}

/** The histogram holds the time between ticks of a timer with this interval, which is subtracted. */
const RESOLUTION_MS = 10
const FIRST_LOOK_MS = 200
/** How long measurements are kept. */
const WINDOW_MS = 30_000
/** Measuring stops after this time without a request. */
const IDLE_MS = 60_000

export const createEventLoopDelay = (): EventLoopDelay => {
  let histogram: ReturnType<typeof monitorEventLoopDelay> | undefined
  let begunAt = 0
  let idle: NodeJS.Timeout | undefined

  const stop = () => {
    clearTimeout(idle)
    histogram?.disable()
    histogram = undefined
  }

  const begin = (): ReturnType<typeof monitorEventLoopDelay> => {
    histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
    histogram.enable()
    begunAt = performance.now()
    return histogram
  }

  return {
    p99Ms: async () => {
      const measured = histogram ?? begin()
      clearTimeout(idle)
      idle = setTimeout(stop, IDLE_MS)
      idle.unref()
      const since = performance.now() - begunAt
      if (since < FIRST_LOOK_MS) await pause(FIRST_LOOK_MS - since)
      const ms = Math.max(0, measured.percentile(99) / 1e6 - RESOLUTION_MS)
      if (since > WINDOW_MS) {
        measured.reset()
        begunAt = performance.now()
      }
      return Math.round(ms * 100) / 100
    },
    stop,
  }
}
