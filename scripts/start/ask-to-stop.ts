// Asks a child process to stop as it does on Ctrl-C. Windows has no signals: there Node's `kill` ends a process at once,
// and throws for most signals, so the child gets a channel for a message.

import type { ChildProcess } from 'node:child_process'
import { STOP_MESSAGE } from '../../src-runtime/shared/stop-message.ts'

/** What `stdio` has after the three streams. */
export const stopChannel = (platform: NodeJS.Platform): readonly 'ipc'[] => (platform === 'win32' ? ['ipc'] : [])

export const askToStop = (child: ChildProcess, signal: NodeJS.Signals, platform: NodeJS.Platform): void => {
  if (child.connected) child.send(STOP_MESSAGE, () => undefined)
  else child.kill(platform === 'win32' ? 'SIGTERM' : signal)
}
