// Decides how an Electron app ends: the order of its events, and which can be prevented. Pure.

export type ClosableWindow = {
  /** Calls its listeners; returns true if it is closed. */
  close(): boolean
  /** Closes it without listeners. */
  destroy(): void
}

/** Each returns whether a listener prevented the next step. */
type Ask = (event: 'before-quit' | 'will-quit') => boolean

export type Quitting = {
  quit(): void
  exit(code: number): void
  opened(window: ClosableWindow): void
  /** When no window is left, quits the app, or reports that all are closed. */
  closed(window: ClosableWindow): void
}

export const createQuitting = (app: {
  readonly ask: Ask
  /** True if there is a listener. */
  readonly allClosed: () => boolean
  readonly end: (code: number) => void
}): Quitting => {
  const windows = new Set<ClosableWindow>()
  let isQuitting = false
  let exitCode: number | undefined
  let hasEnded = false

  const end = (code: number): void => {
    if (hasEnded) return
    hasEnded = true
    isQuitting = true
    app.end(code)
  }
  const endUnlessPrevented = (): void => {
    if (hasEnded) return
    if (app.ask('will-quit')) isQuitting = false
    else end(0)
  }
  const quit = (): void => {
    if (isQuitting) return
    isQuitting = !app.ask('before-quit')
    if (!isQuitting) return
    if (windows.size === 0) return endUnlessPrevented()
    for (const window of windows) if (!window.close()) isQuitting = false
  }
  return {
    quit,
    exit(code) {
      isQuitting = true
      exitCode = code
      if (windows.size === 0) return end(code)
      for (const window of windows) window.destroy()
    },
    opened: (window) => void windows.add(window),
    closed(window) {
      windows.delete(window)
      if (windows.size > 0) return
      if (exitCode !== undefined) end(exitCode)
      else if (isQuitting) endUnlessPrevented()
      else if (!app.allClosed()) quit()
    },
  }
}
