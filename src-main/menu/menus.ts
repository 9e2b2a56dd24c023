// The application menu and the tray, rebuilt whenever what they show has changed.

import { Menu } from 'electron'
import { trayTemplate, type TrayActions } from '../tray/tray-template.ts'
import type { AppTray } from '../tray/app-tray.ts'
import type { Failure } from '../notifications/watch-executions.ts'
import { menuTemplate, type MenuActions, type MenuFacts } from './menu-template.ts'
import { describeState } from './runtime-verbs.ts'

export const createMenus = (parts: {
  readonly facts: () => MenuFacts
  readonly failures: () => readonly Failure[]
  readonly menuActions: MenuActions
  readonly trayActions: TrayActions
  readonly tray: AppTray | undefined
}): { update(): void } => {
  const { facts, failures, menuActions, trayActions, tray } = parts
  const update = (): void => {
    const shown = facts()
    Menu.setApplicationMenu(Menu.buildFromTemplate(menuTemplate(shown, menuActions)))
    const template = trayTemplate(shown.state, failures(), shown.connections, trayActions)
    tray?.update(template, describeState(shown.state))
  }
  return { update }
}
