// Detects that the user or a supervisor wants the process to end.

import { constants } from 'node:os'
import { isAlive } from '#runtime/shared/is-alive.ts'
import { STOP_MESSAGE } from '#runtime/shared/stop-message.ts'

/** SIGBREAK is Ctrl-Break, which only Windows has; closing the console is a SIGHUP there. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGBREAK'] as const

type Signal = (typeof SIGNALS)[number]

type Stoppable = {
  on(event: Signal, listener: () => void): unknown
  on(event: 'message', listener: (message: unknown) => void): unknown
  exit(code: number): void
  readonly channel?: { unref(): void } | null | undefined
}

/** The terminal sends a Ctrl-C to every process, and npm forwards it again: two signals this close are one request. */
const SAME_REQUEST_MS = 100

/** Settles at the first signal, or when the parent process asks. The second signal ends the process at once. */
export const stopRequest = (process: Stoppable, now: () => number = Date.now): Promise<void> =>
  new Promise((resolve) => {
    let firstAt: number | undefined
    const ask = (): void => {
      firstAt = now()
      resolve()
    }
    for (const signal of SIGNALS) {
      process.on(signal, () => {
        if (firstAt === undefined) ask()
        else if (now() - firstAt > SAME_REQUEST_MS) process.exit(128 + numberOf(signal))
      })
    }
    process.on('message', (message) => {
      if (message === STOP_MESSAGE && firstAt === undefined) ask()
    })
    // Listening for messages must not keep the process alive.
    process.channel?.unref()
  })

/** Undefined in the list of a system that does not have it. */
const numberOf = (signal: Signal): number => (constants.signals as Partial<Record<Signal, number>>)[signal] ?? 0

const LOOK_INTERVAL_MS = 250

type Child = { readonly ppid: number; readonly env: NodeJS.ProcessEnv }

/**
 * Settles when the parent process is gone, if npm started this process. npm sends a signal to its shell only, and many
 * shells exit without forwarding it to their child. On Windows, a process keeps the number of a parent that is gone.
 */
export const npmIsGone = (
  process: Child,
  lookIntervalMs = LOOK_INTERVAL_MS,
  isParentAlive: (pid: number) => boolean = isAlive,
): Promise<void> =>
  new Promise((resolve) => {
    if (process.env['npm_lifecycle_event'] === undefined) return
    const parent = process.ppid
    const timer = setInterval(() => {
      if (process.ppid === parent && isParentAlive(parent)) return
      clearInterval(timer)
      resolve()
    }, lookIntervalMs)
    timer.unref()
  })
