// Hands a downloaded update to its installer, and hears of it if that does not start. On Windows, electron-updater first says that
// it has started, and a moment later that it has not.

import { setTimeout as pass } from 'node:timers/promises'

type Updater = {
  once(event: 'error', listener: (error: Error) => void): unknown
  install(isSilent: boolean, startsAgain: boolean): boolean
}

/** `hearMs`: how long a failure is listened for. */
export const runInstaller = async (updater: Updater, startsAgain: boolean, hearMs: number): Promise<void> => {
  let problem: Error | undefined
  const failed = new Promise<void>((resolve) => {
    updater.once('error', (error) => {
      problem = error
      resolve()
    })
  })
  const hasStarted = updater.install(!startsAgain, startsAgain)
  if (hasStarted) await Promise.race([failed, pass(hearMs)])
  if (!hasStarted || problem !== undefined) throw problem ?? new Error('the installer did not start')
}
