// Data shared by a host's main thread and its watchdog.

import { killDescendants } from '../descendants.ts'

export type WatchdogData = {
  /** One cell that changes while the event loop runs. */
  readonly shared: SharedArrayBuffer
  readonly parentPid: number
  /** Processes that the host started are killed with it. */
  readonly leadsGroup: boolean
  readonly memoryMb: number
  readonly blockedAfterMs: number
}

export const BEATS = 0
export const CELLS_BYTES = 4

/** The symbol of the function that the watchdog calls in the paused main thread. */
export const REPORT_BLOCKED = 'wes.effect-host.report-blocked'

/** Those that it started, also detached ones, such as browsers, before the process ends. Windows leaves them. */
export const killStarted = (): void => {
  if (process.platform !== 'win32') killDescendants(process.pid)
}

/** Kills the process and those that it started. Works from any thread, whatever the others do. */
export const killOwnProcess = (leadsGroup: boolean): void => {
  killStarted()
  process.kill(leadsGroup ? -process.pid : process.pid, 'SIGKILL')
}
