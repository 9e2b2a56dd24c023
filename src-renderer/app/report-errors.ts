// Errors of the page go to the log: the desktop app's through its bridge, a browser's own console has them already.

import { desktop } from '../desktop.ts'

/** A page that fails in a loop does not fill the log. */
const MOST = 50
const LONGEST = 8_000

let reported = 0

const logError = (error: unknown): void => {
  if (desktop === undefined || reported >= MOST) return
  reported += 1
  const text = error instanceof Error ? (error.stack ?? `${error.name}: ${error.message}`) : String(error)
  const where = window.location.pathname
  desktop.logs.pageError({ where: where.slice(0, LONGEST), text: text.slice(0, LONGEST) }).catch(() => {})
}

/** Once, for the whole page. */
export const reportErrors = (): void => {
  window.addEventListener('error', ({ error, message }) => logError(error ?? message))
  window.addEventListener('unhandledrejection', ({ reason }) => logError(reason))
}

/** For React: an error that a screen's boundary caught goes to the console and the log like any other. */
export const onCaughtError = (error: unknown): void => window.reportError(error)
