// A browser opens six connections to an origin, and a stream of changes holds one of them: a tab that is hidden for a while
// closes it, and reads everything anew when it is shown again. A lost stream is tried at once when somebody comes back to
// the page, or when the desktop app says that the runtime is ready.

import type { LiveChanges } from '../api/live-changes.ts'

const UNSEEN_MS = 10_000

/** Starts at once; ends with what it answers. `onReturn` hears that the service may be there again. */
export const followWhileSeen = (
  live: Pick<LiveChanges, 'start' | 'stop' | 'retry'>,
  onReturn: (listener: () => void) => () => void,
): (() => void) => {
  let leaving: ReturnType<typeof setTimeout> | undefined
  const look = () => {
    clearTimeout(leaving)
    if (document.hidden) leaving = setTimeout(live.stop, UNSEEN_MS)
    else live.start()
  }
  const tryNow = () => {
    if (!document.hidden) live.retry()
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
