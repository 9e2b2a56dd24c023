// The app's menus, tray, notifications and dialogs for tests.

import { expect, type ElectronApplication } from '@playwright/test'

/** The records of record.cjs in main. */
export type DesktopRecord = {
  readonly opened: { readonly how: string; readonly what: string }[]
  readonly notifications: Electron.Notification[]
  readonly dialogs: {
    readonly how: string
    readonly title: string
    readonly message: string
    readonly detail: string
    /** Without a window, macOS stops the whole process until the user answers. */
    readonly isInWindow: boolean
    /** The app has closed it itself. */
    readonly isWithdrawn: boolean
  }[]
  readonly errorBoxes: { readonly title: string; readonly content: string }[]
  readonly answers: { readonly how: string; readonly answer: unknown }[]
  /** Menus of a right click. */
  readonly popups: Electron.Menu[]
  readonly tray: Electron.Tray | null
  readonly trayMenu: Electron.Menu | null
  readonly trayTip: string
}
declare global {
  var desktopRecord: DesktopRecord
}

type DialogName = 'showMessageBox' | 'showOpenDialog' | 'showSaveDialog'

/** Clicks an item of the menu once it is there and enabled. */
export const clickMenu = (electronApp: ElectronApplication, id: string): Promise<void> =>
  untilClicked(`the item "${id}" of the menu is clicked`, () =>
    electronApp.evaluate(({ Menu }, wanted) => {
      const item = Menu.getApplicationMenu()?.getMenuItemById(wanted)
      if (item?.enabled) item.click()
      return item?.enabled === true
    }, id),
  )

/** Main updates its menus after the page has shown the same change, or before. */
const untilClicked = (message: string, click: () => Promise<boolean>): Promise<void> =>
  expect.poll(click, { message, intervals: [20, 50, 100, 250] }).toBe(true)

export const menuLabel = (electronApp: ElectronApplication, id: string): Promise<string | undefined> =>
  electronApp.evaluate(({ Menu }, wanted) => Menu.getApplicationMenu()?.getMenuItemById(wanted)?.label, id)

export const menuIsEnabled = (electronApp: ElectronApplication, id: string): Promise<boolean | undefined> =>
  electronApp.evaluate(({ Menu }, wanted) => Menu.getApplicationMenu()?.getMenuItemById(wanted)?.enabled, id)

/** Clicks an item of the tray's menu once it is there and enabled. */
export const clickTray = (electronApp: ElectronApplication, id: string): Promise<void> =>
  untilClicked(`the item "${id}" of the tray is clicked`, () =>
    electronApp.evaluate((_electron, wanted) => {
      const item = desktopRecord.trayMenu?.getMenuItemById(wanted)
      if (item?.enabled) item.click()
      return item?.enabled === true
    }, id),
  )

/** Where a click opens the tray's menu (macOS), it clicks what that opens the window with. */
export const clickTrayIcon = (electronApp: ElectronApplication): Promise<void> =>
  process.platform === 'darwin'
    ? clickTray(electronApp, 'tray-open')
    : electronApp.evaluate(() => {
        const place = { x: 1_000, y: 10, width: 22, height: 22 }
        desktopRecord.tray?.emit('click', { altKey: false, triggeredByAccelerator: false }, place, { x: 1_010, y: 20 })
      })

export const trayLabels = (electronApp: ElectronApplication): Promise<readonly string[]> =>
  electronApp.evaluate(() =>
    (desktopRecord.trayMenu?.items ?? []).filter(({ type }) => type !== 'separator').map(({ label }) => label),
  )

/** The answer for the next dialog of this kind. */
export const answerDialog = (electronApp: ElectronApplication, how: DialogName, answer: object): Promise<unknown> =>
  electronApp.evaluate((_electron, prepared) => desktopRecord.answers.push(prepared), { how, answer })

/** The app's calls to the system. */
export const openedOutside = (electronApp: ElectronApplication): Promise<DesktopRecord['opened']> =>
  electronApp.evaluate(() => desktopRecord.opened)

export const shownDialogs = (electronApp: ElectronApplication): Promise<DesktopRecord['dialogs']> =>
  electronApp.evaluate(() => desktopRecord.dialogs)

export const shownNotifications = (
  electronApp: ElectronApplication,
): Promise<readonly { readonly title: string; readonly body: string }[]> =>
  electronApp.evaluate(() => desktopRecord.notifications.map(({ title, body }) => ({ title, body })))

export const clickNotification = (electronApp: ElectronApplication, title: string): Promise<void> =>
  electronApp.evaluate((_electron, wanted) => {
    const found = desktopRecord.notifications.find((one) => one.title === wanted)
    if (found === undefined) throw new Error(`no notification says "${wanted}"`)
    found.emit('click', { preventDefault() {} })
  }, title)
