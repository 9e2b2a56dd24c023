// Runs once Electron is ready: creates and connects the parts of the desktop app, and starts it.

import { app, ipcMain, powerMonitor, protocol, shell, systemPreferences } from 'electron'
import { inOneLine } from '../src-renderer/ui/hidden-characters.ts'
import { findPages } from '../src-runtime/pages/find-pages.ts'
import { APP_ID, NOTIFICATION_CLASS, SMOKE_TEST } from './app-identity.ts'
import { createCore, type AppCore } from './app-core.ts'
import { createShell, type AppShell } from './app-shell.ts'
import { createDialogs } from './dialogs.ts'
import { createOpenInEditor } from './editor/open-in-editor.ts'
import { ARGUMENTS } from './ipc/arguments.ts'
import { wireName, type Channel } from './ipc/channels.ts'
import { createDesktopHandlers } from './ipc/desktop-handlers.ts'
import { createRespond, type DesktopHandlers } from './ipc/respond.ts'
import type { LaunchEnvironment } from './launch-environment.ts'
import { removeAppImageFolders } from './lifecycle/app-image-folders.ts'
import { renewLoginItem, setLoginItem, startsAtLogin } from './lifecycle/login-item.ts'
import { optionsAgain, ownCommand } from './lifecycle/own-command.ts'
import { createShutdown } from './lifecycle/shutdown.ts'
import { runSmokeTest } from './lifecycle/smoke-test.ts'
import { createStartAgain, type StartAgain, startDetached, takeLeft } from './lifecycle/start-again.ts'
import { watchCrashes, watchEndings } from './lifecycle/watch-endings.ts'
import { DEEP_LINK_SCHEME } from './links/deep-link.ts'
import type { LaunchInbox } from './links/launch-inbox.ts'
import type { Handover } from './links/launch-request.ts'
import { handleLaunches } from './links/handle-launches.ts'
import { builtPage, createDashboardHandler, DASHBOARD, servedPage } from './page/dashboard-handler.ts'
import { watchReplacement } from './updates/replaced-app.ts'
import { restrictContents } from './window/restrict-contents.ts'
import { messageOf } from '../src-runtime/shared/message-of.ts'

export const boot = (environment: LaunchEnvironment, inbox: LaunchInbox, own: Handover): void | Promise<void> => {
  if (process.platform === 'linux') removeAppImageFolders(process.env, process.execPath)
  if (own.argv.includes(SMOKE_TEST)) return runSmokeTest()
  introduce()
  const dialogs = createDialogs(() => appShell.window.front())
  const core = createCore(environment, dialogs)
  const { appLog, log, runtimeSwitch, settings } = core
  const shutdown = createShutdown({
    stop: async () => void (await Promise.all([core.data.close(), runtimeSwitch.close()])),
    exit: (code) => {
      appLog.close()
      app.exit(code)
    },
    log,
  })
  restrictContents(DASHBOARD, () => runtimeSwitch.shownPort())
  const page = environment.pageServer === undefined ? builtPage(findPages()) : servedPage(environment.pageServer)
  protocol.handle('app', createDashboardHandler({ page, forward: core.forward, connections: core.connections.answer }))
  const handlers = answerThePage(core)
  const again = createStartAgain({ file: core.folders.nextStartFile, start: startApp, log })
  const appShell = createShell(core, handlers, again, () => void shutdown.begin('session-end', 0))
  const onEnding = (): void => {
    appShell.window.retire()
    if (environment.pageServer === undefined) return again.begin()
    // Who serves the page while it is developed starts the next app already now, and ends with it.
    app.releaseSingleInstanceLock()
  }
  // Before `shutdown` is listened for: on Linux, Electron is told of no shutdown if that is the first of all.
  powerMonitor.on('resume', runtimeSwitch.resume)
  watchCrashes({ shutdown, onEnding, atEnd: again.perform, log })
  watchEndings({
    shutdown,
    runsInBackground: () => process.platform === 'darwin' || (settings.get().keepInTray && appShell.tray !== undefined),
    onEnding: () => {
      again.forget()
      onEnding()
    },
    atEnd: async () => {
      // The installer of an update starts it.
      if (!(await core.updates.atEnd(again.settle()))) again.perform()
    },
  })
  app.on('activate', () => {
    if (!again.keep({})) appShell.window.show()
  })
  show(core, appShell, inbox, own, again)
  const faults = [settings.fault, core.connections.fault].filter((fault) => fault !== undefined)
  if (faults.length > 0) core.dialogs.showError(faults.join('\n\n'))
  renewLoginItem(log)
  core.updates.schedule()
  offerRestartOnceReplaced(core, again)
  void startAtLaunch(core)
}

/** Asked when the user comes back to the window, once. */
const offerRestartOnceReplaced = ({ dialogs, log }: AppCore, again: StartAgain): void => {
  const isReplaced = watchReplacement(process.execPath)
  const look = (): void => {
    if (!isReplaced()) return
    app.off('browser-window-focus', look)
    log.warn('another version of the app was installed over the running one')
    dialogs
      .askRestartOfReplaced()
      .then((isWanted) => {
        if (!isWanted) return
        app.quit()
        again.keep({})
      })
      .catch((error: unknown) => log.warn({ err: error }, 'a restart could not be offered'))
  }
  app.on('browser-window-focus', look)
}

/** The window is already open, and shows that the runtime is not running. */
const startAtLaunch = async ({ settings, runtime, projects, dialogs, log }: AppCore): Promise<void> => {
  try {
    if (!settings.get().runsAtStart) return
    await runtime.start()
    const missing = projects.missing()
    if (missing !== null) dialogs.showError(missingFolder(missing))
  } catch (error) {
    log.error({ err: error }, 'the runtime was not started')
    dialogs.showError(`The runtime was not started: ${messageOf(error)}`)
  }
}

const missingFolder = (folder: string): string =>
  `The project folder ${inOneLine(folder)} does not exist. The runtime reads it once it is back. If you moved it, choose it with File, Open Project Folder.`

/** The new process may begin before this one has ended. */
const startApp = (): void => {
  const { argv, env, execPath } = process
  const facts = { env, execPath, isPackaged: app.isPackaged, appPath: app.getAppPath() }
  const [program, ...own] = ownCommand(facts, optionsAgain(argv))
  app.releaseSingleInstanceLock()
  startDetached(program, own, env)
}

const introduce = (): void => {
  if (process.platform === 'win32') {
    // Otherwise Electron makes up one, which the uninstaller would not find.
    if (app.isPackaged) app.setToastActivatorCLSID(NOTIFICATION_CLASS)
    app.setAppUserModelId(APP_ID)
  }
  // Elsewhere it would name a checkout's Electron, which knows nothing of this app.
  if (app.isPackaged) app.setAsDefaultProtocolClient(DEEP_LINK_SCHEME)
  // Otherwise macOS delays the timers of an app whose window nobody sees (App Nap), and with them those of Executions. From the next
  // start on; the computer may still sleep.
  if (app.isPackaged && process.platform === 'darwin') {
    systemPreferences.setUserDefault('NSAppSleepDisabled', 'boolean', true)
  }
}

const answerThePage = (core: AppCore): DesktopHandlers => {
  const { runtimeSwitch, appLog, folders, log } = core
  const openInEditor = createOpenInEditor({
    projectFolder: () => {
      const state = runtimeSwitch.state()
      return state.kind === 'ready' ? state.projectFolder : core.projects.get().current
    },
    env: process.env,
    platform: process.platform,
    openPath: (path) => shell.openPath(path),
    showItem: (path) => shell.showItemInFolder(path),
    openUrl: (url) => shell.openExternal(url),
    hasScheme: (scheme) => app.getApplicationNameForProtocol(`${scheme}://`) !== '',
  })
  const handlers = createDesktopHandlers({
    ...core,
    openInEditor,
    startAtLogin: { get: startsAtLogin, set: setLoginItem },
    logsFolder: folders.logs,
    tail: appLog.tail,
  })
  const respond = createRespond({ handlers, origin: DASHBOARD, log })
  for (const channel of Object.keys(ARGUMENTS) as Channel[]) {
    ipcMain.handle(wireName(channel), (event, ...args: unknown[]) => respond(channel, event, args))
  }
  return handlers
}

const show = (
  { connections, folders, settings, dialogs, log }: AppCore,
  { window, tray }: AppShell,
  inbox: LaunchInbox,
  own: Handover,
  again: StartAgain,
): void => {
  const left = takeLeft(folders.nextStartFile, log)
  if (left !== undefined) inbox.put({ kind: 'launch', handover: left })
  const asksForSomething = handleLaunches(inbox, own, {
    keepForNextStart: again.keep,
    showWindow: (path) => window.show(path),
    connections: () => connections.choices().saved,
    offerRun: (run) => window.send('run-file', run),
    refuseLink: () => window.send('link-refused', null),
    showError: dialogs.showError,
    log,
  })
  if (asksForSomething) return
  const { startMinimised, keepInTray } = settings.get()
  if (!startMinimised) window.show()
  else if (!keepInTray || tray === undefined) window.showMinimised()
}
