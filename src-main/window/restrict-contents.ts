// Prevents all web contents of all sessions from leaving the page, opening windows, getting permissions and staying open. Where
// Electron would choose for the user, it chooses nothing. Keeps Chromium from loading dictionaries from Google.

import { app, session, shell, type Session, type WebContents } from 'electron'
import { isOwnPage, mayOpenOutside } from './may-leave.ts'
import { createRecentInput, isDeliberate } from './recent-input.ts'

/** The page's copy buttons need it. */
const PERMITTED = 'clipboard-sanitized-write'

export const restrictContents = (origin: string, runtimePort: () => number | undefined): void => {
  restrictSession(session.defaultSession, origin)
  app.on('session-created', (created) => restrictSession(created, origin))
  app.on('web-contents-created', (_event, contents) => {
    restrictNavigation(contents, origin, runtimePort)
    restrictChoices(contents)
  })
  // Otherwise each service that asks for a certificate gets the first one of the user's, and so learns who they are.
  app.on('select-client-certificate', (event, _contents, _url, _certificates, choose) => {
    event.preventDefault()
    choose()
  })
}

/** Electron has separate handlers for requests and checks, and grants both without a handler. */
const restrictSession = (restricted: Session, origin: string): void => {
  restricted.setPermissionRequestHandler((_contents, permission, answer, { requestingUrl }) =>
    answer(permission === PERMITTED && isOwnPage(requestingUrl, origin)),
  )
  restricted.setPermissionCheckHandler(
    (_contents, permission, requestingOrigin) => permission === PERMITTED && isOwnPage(requestingOrigin, origin),
  )
  restricted.setDevicePermissionHandler(() => false)
  // Each session begins to load those of the system's language, even if no window checks spelling. At once, before it asks for them.
  restricted.setSpellCheckerLanguages([])
}

const restrictNavigation = (contents: WebContents, origin: string, runtimePort: () => number | undefined): void => {
  const stay = (event: { readonly url: string; preventDefault(): void }): void => {
    if (!isOwnPage(event.url, origin)) event.preventDefault()
  }
  contents.on('will-navigate', stay)
  contents.on('will-frame-navigate', stay)
  contents.on('will-redirect', stay)
  contents.on('will-attach-webview', (event) => event.preventDefault())
  const input = createRecentInput(() => performance.now())
  const look = (_event: unknown, { type }: { readonly type: string }): void => {
    if (isDeliberate(type)) input.saw()
  }
  contents.on('before-input-event', look)
  contents.on('before-mouse-event', look)
  contents.setWindowOpenHandler(({ url }) => {
    if (input.isRecent() && mayOpenOutside(url, runtimePort()))
      setImmediate(() => void shell.openExternal(url).catch(() => undefined))
    return { action: 'deny' }
  })
}

const restrictChoices = (contents: WebContents): void => {
  // A page that asks to stay open would keep the app from ending, without a word to the user.
  contents.on('will-prevent-unload', (event) => event.preventDefault())
  contents.on('select-bluetooth-device', (event, _devices, choose) => {
    event.preventDefault()
    choose('')
  })
}
