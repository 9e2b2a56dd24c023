// The `electron` module of the main process.

import type * as Common from 'electron/common'
import type * as Main from 'electron/main'
import { gap } from './emulate.ts'
import { app } from './modules/app.ts'
import { BrowserWindow } from './modules/browser-window.ts'
import { clipboard } from './modules/clipboard.ts'
import { crashReporter } from './modules/crash-reporter.ts'
import { dialog } from './modules/dialog.ts'
import { ipcMain } from './modules/ipc-main.ts'
import { Menu, MenuItem } from './modules/menu.ts'
import { nativeImage } from './modules/native-image.ts'
import { nativeTheme } from './modules/native-theme.ts'
import { net } from './modules/net.ts'
import { Notification } from './modules/notification.ts'
import { powerMonitor, powerSaveBlocker } from './modules/power.ts'
import { protocol } from './modules/protocol.ts'
import { safeStorage } from './modules/safe-storage.ts'
import { screen } from './modules/screen.ts'
import { session } from './modules/session.ts'
import { shell } from './modules/shell.ts'
import { Tray } from './modules/tray.ts'
import { utilityProcess } from './modules/utility-process.ts'
import { WebContents } from './modules/web-contents.ts'

const electron = {
  app,
  BrowserWindow,
  clipboard,
  crashReporter,
  dialog,
  ipcMain,
  Menu,
  MenuItem,
  nativeImage,
  nativeTheme,
  net,
  Notification,
  powerMonitor,
  powerSaveBlocker,
  protocol,
  safeStorage,
  screen,
  session,
  shell,
  Tray,
  utilityProcess,
  webContents: WebContents,
} satisfies Partial<Record<keyof typeof Main | keyof typeof Common, unknown>>

type Emulated = keyof typeof electron
/** Other members of Electron's main process. */
type Missing = Exclude<keyof typeof Main | keyof typeof Common, Emulated>

const gaps = {
  autoUpdater: gap('autoUpdater'),
  BaseWindow: gap('BaseWindow'),
  BrowserView: gap('BrowserView'),
  ClipboardItem: gap('ClipboardItem'),
  contentTracing: gap('contentTracing'),
  desktopCapturer: gap('desktopCapturer'),
  globalShortcut: gap('globalShortcut'),
  ImageView: gap('ImageView'),
  inAppPurchase: gap('inAppPurchase'),
  IpcMainServiceWorker: gap('IpcMainServiceWorker'),
  MessageChannelMain: gap('MessageChannelMain'),
  netLog: gap('netLog'),
  pushNotifications: gap('pushNotifications'),
  ShareMenu: gap('ShareMenu'),
  sharedTexture: gap('sharedTexture'),
  systemPreferences: gap('systemPreferences'),
  TouchBar: gap('TouchBar'),
  View: gap('View'),
  WebContentsView: gap('WebContentsView'),
  webFrameMain: gap('webFrameMain'),
  WebSocket: gap('WebSocket'),
} satisfies Record<Missing, unknown>

const everything = { ...electron, ...gaps }

// oxlint-disable-next-line import/no-default-export -- Electron has one
export { everything as default, everything as 'module.exports' }
export {
  app,
  BrowserWindow,
  clipboard,
  crashReporter,
  dialog,
  ipcMain,
  Menu,
  MenuItem,
  nativeImage,
  nativeTheme,
  net,
  Notification,
  powerMonitor,
  powerSaveBlocker,
  protocol,
  safeStorage,
  screen,
  session,
  shell,
  Tray,
  utilityProcess,
  WebContents as webContents,
}
export const {
  autoUpdater,
  BaseWindow,
  BrowserView,
  ClipboardItem,
  contentTracing,
  desktopCapturer,
  globalShortcut,
  ImageView,
  inAppPurchase,
  IpcMainServiceWorker,
  MessageChannelMain,
  netLog,
  pushNotifications,
  ShareMenu,
  sharedTexture,
  systemPreferences,
  TouchBar,
  View,
  WebContentsView,
  webFrameMain,
  WebSocket,
} = gaps
