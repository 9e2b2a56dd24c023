import type { BaseWindow, KeyboardEvent, Menu, MenuItemConstructorOptions, MenuItem as RealMenuItem } from 'electron'
import { notEmulated } from '../emulate.ts'
import { app } from './app.ts'
import { BrowserWindow } from './browser-window.ts'

/** The roles that tests click. Other roles belong to the system or the page. */
const ROLE_CLICKS: Readonly<Record<string, (window: Electron.BrowserWindow | undefined) => void>> = {
  close: (window) => window?.close(),
  forcereload: (window) => window?.webContents.reloadIgnoringCache(),
  minimize: (window) => window?.minimize(),
  quit: () => app.quit(),
  reload: (window) => window?.webContents.reload(),
  togglefullscreen: (window) => window?.setFullScreen(!window.isFullScreen()),
}

const ROLE_SUBMENUS: Readonly<Record<string, readonly (RealMenuItem['role'] | 'separator')[]>> = {
  appmenu: ['about', 'separator', 'services', 'separator', 'hide', 'hideOthers', 'unhide', 'separator', 'quit'],
  editmenu: ['undo', 'redo', 'separator', 'cut', 'copy', 'paste', 'delete', 'separator', 'selectAll'],
  filemenu: ['quit'],
  viewmenu: [
    'reload',
    'forceReload',
    'toggleDevTools',
    'separator',
    'resetZoom',
    'zoomIn',
    'zoomOut',
    'separator',
    'togglefullscreen',
  ],
  windowmenu: ['minimize', 'zoom', 'close'],
}

let made = 0

/** Converts `item` to plain data, as in Electron, so that a menu can be read; only its click works. */
export const fillMenuItem = (
  item: RealMenuItem,
  options: MenuItemConstructorOptions,
  toMenu: (template: MenuItemConstructorOptions[]) => Menu,
): void => {
  const role = options.role?.toLowerCase() as RealMenuItem['role']
  const template = options.submenu ?? (role && ROLE_SUBMENUS[role]?.map(toTemplate))
  const submenu = Array.isArray(template) ? toMenu(template) : template
  const { click } = options
  Object.assign(item, {
    enabled: true,
    visible: true,
    checked: false,
    label: options.role ?? '',
    sublabel: '',
    toolTip: '',
    accelerator: null,
    registerAccelerator: true,
    ...options,
    ...(role && { role }),
    ...(submenu && { submenu }),
    type: options.type ?? (submenu ? 'submenu' : 'normal'),
    commandId: ++made,
    userAccelerator: null,
    click(event?: KeyboardEvent, window?: BaseWindow) {
      if (!item.enabled) return
      if (item.type === 'checkbox' || item.type === 'radio') item.checked = !item.checked
      const target = window ?? BrowserWindow.getFocusedWindow() ?? undefined
      if (role !== undefined) clickRole(role, target as Electron.BrowserWindow | undefined)
      else click?.(item, target, event ?? {})
    },
  })
}

const toTemplate = (role: RealMenuItem['role'] | 'separator'): MenuItemConstructorOptions =>
  role === 'separator' ? { type: 'separator' } : { role: role! }

const clickRole = (role: string, window: Electron.BrowserWindow | undefined): void => {
  const click = ROLE_CLICKS[role]
  if (click === undefined) throw notEmulated(`a click on the menu role "${role}"`)
  click(window)
}
