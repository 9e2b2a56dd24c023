// The pages of Chromium that the app opened.

import { type Cdp, type CdpSession } from './cdp.ts'

export type PageTarget = {
  readonly id: string
  readonly session: CdpSession
  /** The browser's session, for commands about the whole target. */
  readonly browser: CdpSession
  close(): void
}

export type TargetEvents = {
  /** A window that a page opened in a way that was not caught in the page; it is closed. */
  popup(url: string): void
  gone(): void
}

export type Browser = {
  openPage(size: { readonly width: number; readonly height: number }, events: TargetEvents): Promise<PageTarget>
  setPermission(name: string, granted: boolean, origin: string): Promise<void>
}

export const openBrowser = async (cdp: Cdp): Promise<Browser> => {
  const browser = cdp.session()
  const own = new Map<string, TargetEvents>()
  const sessions = new Map<string, string>()
  let opening = 0

  const closePopups = (): void => {
    for (const id of sessions.keys()) {
      if (own.has(id)) continue
      sessions.delete(id)
      browser.send('Target.closeTarget', { targetId: id }).catch(() => {})
    }
  }

  browser.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => {
    sessions.set(targetInfo.targetId, sessionId)
    const opener = targetInfo.openerId === undefined ? undefined : own.get(targetInfo.openerId)
    // Without an opener it may be one of our own whose id is not known yet.
    if (opener === undefined && opening > 0) return
    if (opener === undefined) [...own.values()].at(-1)?.popup(targetInfo.url)
    closePopups()
  })
  browser.on('Target.targetDestroyed', ({ targetId }) => {
    own.get(targetId)?.gone()
    own.delete(targetId)
    sessions.delete(targetId)
  })
  await browser.send('Target.setDiscoverTargets', { discover: true })
  await browser.send('Target.setAutoAttach', {
    autoAttach: true,
    waitForDebuggerOnStart: false,
    flatten: true,
    filter: [{ type: 'page' }, { exclude: true }],
  })

  return {
    async openPage(size, events) {
      opening++
      try {
        const { targetId: id } = await browser.send('Target.createTarget', {
          url: 'about:blank',
          ...size,
          newWindow: true,
        })
        own.set(id, events)
        const session = cdp.session(sessions.get(id))
        return {
          id,
          session,
          browser,
          close: () => void browser.send('Target.closeTarget', { targetId: id }).catch(() => {}),
        }
      } finally {
        opening--
        if (opening === 0) closePopups()
      }
    },
    async setPermission(name, granted, origin) {
      await browser.send('Browser.setPermission', {
        permission: { name },
        setting: granted ? 'granted' : 'denied',
        origin,
      })
    },
  }
}
