// The tray icon. Some Linux desktops show none, so every action is also available elsewhere.

import { Menu, nativeImage, Tray, type MenuItemConstructorOptions } from 'electron'
import { join } from 'node:path'
import type { Logger } from 'pino'

export type AppTray = {
  update(template: MenuItemConstructorOptions[], toolTip: string): void
}

/** Undefined where there is no tray. */
export const createAppTray = (iconsFolder: string, onClick: () => void, log: Logger): AppTray | undefined => {
  try {
    const tray = new Tray(trayImage(iconsFolder))
    // On macOS a click opens the menu. On Linux it depends on the desktop: on KDE only a right click does.
    if (process.platform !== 'darwin') tray.on('click', () => onClick())
    return {
      update: (template, toolTip) => {
        tray.setToolTip(toolTip)
        // Linux does not show changes of a menu that was already set.
        tray.setContextMenu(Menu.buildFromTemplate(template))
      },
    }
  } catch (error) {
    log.warn({ err: error }, 'there is no tray')
    return undefined
  }
}

/** macOS colours template images like its menu bar. */
const trayImage = (folder: string): Electron.NativeImage => {
  if (process.platform !== 'darwin') return nativeImage.createFromPath(join(folder, 'tray.png'))
  const image = nativeImage.createFromPath(join(folder, 'trayTemplate.png'))
  image.setTemplateImage(true)
  return image
}
