// Whether the user has just done something in a window. Electron does not say whether a click or a script asks for a
// window, so main looks at the input that it has seen itself.

export type RecentInput = {
  saw(): void
  /** Within the last second. */
  isRecent(): boolean
}

const RECENT_MS = 1_000

/** `now`: ms, on a clock that never goes back. */
export const createRecentInput = (now: () => number): RecentInput => {
  let seenAt = -Infinity
  return {
    saw: () => void (seenAt = now()),
    isRecent: () => now() - seenAt <= RECENT_MS,
  }
}

/** Moving the pointer does not count as input. */
export const isDeliberate = (type: string): boolean => ['mouseDown', 'mouseUp', 'keyDown', 'rawKeyDown'].includes(type)
