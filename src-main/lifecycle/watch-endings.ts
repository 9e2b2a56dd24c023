// Handles everything that can end the app.

import { app, dialog, powerMonitor } from 'electron'
import { setImmediate as afterEvents } from 'node:timers/promises'
import type { Logger } from 'pino'
import { STOP_MESSAGE } from '../../src-runtime/shared/stop-message.ts'
import { APP_NAME } from '../app-identity.ts'
import { redact } from '../logs/redact.ts'
import type { Shutdown } from './shutdown.ts'

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

export const watchEndings = (parts: {
  readonly shutdown: Shutdown
  /** Whether the app keeps running without a window. */
  readonly runsInBackground: () => boolean
  /** From here on no window may open. */
  readonly onEnding: () => void
  /** Once everything has stopped. */
  readonly atEnd: () => Promise<void>
}): void => {
  const { shutdown, runsInBackground, onEnding, atEnd } = parts
  app.on('before-quit', onEnding)
  app.on('window-all-closed', () => {
    if (!runsInBackground()) app.quit()
  })
  app.on('will-quit', (event) => {
    event.preventDefault()
    void shutdown.begin('quit', 0, atEnd)
  })
  // Linux and macOS wait a little if asked; Windows notifies only windows (`session-end`).
  powerMonitor.on('shutdown', (event?: { preventDefault(): void }) => {
    event?.preventDefault()
    // Without installing an update, for which the system may not wait: it would leave half of one.
    void shutdown.begin('shutdown', 0)
    app.quit()
  })
  for (const signal of SIGNALS) process.on(signal, () => app.quit())
  // From `npm start` on Windows, which has no signals.
  process.on('message', (message: unknown) => {
    if (message === STOP_MESSAGE) app.quit()
  })
}

/** After an uncaught error the app's state is unknown, so the app logs the error and ends. */
export const watchCrashes = (parts: {
  readonly shutdown: Shutdown
  /** From here on no window may open. */
  readonly onEnding: () => void
  /** Once the user has read the error. */
  readonly atEnd: () => void
  readonly log: Logger
}): void => {
  const { shutdown, onEnding, atEnd, log } = parts
  const crash = (error: unknown): void => {
    log.fatal({ err: error }, 'an uncaught error')
    onEnding()
    const said = error instanceof Error ? (error.stack ?? error.message) : String(error)
    void shutdown.begin('crash', 1, async () => {
      dialog.showErrorBox(`${APP_NAME} has to close`, redact(said))
      // The box stops this process, so what came meanwhile is handled now.
      await afterEvents()
      atEnd()
    })
  }
  process.on('uncaughtException', crash)
  process.on('unhandledRejection', crash)
  app.on('child-process-gone', (_event, { type, reason, exitCode, serviceName }) => {
    log.warn({ type, reason, exitCode, serviceName }, 'a child process is gone')
  })
}
