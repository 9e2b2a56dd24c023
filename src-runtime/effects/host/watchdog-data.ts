// Data shared by a host's main thread and its watchdog.

import { killStartedBy } from '../../shared/started-processes.ts'

export type WatchdogData = {
  /** One cell that changes while the event loop runs. */
  readonly shared: SharedArrayBuffer
  readonly parentPid: number
  /** Processes that the host started are killed with it. */
  readonly leadsGroup: boolean
  /** In the environment of all that it starts. */
  readonly mark: string
  readonly memoryMb: number
  readonly blockedAfterMs: number
}

export const BEATS = 0
export const CELLS_BYTES = 4

/** The symbol of the function that the watchdog calls in the paused main thread. */
export const REPORT_BLOCKED = 'wes.effect-host.report-blocked'

/** Those that it started, also detached ones, such as browsers, before the process ends. Windows leaves them. */
export const killStarted = (mark: string): void => {
  if (process.platform !== 'win32') killStartedBy(process.pid, mark)
}

/** Kills the process and those that it started. Works from any thread, whatever the others do. */
export const killOwnProcess = ({ leadsGroup, mark }: Pick<WatchdogData, 'leadsGroup' | 'mark'>): void => {
  killStarted(mark)
  process.kill(leadsGroup ? -process.pid : process.pid, 'SIGKILL')
}
