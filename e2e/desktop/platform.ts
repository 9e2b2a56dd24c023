// The app's menus, tray, notifications and dialogs for tests.

import type { ElectronApplication } from '@playwright/test'

/** The records of record.cjs in main. */
export type DesktopRecord = {
  readonly opened: { readonly how: string; readonly what: string }[]
  readonly notifications: Electron.Notification[]
  readonly dialogs: { readonly how: string; readonly title: string; readonly message: string }[]
  readonly errorBoxes: { readonly title: string; readonly content: string }[]
  readonly answers: { readonly how: string; readonly answer: unknown }[]
  readonly trayMenu: Electron.Menu | null
  readonly trayTip: string
}
declare global {
  var desktopRecord: DesktopRecord
}

type DialogName = 'showMessageBox' | 'showOpenDialog' | 'showSaveDialog'

/** Clicks a menu item, unless it is disabled. */
export const clickMenu = (electronApp: ElectronApplication, id: string): Promise<void> =>
  electronApp.evaluate(({ Menu }, wanted) => {
    const item = Menu.getApplicationMenu()?.getMenuItemById(wanted)
    if (!item?.enabled) throw new Error(`the menu has no item "${wanted}" that can be clicked`)
    item.click()
  }, id)

export const menuIsEnabled = (electronApp: ElectronApplication, id: string): Promise<boolean | undefined> =>
  electronApp.evaluate(({ Menu }, wanted) => Menu.getApplicationMenu()?.getMenuItemById(wanted)?.enabled, id)

export const clickTray = (electronApp: ElectronApplication, id: string): Promise<void> =>
  electronApp.evaluate((_electron, wanted) => {
    const item = desktopRecord.trayMenu?.getMenuItemById(wanted)
    if (!item?.enabled) throw new Error(`the tray has no item "${wanted}" that can be clicked`)
    item.click()
  }, id)

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
