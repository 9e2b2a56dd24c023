// A browser opens six connections to an origin, and a stream of changes holds one of them: a tab that nobody has looked
// at for a while gives it back, and reads everything anew when it is looked at again. A stream that is lost is tried again
// ever more seldom; whoever comes back to the page, or knows that the service is there, does not wait for the next time.

import type { LiveChanges } from '../api/live-changes.ts'

const UNSEEN_MS = 10_000

/** Starts at once; ends with what it answers. `onReturn` hears that the service may be there again. */
export const followWhileSeen = (
  live: Pick<LiveChanges, 'start' | 'stop' | 'liveness'>,
  onReturn: (listener: () => void) => () => void,
): (() => void) => {
  let leaving: ReturnType<typeof setTimeout> | undefined
  const look = () => {
    clearTimeout(leaving)
    if (document.hidden) leaving = setTimeout(live.stop, UNSEEN_MS)
    else live.start()
  }
  const tryNow = () => {
    if (document.hidden || live.liveness() !== 'lost') return
    live.stop()
    live.start()
  }
  live.start()
  document.addEventListener('visibilitychange', look)
  window.addEventListener('focus', tryNow)
  const forget = onReturn(tryNow)
  return () => {
    document.removeEventListener('visibilitychange', look)
    window.removeEventListener('focus', tryNow)
    forget()
    clearTimeout(leaving)
    live.stop()
  }
}
