// What the main thread of a host and its watchdog share.

export type WatchdogData = {
  /** One cell, which changes as long as the event loop turns. */
  readonly shared: SharedArrayBuffer
  readonly parentPid: number
  /** What the host started is killed with it. */
  readonly leadsGroup: boolean
  readonly memoryMb: number
  readonly blockedAfterMs: number
}

export const BEATS = 0
export const CELLS_BYTES = 4

/** The symbol under which the watchdog finds what to call in the main thread, while that is stopped. */
export const REPORT_BLOCKED = 'wes.effect-host.report-blocked'

/** At once, without a word to anybody: works from any thread, whatever the others do. */
export const killOwnProcess = (leadsGroup: boolean): void => {
  process.kill(leadsGroup ? -process.pid : process.pid, 'SIGKILL')
}
