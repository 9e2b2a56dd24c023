// Closes the stream of changes while the tab is hidden, because nobody sees what would be read, and a browser opens only six
// connections to an origin, and before the browser leaves the page: it would break the stream off, as if the service were lost. When the tab
// is shown again, everything is read anew. A lost stream reconnects at once when the user comes back to the page, or when
// the desktop app says that the runtime is ready.

import type { LiveChanges } from '../api/live-changes.ts'

/** A page that is still there after so long may have stayed: the address was a download, or the user stopped loading. */
const LEFT_MS = 5_000

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
  const tryNow = () => {
    if (!document.hidden) live.retry()
  }
  look() // a link may open a tab in the background
  document.addEventListener('visibilitychange', look)
  window.addEventListener('beforeunload', leave)
  window.addEventListener('focus', tryNow)
  const forget = onReturn(tryNow)
  return () => {
    document.removeEventListener('visibilitychange', look)
    window.removeEventListener('beforeunload', leave)
    window.removeEventListener('focus', tryNow)
    forget()
    clearTimeout(leaving)
    live.stop()
  }
}
