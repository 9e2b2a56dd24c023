// The items of the tray menu.

import type { MenuItemConstructorOptions } from 'electron'
import { connectionItems, type ConnectionChoices } from '../connections/connection-items.ts'
import { RUNTIME_VERBS, verbIsPossible, type RuntimeVerb } from '../menu/runtime-verbs.ts'
import type { Failure } from '../notifications/watch-executions.ts'
import type { RuntimeState } from '../preload/desktop-api.ts'

export type TrayActions = {
  readonly open: (path?: string) => void
  readonly runtime: (verb: RuntimeVerb) => void
  readonly connectToHosted: () => void
  readonly quit: () => void
}

const LINE: MenuItemConstructorOptions = { type: 'separator' }

export const trayTemplate = (
  state: RuntimeState,
  description: string,
  failures: readonly Failure[],
  connections: ConnectionChoices,
  actions: TrayActions,
): MenuItemConstructorOptions[] => [
  { id: 'tray-state', label: description, enabled: false },
  ...RUNTIME_VERBS.filter(({ verb }) => verbIsPossible(verb, state)).map(({ verb, label }) => ({
    id: `tray-${verb}`,
    label,
    click: () => actions.runtime(verb),
  })),
  LINE,
  ...(failures.length === 0
    ? []
    : [
        { id: 'tray-failures', label: 'Last failures', enabled: false },
        ...failures.map(({ path, programId, at }, index) => ({
          id: `tray-failure-${index + 1}`,
          label: `${programId}, ${new Date(at).toLocaleTimeString()}`,
          click: () => actions.open(path),
        })),
        LINE,
      ]),
  ...(connections.saved.length === 0 ? [] : connectionItems(connections, 'tray-connection-', actions.open)),
  { id: 'tray-connect-to-hosted', label: 'Connect to Hosted…', click: actions.connectToHosted },
  LINE,
  { id: 'tray-open', label: 'Open Dashboard', click: () => actions.open() },
  { id: 'tray-quit', label: 'Quit', click: actions.quit },
]
