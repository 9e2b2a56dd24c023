// Sends the page's errors to the desktop app's log. In a browser, the console has them already.

import { desktop } from '../desktop.ts'

/** Keeps a page that fails in a loop from filling the log. */
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

/** Call once for the page. */
export const reportErrors = (): void => {
  window.addEventListener('error', ({ error, message }) => logError(error ?? message))
  window.addEventListener('unhandledrejection', ({ reason }) => logError(reason))
}

/** For React: reports an error that a screen's boundary caught to the console and the log. */
export const onCaughtError = (error: unknown): void => window.reportError(error)
