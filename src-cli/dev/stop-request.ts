// Detects that the user or a supervisor wants the process to end.

import { constants } from 'node:os'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

type Signals = {
  on(signal: (typeof SIGNALS)[number], listener: () => void): unknown
  exit(code: number): void
}

/** The terminal sends a Ctrl-C to every process, and npm forwards it again: two signals this close are one request. */
const SAME_REQUEST_MS = 100

/** Settles at the first signal. The second one ends the process at once. */
export const stopRequest = (process: Signals, now: () => number = Date.now): Promise<void> =>
  new Promise((resolve) => {
    let firstAt: number | undefined
    for (const signal of SIGNALS) {
      process.on(signal, () => {
        if (firstAt === undefined) {
          firstAt = now()
          resolve()
        } else if (now() - firstAt > SAME_REQUEST_MS) process.exit(128 + constants.signals[signal])
      })
    }
  })

const LOOK_INTERVAL_MS = 250

/**
 * Settles when the parent process is gone, if npm started this process. npm sends a signal to its shell only, and many
 * shells exit without forwarding it to their child.
 */
export const npmIsGone = (
  process: { readonly ppid: number; readonly env: NodeJS.ProcessEnv },
  lookIntervalMs = LOOK_INTERVAL_MS,
): Promise<void> =>
  new Promise((resolve) => {
    if (process.env['npm_lifecycle_event'] === undefined) return
    const parent = process.ppid
    const timer = setInterval(() => {
      if (process.ppid === parent) return
      clearInterval(timer)
      resolve()
    }, lookIntervalMs)
    timer.unref()
  })
