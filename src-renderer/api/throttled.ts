// Work that is asked for again and again: done at once, then not more often than it may be, never twice at a time, and
// once more in the end when it was asked for meanwhile.

export type Throttled = {
  readonly request: () => void
  /** Nothing begins afterwards; what is under way goes on. */
  readonly stop: () => void
}

/** Slow work makes pauses of three times its length, so that it takes a quarter of the time at most. */
const PAUSE_SHARE = 3

/** `work` handles its own failures. */
export const throttled = (work: () => Promise<void>, everyMs: number): Throttled => {
  let state: 'idle' | 'busy' | 'pausing' | 'stopped' = 'idle'
  let again = false
  let timer: ReturnType<typeof setTimeout> | undefined

  const run = async (): Promise<void> => {
    state = 'busy'
    again = false
    const began = performance.now()
    await work()
    if (stopped()) return
    const took = performance.now() - began
    state = 'pausing'
    timer = setTimeout(rest, Math.max(everyMs - took, took * PAUSE_SHARE))
  }
  const rest = () => {
    state = 'idle'
    if (again) void run()
  }
  // Through a function, because the state may change while work is awaited.
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
