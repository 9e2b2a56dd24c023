// The visible part of the app: window, menus, tray and notifications, kept up to date.

import { app, clipboard, nativeTheme, shell } from 'electron'
import { join } from 'node:path'
import { newLink } from '../src-runtime/identity/new-link.ts'
import { systemClock } from '../src-runtime/shared/clock.ts'
import { createClient } from '../src-sdk/create-client.ts'
import type { AppCore } from './app-core.ts'
import { LOCAL } from './connections/connection-items.ts'
import type { DesktopHandlers } from './ipc/respond.ts'
import type { StartAgain } from './lifecycle/start-again.ts'
import type { MenuActions } from './menu/menu-template.ts'
import { startsAtLogin } from './lifecycle/login-item.ts'
import { createMenus } from './menu/menus.ts'
import { createShowNotification } from './notifications/show-notification.ts'
import { createExecutionWatch } from './notifications/watch-executions.ts'
import { createRuntimeWatch } from './notifications/watch-runtime.ts'
import { DASHBOARD } from './page/dashboard-handler.ts'
import { fetchThrough } from './page/fetch-through.ts'
import { desktopSettings } from './settings/settings.ts'
import { createAppTray, type AppTray } from './tray/app-tray.ts'
import { createMainWindow, type MainWindow } from './window/main-window.ts'
import { messageOf } from '../src-runtime/shared/message-of.ts'

export type AppShell = {
  readonly window: MainWindow
  readonly tray: AppTray | undefined
}

const UPDATES_PAGE = '/settings#updates'

/** `handlers`: menus call the same functions as the page. */
export const createShell = (
  core: AppCore,
  handlers: DesktopHandlers,
  again: StartAgain,
  onSessionEnd: () => void,
): AppShell => {
  const { folders, log, settings, runtimeSwitch, runtime, forward, connections, updates } = core
  const window = createMainWindow({
    origin: DASHBOARD,
    preload: folders.preload,
    icon: join(folders.icons, 'icon.png'),
    placeFile: folders.windowPlaceFile,
    log,
    onSessionEnd,
  })
  const open = (path?: string): void => {
    if (!again.keep({})) window.show(path)
  }
  const tray = createAppTray(folders.icons, open, log)
  const notified = {
    rules: () => settings.get().notifyWhen,
    show: createShowNotification({
      onClick: open,
      onFailed: (reason) => {
        const say = (): void => window.send('notification-failed', reason)
        // A message in the page disappears by itself, so it waits for whoever reads it.
        if (window.isFocused()) say()
        else app.once('browser-window-focus', say)
      },
      log,
    }),
    isSeen: () => window.isFocused() && connections.choices().shown === LOCAL.id,
  }
  const watch = createExecutionWatch({ ...notified, clock: systemClock, log })
  const watchRuntime = createRuntimeWatch({ ...notified, now: systemClock.now })
  const actions = menuActions(core, handlers, window, () => menus.update())
  const menus = createMenus({
    facts: () => ({
      platform: process.platform,
      isDevelopment: !app.isPackaged,
      state: runtime.state(),
      folders: settings.get().projectFolders,
      theme: settings.get().theme,
      connections: connections.choices(),
      updates: updates.get().state,
    }),
    watch,
    menuActions: actions,
    trayActions: {
      open,
      runtime: actions.runtime,
      connectToHosted: () => actions.command('connect-to-hosted'),
      quit: () => app.quit(),
    },
    tray,
  })

  // The page polls for a missing runtime, the app does not; it follows each new runtime from its start.
  const client = createClient({ url: 'http://localhost', fetch: fetchThrough(forward) })
  let wasUpgrading = false
  runtimeSwitch.onState((state) => {
    window.send('runtime-state-changed', state)
    const isUpgrading = state.kind === 'starting' && state.upgrade !== undefined
    const isFurther = wasUpgrading && isUpgrading
    wasUpgrading = isUpgrading
    if (isFurther) return
    watchRuntime(state)
    watch.follow(state.kind === 'ready' ? client : undefined)
    menus.update()
  })
  settings.onChange((now) => {
    nativeTheme.themeSource = now.theme
    window.send('settings-changed', desktopSettings(now, startsAtLogin()))
    menus.update()
  })
  // The user may come from the system's settings of what starts at login.
  app.on('browser-window-focus', () =>
    window.send('settings-changed', desktopSettings(settings.get(), startsAtLogin())),
  )
  watch.onTrayFacts(menus.updateTray)
  connections.onChange(menus.update)
  let shown = updates.get().state.kind
  updates.onChange((now) => {
    window.send('updates-changed', now)
    // Not for each step of a download.
    if (now.state.kind !== shown) menus.update()
    shown = now.state.kind
  })
  nativeTheme.themeSource = settings.get().theme
  menus.update()
  return { window, tray }
}

/** For actions without a caller that could show their error: a dialog shows it. */
const doOrShowError =
  ({ dialogs }: AppCore) =>
  (action: () => unknown): Promise<void> =>
    (async () => void (await action()))().catch((error: unknown) => dialogs.showError(messageOf(error)))

const menuActions = (
  core: AppCore,
  handlers: DesktopHandlers,
  window: MainWindow,
  updateMenus: () => void,
): MenuActions => {
  const { runtimeSwitch, runtime, forward, projects, settings, updates } = core
  const attempt = doOrShowError(core)
  const on = (action: () => unknown) => (): void => void attempt(action)
  /** Electron marks an item when it is clicked, also if its action is refused. */
  const choose = (action: () => unknown): void => void attempt(action).then(updateMenus)
  return {
    navigate: (path) => window.show(path),
    goBack: window.goBack,
    goForward: window.goForward,
    command: (command) => {
      window.show()
      window.send('command', command)
    },
    runtime: (verb) => void attempt(runtime[verb]),
    openInBrowser: on(async () => {
      const owner = runtimeSwitch.target()
      if (owner === undefined) return
      // With a token, the page needs a session.
      const made = await newLink(owner, { send: fetchThrough(forward), onlySameUser: true })
      await shell.openExternal(made.kind === 'link' ? made.url : `http://localhost:${owner.port}`)
    }),
    chooseProject: on(projects.choose),
    openProject: (folder) => choose(() => projects.open(folder)),
    openSample: on(projects.openSample),
    revealData: on(handlers['reveal-data']),
    backUpData: on(async () => {
      const file = await handlers['back-up-data']()
      if (file !== null) core.dialogs.showBackedUp(file)
    }),
    revealLogs: on(handlers['reveal-logs']),
    copyDiagnostics: on(async () => clipboard.writeText(await handlers.diagnostics())),
    showUpdates: () => window.show(UPDATES_PAGE),
    checkForUpdates: () => {
      window.show(UPDATES_PAGE)
      updates.check()
    },
    restartToUpdate: on(updates.restart),
    setTheme: (theme) => choose(() => settings.change({ theme })),
  }
}
