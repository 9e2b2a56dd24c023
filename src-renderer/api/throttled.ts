// Limits repeated work: the first call runs at once, later ones after a pause, never two at a time. Calls during the
// work or the pause lead to one more run.

export type Throttled = {
  readonly request: () => void
  /** No further run starts; a run under way continues. */
  readonly stop: () => void
}

/** Pauses last three times as long as the work, so that it takes a quarter of the time at most. */
const PAUSE_SHARE = 3

/**
 * `work` handles its own failures. `atMostMs`: while there are calls in each pause, pauses double until they are this
 * long.
 */
export const throttled = (work: () => Promise<void>, everyMs: number, atMostMs = everyMs): Throttled => {
  let state: 'idle' | 'busy' | 'pausing' | 'stopped' = 'idle'
  let again = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let pauseMs = everyMs

  const run = async (): Promise<void> => {
    state = 'busy'
    again = false
    const began = performance.now()
    await work()
    if (stopped()) return
    const took = performance.now() - began
    state = 'pausing'
    timer = setTimeout(rest, Math.max(pauseMs - took, took * PAUSE_SHARE))
  }
  const rest = () => {
    state = 'idle'
    pauseMs = again ? Math.min(pauseMs * 2, atMostMs) : everyMs
    if (again) void run()
  }
  // A function, because TypeScript would not expect the state to change during the await.
  const stopped = () => state === 'stopped'

  return {
    request: () => {
      if (state === 'idle') void run()
      else again = true
    },
    stop: () => {
      state = 'stopped'
      clearTimeout(timer)
    },
  }
}
