// Data shared by a host's main thread and its watchdog.

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

/** Kills the process at once. Works from any thread, whatever the others do. */
export const killOwnProcess = (leadsGroup: boolean): void => {
  process.kill(leadsGroup ? -process.pid : process.pid, 'SIGKILL')
}
