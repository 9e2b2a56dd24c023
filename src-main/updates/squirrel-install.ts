// Hands a downloaded update to Squirrel, the updater of macOS: it checks the signature while the app runs, and installs once the app
// has ended. In place of MacUpdater.quitAndInstall, which still waits after a failure and then restarts without having been asked.

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
}

export const createSquirrelInstall = (squirrel: Squirrel): SquirrelInstall => {
  let stage: 'none' | 'loading' | 'loaded' = 'none'
  let restarts = false
  let failed: (error: unknown) => void = () => undefined

  squirrel.on('update-downloaded', () => {
    stage = 'loaded'
    if (restarts) squirrel.quitAndInstall()
  })
  squirrel.on('error', (error) => {
    stage = 'none'
    restarts = false
    failed(error)
  })

  const handOver = (): void => {
    if (stage !== 'none') return
    stage = 'loading'
    squirrel.checkForUpdates()
  }

  return {
    restart: (onFailed) => {
      failed = onFailed
      restarts = true
      if (stage === 'loaded') squirrel.quitAndInstall()
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
  }
}
