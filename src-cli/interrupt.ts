// What a command says when a signal ends it.

import { constants } from 'node:os'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Calls `say` if a signal arrives during `work`. The signal then ends the process, so that its parent learns of it. */
export const sayingIfInterrupted = async <Result>(
  say: () => Promise<void>,
  work: () => Promise<Result>,
): Promise<Result> => {
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    ignore()
    await say()
    process.kill(process.pid, signal)
    // No signal ends the first process of a container.
    if (process.pid === 1) process.exit(128 + constants.signals[signal])
  }
  const onSignal = (signal: NodeJS.Signals): void => void end(signal)
  const ignore = (): void => SIGNALS.forEach((signal) => process.off(signal, onSignal))
  SIGNALS.forEach((signal) => process.on(signal, onSignal))
  try {
    return await work()
  } finally {
    ignore()
  }
}
