// The application menu and the tray, each rebuilt when what it shows has changed: a rebuilt menu closes.

import { Menu } from 'electron'
import { trayTemplate, type TrayActions } from '../tray/tray-template.ts'
import type { AppTray } from '../tray/app-tray.ts'
import type { ExecutionWatch } from '../notifications/watch-executions.ts'
import { menuTemplate, type MenuActions, type MenuFacts } from './menu-template.ts'
import { describeState } from './runtime-verbs.ts'

export const createMenus = (parts: {
  readonly facts: () => MenuFacts
  readonly watch: Pick<ExecutionWatch, 'failures' | 'diskIsFull'>
  readonly menuActions: MenuActions
  readonly trayActions: TrayActions
  readonly tray: AppTray | undefined
}): { update(): void; updateTray(): void } => {
  const { facts, watch, menuActions, trayActions, tray } = parts
  const updateTray = (): void => {
    const { state, connections } = facts()
    const description = describeState(state, watch.diskIsFull())
    tray?.update(trayTemplate(state, description, watch.failures(), connections, trayActions), description)
  }
  const update = (): void => {
    Menu.setApplicationMenu(Menu.buildFromTemplate(menuTemplate(facts(), menuActions)))
    updateTray()
  }
  return { update, updateTray }
}
