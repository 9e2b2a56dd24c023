// Limits repeated work: the first call runs at once, later ones after a pause, never two at a time. Calls during the
// work or the pause lead to one more run. While the page is hidden, nothing runs: once it is shown, everything is read anew.

export type Throttled = {
  readonly request: () => void
  /** No further run starts; a run under way continues. */
  readonly stop: () => void
}

/** Pauses last three times as long as the work, so that it takes a quarter of the time at most. */
const PAUSE_SHARE = 3

/** With so many pauses in a row that had calls, they are constant. */
const CONSTANT = 8

/** `work` handles its own failures. `seldomMs`: the pause under constant calls. */
export const throttled = (work: () => Promise<void>, everyMs: number, seldomMs = everyMs): Throttled => {
  let state: 'idle' | 'busy' | 'pausing' | 'stopped' = 'idle'
  let again = false
  let timer: ReturnType<typeof setTimeout> | undefined
  /** Pauses in a row in which there were calls. */
  let inARow = 0

  const run = async (): Promise<void> => {
    again = false
    if (document.hidden) return
    state = 'busy'
    const began = performance.now()
    await work()
    if (stopped()) return
    const took = performance.now() - began
    state = 'pausing'
    const pauseMs = inARow < CONSTANT ? everyMs : seldomMs
    timer = setTimeout(rest, Math.max(pauseMs - took, took * PAUSE_SHARE))
  }
  const rest = () => {
    state = 'idle'
    inARow = again ? inARow + 1 : 0
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
