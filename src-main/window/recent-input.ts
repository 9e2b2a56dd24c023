// Whether the user has just used a window. Electron does not report whether a click or a script opens a window, so main
// records the input.

export type RecentInput = {
  saw(): void
  /** Within the last second. */
  isRecent(): boolean
}

const RECENT_MS = 1_000

/** `now`: ms, of a monotonic clock. */
export const createRecentInput = (now: () => number): RecentInput => {
  let seenAt = -Infinity
  return {
    saw: () => void (seenAt = now()),
    isRecent: () => now() - seenAt <= RECENT_MS,
  }
}

/** Moving the pointer does not count as input. */
export const isDeliberate = (type: string): boolean => ['mouseDown', 'mouseUp', 'keyDown', 'rawKeyDown'].includes(type)
