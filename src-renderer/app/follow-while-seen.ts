// Closes the stream of changes while the tab is hidden, because nobody sees what would be read, and a browser opens only six
// connections to an origin, and before the browser leaves the page: it would break the stream off, as if the service were lost. When the tab
// is shown again, everything is read anew. A lost stream reconnects at once when the user comes back to the page, or when
// the desktop app says that the runtime is ready.
//
// After the machine slept, a stream to another machine is broken, and nothing says so for 45 s; after its clock was set, the
// page knows how far the service's clock is off only from the next answer. So in both cases the stream is opened again, too.

import type { LiveChanges } from '../api/live-changes.ts'

/** A page that is still there after so long may have stayed: the address was a download, or the user stopped loading. */
const LEFT_MS = 5_000

const LOOK_AT_CLOCK_MS = 1_000
/** A clock that is corrected in small steps goes on. */
const JUMP_MS = 5_000

/** The clock that the user sets, against the one that only goes on, and that stands still in some systems while they sleep. */
const clockOffset = (): number => Date.now() - performance.now()

/** Starts once the tab is seen; the returned function stops it. `onReturn` subscribes to signs that the service may be back. */
export const followWhileSeen = (
  live: Pick<LiveChanges, 'start' | 'stop' | 'retry'>,
  onReturn: (listener: () => void) => () => void,
): (() => void) => {
  let leaving: ReturnType<typeof setTimeout> | undefined
  const look = () => {
    clearTimeout(leaving)
    if (document.hidden) live.stop()
    else live.start()
  }
  const leave = () => {
    live.stop()
    clearTimeout(leaving)
    leaving = setTimeout(look, LEFT_MS)
  }
  let offset = clockOffset()
  let lookedAt = Date.now()
  const lookAtClock = () => {
    const now = clockOffset()
    // Where both clocks go on while the machine sleeps, only this look is late. So it is where the browser froze the page.
    const jumped = Math.abs(now - offset) > JUMP_MS || Date.now() - lookedAt > LOOK_AT_CLOCK_MS + JUMP_MS
    offset = now
    lookedAt = Date.now()
    if (!jumped || document.hidden) return
    live.stop()
    live.start()
  }
  const tryNow = () => {
    if (!document.hidden) live.retry()
  }
  look() // a link may open a tab in the background
  document.addEventListener('visibilitychange', look)
  window.addEventListener('beforeunload', leave)
  window.addEventListener('focus', tryNow)
  const forget = onReturn(tryNow)
  const looking = setInterval(lookAtClock, LOOK_AT_CLOCK_MS)
  return () => {
    document.removeEventListener('visibilitychange', look)
    window.removeEventListener('beforeunload', leave)
    window.removeEventListener('focus', tryNow)
    forget()
    clearTimeout(leaving)
    clearInterval(looking)
    live.stop()
  }
}
