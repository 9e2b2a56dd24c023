// The application menu. Ids name items in tests; accelerators that the page handles itself are shown, not registered.

import type { MenuItemConstructorOptions } from 'electron'
import { APP_NAME } from '../app-identity.ts'
import { connectionItems, escaped, type ConnectionChoices } from '../connections/connection-items.ts'
import type { DesktopCommand, ProjectFolders, RuntimeState, Theme, UpdateState } from '../preload/desktop-api.ts'
import { RUNTIME_VERBS, verbIsPossible, type RuntimeVerb } from './runtime-verbs.ts'

export type MenuActions = {
  readonly navigate: (path: string) => void
  readonly goBack: () => void
  readonly goForward: () => void
  readonly command: (command: DesktopCommand) => void
  readonly runtime: (verb: RuntimeVerb) => void
  readonly openInBrowser: () => void
  readonly chooseProject: () => void
  readonly openProject: (folder: string) => void
  readonly openSample: () => void
  readonly revealData: () => void
  readonly backUpData: () => void
  readonly revealLogs: () => void
  readonly copyDiagnostics: () => void
  readonly showUpdates: () => void
  readonly checkForUpdates: () => void
  readonly restartToUpdate: () => void
  readonly setTheme: (theme: Theme) => void
}

export type MenuFacts = {
  readonly platform: NodeJS.Platform
  /** A source checkout, with developer tools. */
  readonly isDevelopment: boolean
  readonly state: RuntimeState
  readonly folders: ProjectFolders
  readonly theme: Theme
  readonly connections: ConnectionChoices
  readonly updates: UpdateState
}

type Item = MenuItemConstructorOptions

const PAGES = [
  ['Executions', '/executions'],
  ['Programs', '/programs'],
  ['Waiting', '/waiting'],
  ['Errors', '/errors'],
  ['Metrics', '/metrics'],
] as const
const LINE: Item = { type: 'separator' }

const isMac = ({ platform }: MenuFacts): boolean => platform === 'darwin'

/** The labels of Electron's own menus have no letter that opens them with Alt. */
export const menuTemplate = (facts: MenuFacts, actions: MenuActions): Item[] => [
  ...(isMac(facts) ? [appMenu(facts, actions)] : []),
  fileMenu(facts, actions),
  editMenu(facts, actions),
  viewMenu(facts, actions),
  connectionMenu(facts, actions),
  runtimeMenu(facts, actions),
  { role: 'windowMenu', label: '&Window' },
  helpMenu(facts, actions),
]

const settingsItem = (actions: MenuActions): Item => ({
  id: 'settings',
  label: 'Settings…',
  accelerator: 'CmdOrCtrl+,',
  click: () => actions.navigate('/settings'),
})

const appMenu = ({ updates }: MenuFacts, actions: MenuActions): Item => ({
  role: 'appMenu',
  submenu: [
    { role: 'about' },
    updatesItem(updates, actions),
    LINE,
    settingsItem(actions),
    LINE,
    { role: 'services' },
    LINE,
    { role: 'hide' },
    { role: 'hideOthers' },
    { role: 'unhide' },
    LINE,
    { id: 'quit', role: 'quit' },
  ],
})

const fileMenu = (facts: MenuFacts, actions: MenuActions): Item => ({
  id: 'file',
  label: '&File',
  submenu: [
    command('start-execution', 'Start Execution…', 'CmdOrCtrl+N', actions),
    command('new-project', 'New Project…', undefined, actions),
    LINE,
    { id: 'choose-project', label: 'Open Project Folder…', accelerator: 'CmdOrCtrl+O', click: actions.chooseProject },
    {
      id: 'recent-projects',
      label: 'Open Recent',
      enabled: facts.folders.recent.length > 0,
      submenu: facts.folders.recent.map((folder, index) => ({
        id: `recent-project-${index + 1}`,
        label: escaped(folder),
        type: 'checkbox',
        checked: folder === facts.folders.current,
        click: () => actions.openProject(folder),
      })),
    },
    { id: 'open-sample', label: 'Open Sample Project', click: actions.openSample },
    LINE,
    ...(isMac(facts) ? [] : [settingsItem(actions), LINE]),
    { id: 'close-window', role: 'close' },
    ...(isMac(facts) ? [] : [{ id: 'quit', role: 'quit' } as const]),
  ],
})

/** As Electron's own, but without macOS's substitutions, which spoil JSON, and with what finds text on the screen. */
const editMenu = (facts: MenuFacts, actions: MenuActions): Item => ({
  role: 'editMenu',
  label: '&Edit',
  submenu: [
    { role: 'undo' },
    { role: 'redo' },
    LINE,
    { role: 'cut' },
    { role: 'copy' },
    { role: 'paste' },
    ...(isMac(facts) ? [{ role: 'pasteAndMatchStyle' } as const] : []),
    { role: 'delete' },
    { role: 'selectAll' },
    LINE,
    command('find', 'Find…', 'CmdOrCtrl+F', actions),
    command('find-next', 'Find Next', isMac(facts) ? 'Cmd+G' : 'F3', actions),
    command('find-previous', 'Find Previous', isMac(facts) ? 'Shift+Cmd+G' : 'Shift+F3', actions),
    ...(isMac(facts)
      ? [LINE, { label: 'Speech', submenu: [{ role: 'startSpeaking' }, { role: 'stopSpeaking' }] } satisfies Item]
      : []),
  ],
})

const viewMenu = (facts: MenuFacts, actions: MenuActions): Item => ({
  id: 'view',
  label: '&View',
  submenu: [
    command('command-palette', 'Command Palette…', 'CmdOrCtrl+K', actions),
    LINE,
    { id: 'back', label: 'Back', accelerator: isMac(facts) ? 'Cmd+[' : 'Alt+Left', click: actions.goBack },
    { id: 'forward', label: 'Forward', accelerator: isMac(facts) ? 'Cmd+]' : 'Alt+Right', click: actions.goForward },
    LINE,
    ...PAGES.map(([label, path], index): Item => ({
      id: `go-${path.slice(1)}`,
      label,
      accelerator: `CmdOrCtrl+${index + 1}`,
      click: () => actions.navigate(path),
    })),
    LINE,
    {
      id: 'theme',
      label: 'Theme',
      submenu: (['system', 'light', 'dark'] as const).map((choice) => ({
        id: `theme-${choice}`,
        label: choice[0]!.toUpperCase() + choice.slice(1),
        type: 'radio',
        checked: choice === facts.theme,
        click: () => actions.setTheme(choice),
      })),
    },
    { role: 'resetZoom' },
    { role: 'zoomIn' },
    // The role's own accelerator needs Shift on many keyboards, where browsers do not.
    { role: 'zoomIn', accelerator: 'CmdOrCtrl+=', visible: false },
    { role: 'zoomOut' },
    { role: 'togglefullscreen' },
    LINE,
    { id: 'reload', role: 'reload' },
    ...(facts.isDevelopment ? [{ id: 'developer-tools', role: 'toggleDevTools' } as const] : []),
  ],
})

const connectionMenu = ({ connections }: MenuFacts, actions: MenuActions): Item => ({
  id: 'connection',
  label: '&Connection',
  submenu: [
    ...connectionItems(connections, 'connection-', actions.navigate),
    LINE,
    command('connect-to-hosted', 'Connect to Hosted…', undefined, actions),
  ],
})

const runtimeMenu = ({ state }: MenuFacts, actions: MenuActions): Item => ({
  id: 'runtime',
  label: '&Runtime',
  submenu: [
    ...RUNTIME_VERBS.map(({ verb, label, accelerator }): Item => ({
      id: `${verb}-runtime`,
      label,
      accelerator,
      enabled: verbIsPossible(verb, state),
      click: () => actions.runtime(verb),
    })),
    LINE,
    { id: 'open-in-browser', label: 'Open in Browser', enabled: state.kind === 'ready', click: actions.openInBrowser },
    LINE,
    { id: 'reveal-data', label: 'Show Data Folder', click: actions.revealData },
    { id: 'back-up-data', label: 'Back Up Data…', click: actions.backUpData },
  ],
})

/** Loads and installs nothing by itself: it leads to where the user decides. */
const updatesItem = (updates: UpdateState, actions: MenuActions): Item => {
  const id = 'updates'
  switch (updates.kind) {
    case 'off':
    case 'idle':
    case 'none':
    case 'failed':
      return { id, label: 'Check for Updates…', click: actions.checkForUpdates }
    case 'checking':
      return { id, label: 'Checking for Updates…', enabled: false }
    case 'available':
      return { id, label: `Update to Version ${updates.update.version}…`, click: actions.showUpdates }
    case 'downloading':
      return { id, label: 'Downloading Update…', click: actions.showUpdates }
    case 'ready':
      return { id, label: 'Restart to Update…', click: actions.restartToUpdate }
    case 'restarting':
      return { id, label: 'Restarting…', enabled: false }
  }
}

/** Not the role: its panel names nothing on Linux. */
const aboutItem = (actions: MenuActions): Item => ({
  id: 'about',
  label: `About ${APP_NAME}`,
  click: () => actions.navigate('/settings#about'),
})

const helpMenu = (facts: MenuFacts, actions: MenuActions): Item => ({
  role: 'help',
  label: '&Help',
  submenu: [
    command('shortcuts', 'Keyboard Shortcuts', undefined, actions),
    LINE,
    { id: 'reveal-logs', label: 'Open Logs Folder', click: actions.revealLogs },
    { id: 'copy-diagnostics', label: 'Copy Diagnostics', click: actions.copyDiagnostics },
    ...(isMac(facts) ? [] : [LINE, updatesItem(facts.updates, actions), aboutItem(actions)]),
  ],
})

const command = (name: DesktopCommand, label: string, accelerator: string | undefined, actions: MenuActions): Item => ({
  id: name,
  label,
  // The page handles the key.
  ...(accelerator !== undefined && { accelerator, registerAccelerator: name !== 'command-palette' }),
  click: () => actions.command(name),
})
