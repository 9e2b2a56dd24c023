// Collects the complaints of a browser context's pages as lines of text.

import type { BrowserContext, ConsoleMessage, Request } from '@playwright/test'

/** `console.error: …`, `console.warning: …`, `page error: …`, `CSP: …` or `other origin: …`, with the URL. */
export type Complaint = string

const REPORT = '__cspViolation'

/** `origins` is read at each request, so origins may be added later. */
export const watchPages = async (
  context: BrowserContext,
  origins: ReadonlySet<string>,
  complain: (complaint: Complaint) => void,
): Promise<void> => {
  context.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complain(tellConsole(message))
  })
  context.on('weberror', (error) => complain(`page error: ${error.error().stack ?? error.error().message}`))
  context.on('request', (request) => {
    if (!isOwn(request, origins)) complain(`other origin: ${request.method()} ${request.url()}`)
  })
  context.on('page', (page) =>
    page.on('websocket', (socket) => complain(`other origin: a WebSocket to ${socket.url()}`)),
  )
  // Chromium does not write every violation to the console, and a library may catch it.
  await context.exposeFunction(REPORT, (what: string) => complain(`CSP: ${what}`))
  await context.addInitScript((name) => {
    document.addEventListener('securitypolicyviolation', (event) => {
      const report = (window as unknown as Record<string, (what: string) => void>)[name]
      report?.(`${event.effectiveDirective} refused ${event.blockedURI} at ${event.sourceFile}:${event.lineNumber}`)
    })
  }, REPORT)
}

const tellConsole = (message: ConsoleMessage): Complaint =>
  `console.${message.type()}: ${message.text()} (${message.location().url})`

/** Whether the URL is local to the page: data and blobs. */
const isOwn = (request: Request, origins: ReadonlySet<string>): boolean => {
  const { protocol, origin } = new URL(request.url())
  return protocol === 'data:' || protocol === 'blob:' || protocol === 'about:' || origins.has(origin)
}
