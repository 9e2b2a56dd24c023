import { EventEmitter } from 'node:events'
import type { Menu as RealMenu, MenuItem as RealMenuItem, MenuItemConstructorOptions } from 'electron'
import { emulateClass, type Part } from '../emulate.ts'
import { fillMenuItem } from './menu-item.ts'

let applicationMenu: RealMenu | null = null

class StandInMenu extends EventEmitter implements Part<RealMenu> {
  static setApplicationMenu(menu: RealMenu | null): void {
    applicationMenu = menu
  }
  static getApplicationMenu(): RealMenu | null {
    return applicationMenu
  }
  static buildFromTemplate(template: (MenuItemConstructorOptions | RealMenuItem)[]): RealMenu {
    const menu = new Menu()
    for (const one of template) {
      menu.append(
        one instanceof StandInMenuItem
          ? (one as unknown as RealMenuItem)
          : new MenuItem(one as MenuItemConstructorOptions),
      )
    }
    return menu
  }

  readonly items: RealMenuItem[] = []
  append(item: RealMenuItem): void {
    this.insert(this.items.length, item)
  }
  insert(position: number, item: RealMenuItem): void {
    this.items.splice(position, 0, item)
    item.menu = this
  }
  getMenuItemById(id: string): RealMenuItem | null {
    for (const item of this.items) {
      const found = item.id === id ? item : item.submenu?.getMenuItemById(id)
      if (found) return found
    }
    return null
  }
  // Visible only on a desktop.
  popup(): void {}
  closePopup(): void {}
}

export const Menu = emulateClass<typeof RealMenu>()('Menu', StandInMenu)

class StandInMenuItem {
  constructor(options: MenuItemConstructorOptions) {
    fillMenuItem(this as unknown as RealMenuItem, options, (template) => Menu.buildFromTemplate(template))
  }
}

/** Without checks for unsupported members: it is data, whose members may be absent. */
export const MenuItem = StandInMenuItem as unknown as typeof RealMenuItem
