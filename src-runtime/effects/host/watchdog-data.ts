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

/** Before the process ends. With its group, the runtime ends those that it started. Windows leaves them. */
export const killStarted = (leadsGroup: boolean): void => {
  if (!leadsGroup && process.platform !== 'win32') killDescendants(process.pid)
}

/** Kills the process and those that it started. Works from any thread, whatever the others do. */
export const killOwnProcess = (leadsGroup: boolean): void => {
  killStarted(leadsGroup)
  process.kill(leadsGroup ? -process.pid : process.pid, 'SIGKILL')
}
