// Runs in the measured page before its own scripts: records long tasks, slow responses to inputs, and the time of the
// first rows. `browser.ts` reads them. Plain functions, because they are sent as text.

/** Durations in ms. */
export type Seen = {
  /** Tasks of more than 50 ms, during which the page does not respond. */
  readonly longTasks: readonly number[]
  /** From an input (key, click) to the frame that shows its effect. Browsers do not report those under 16 ms. */
  readonly events: readonly number[]
  /** Times between two frames of more than 50 ms. */
  readonly slowFrames: readonly number[]
}

export type WatchedWindow = Window & {
  benchWatch?: {
    longTasks: number[]
    events: number[]
    slowFrames: number[]
  }
  /** A binding of a measurement. Called when the first rows are on screen, with the ms since the navigation. */
  tellFirstRows?: (atMs: string) => void
}

export const TELL_FIRST_ROWS = 'tellFirstRows' satisfies keyof WatchedWindow

export const watchPage = (): void => {
  const kept: NonNullable<WatchedWindow['benchWatch']> = { longTasks: [], events: [], slowFrames: [] }
  ;(window as WatchedWindow).benchWatch = kept
  const note = (type: string, into: number[], options: object = {}) =>
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) into.push(entry.duration)
    }).observe({ type, buffered: true, ...options })
  note('longtask', kept.longTasks)
  note('event', kept.events, { durationThreshold: 16 })

  let last = performance.now()
  const frame = (now: number) => {
    if (now - last > 50) kept.slowFrames.push(now - last)
    last = now
    requestAnimationFrame(frame)
  }
  requestAnimationFrame(frame)

  const rows = () => document.querySelector('[role="grid"][aria-label="Executions"] a[href*="/executions/exe_"]')
  const observer = new MutationObserver(() => {
    if (rows() === null) return
    observer.disconnect()
    // A task after the next frame, when the rows are painted.
    requestAnimationFrame(() => setTimeout(() => (window as WatchedWindow).tellFirstRows?.(String(performance.now()))))
  })
  observer.observe(document, { childList: true, subtree: true })
}
