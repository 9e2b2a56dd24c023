// A browser opens six connections to an origin, and a stream of changes holds one of them: a tab that nobody has looked
// at for a while gives it back, and reads everything anew when it is looked at again.

import type { LiveChanges } from '../api/live-changes.ts'

const UNSEEN_MS = 10_000

/** Starts at once; ends with what it answers. */
export const followWhileSeen = (live: Pick<LiveChanges, 'start' | 'stop'>): (() => void) => {
  let leaving: ReturnType<typeof setTimeout> | undefined
  const look = () => {
    clearTimeout(leaving)
    if (document.hidden) leaving = setTimeout(live.stop, UNSEEN_MS)
    else live.start()
  }
  live.start()
  document.addEventListener('visibilitychange', look)
  return () => {
    document.removeEventListener('visibilitychange', look)
    clearTimeout(leaving)
    live.stop()
  }
}
