// Hands a downloaded update to Squirrel, the updater of macOS: it checks the signature while the app runs, and installs once the app
// has ended. In place of MacUpdater.quitAndInstall, which still waits after a failure and then restarts without having been asked.

import { within } from '../../src-runtime/shared/within.ts'

type Squirrel = {
  on(event: 'update-downloaded', listener: () => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  /** Loads the update from electron-updater, which serves it on this computer. */
  checkForUpdates(): void
  quitAndInstall(): void
}

export type SquirrelInstall = {
  /** Ends the app once Squirrel has the update, and starts it again. */
  restart(onFailed: (error: unknown) => void): void
  cancelRestart(): void
  /** The update is installed when the user quits. */
  prepare(onFailed: (error: unknown) => void): void
  /** Another update is loaded. */
  forget(): void
  /** As the app ends. False if Squirrel does not start it again, though it should. */
  atEnd(startsAgain: boolean): Promise<boolean>
}

/** Squirrel writes a file, and then quits the app. */
const QUIT_LIMIT_MS = 5_000

/** `onceQuit`: calls back when something quits the app. */
export const createSquirrelInstall = (
  squirrel: Squirrel,
  onceQuit: (listener: () => void) => void,
): SquirrelInstall => {
  let stage: 'none' | 'loading' | 'loaded' | 'relaunching' = 'none'
  let restarts = false
  let failed: (error: unknown) => void = () => undefined

  squirrel.on('update-downloaded', () => {
    stage = 'loaded'
    if (restarts) relaunch()
  })
  squirrel.on('error', (error) => {
    stage = 'none'
    restarts = false
    failed(error)
  })

  const relaunch = (): void => {
    stage = 'relaunching'
    squirrel.quitAndInstall()
  }

  const handOver = (): void => {
    if (stage !== 'none') return
    stage = 'loading'
    squirrel.checkForUpdates()
  }

  return {
    restart: (onFailed) => {
      failed = onFailed
      restarts = true
      if (stage === 'loaded') relaunch()
      else handOver()
    },
    cancelRestart: () => {
      restarts = false
    },
    prepare: (onFailed) => {
      failed = onFailed
      restarts = false
      handOver()
    },
    forget: () => {
      stage = 'none'
      restarts = false
    },
    atEnd: async (startsAgain) => {
      if (!startsAgain || stage === 'relaunching') return true
      if (stage !== 'loaded') return false
      const quit = new Promise<boolean>((resolve) => {
        failed = () => resolve(false)
        onceQuit(() => resolve(true))
      })
      relaunch()
      return (await within(QUIT_LIMIT_MS, quit)) === true
    },
  }
}
