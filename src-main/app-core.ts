// The part of the app without a window: log, settings, the runtime switch, and actions on them.

import { app, net, safeStorage, shell } from 'electron'
import { resolve } from 'node:path'
import type { Logger } from 'pino'
import { systemClock } from '../src-runtime/shared/clock.ts'
import { defaultDataDirectory } from '../src-runtime/data-directory/default-data-directory.ts'
import { provesToOwn } from '../src-runtime/identity/prove-identity.ts'
import { appFolders, placeSample, type AppFolders } from './app-folders.ts'
import { createAppConnections, type AppConnections } from './connections/app-connections.ts'
import { createDataActions, type DataActions } from './data/data-actions.ts'
import type { Dialogs } from './dialogs.ts'
import { findChildProcesses, type ChildProcesses } from './hosts/child-processes.ts'
import type { LaunchEnvironment } from './launch-environment.ts'
import { openLog, type AppLog } from './logs/open-log.ts'
import { createForward, type Forward } from './page/forward.ts'
import { createFolderTrust, type FolderTrust } from './projects/folder-trust.ts'
import { createProjectActions, type ProjectActions } from './projects/project-folders.ts'
import { describeForeignPort, isPortFree } from './runtime-switch/foreign-port.ts'
import { createAttempt } from './runtime-switch/own-runtime.ts'
import { createRuntimeActions, type RuntimeActions } from './runtime-switch/runtime-actions.ts'
import { createRuntimeSwitch, type RuntimeSwitch } from './runtime-switch/runtime-switch.ts'
import { openedFolder } from './settings/settings.ts'
import { openSettings, type SettingsStore } from './settings/settings-store.ts'
import { createAppUpdates } from './updates/app-updates.ts'
import type { UpdateControl } from './updates/updates.ts'

export type AppCore = {
  readonly folders: AppFolders
  readonly dialogs: Dialogs
  readonly appLog: AppLog
  readonly log: Logger
  readonly settings: SettingsStore
  readonly dataDir: string
  readonly children: Promise<ChildProcesses>
  readonly runtimeSwitch: RuntimeSwitch
  readonly runtime: RuntimeActions
  readonly projects: ProjectActions
  readonly trust: FolderTrust
  readonly data: DataActions
  readonly forward: Forward
  readonly connections: AppConnections
  readonly updates: UpdateControl
}

const CRASH_LOG_LINES = 20

export const createCore = (environment: LaunchEnvironment, dialogs: Dialogs): AppCore => {
  const { pickFolder, pickTarget, askTrust, confirmReset, askRestart } = dialogs
  const folders = appFolders()
  const appLog = openLog(folders.logs)
  const { log, tail } = appLog
  const settings = openSettings(folders.settingsFile, log)
  const dataDir = resolve(defaultDataDirectory(process.env))
  const children = findChildProcesses()

  let toldFault: string | undefined
  const runtimeSwitch = createRuntimeSwitch({
    attempt: createAttempt({
      dataDir,
      port: () => runtime.port(),
      projectFolder: () => {
        const { current } = settings.get().projectFolders
        return current !== null && trust.isTrusted(current) ? current : null
      },
      children,
      onLogFault: (fault) => {
        log.error(fault)
        // A start that fails afterwards, such as on a full disk, is tried again, and finds it again.
        if (fault !== toldFault) dialogs.showError(`${fault}. The runtime goes on with what is left.`)
        toldFault = fault
      },
      log,
    }),
    proves: provesToOwn,
    describeForeignPort,
    isPortFree,
    clock: systemClock,
    random: Math.random,
    logLines: () => tail.lines(CRASH_LOG_LINES),
    log,
  })
  const ask = async (folder: string): Promise<boolean> => askTrust(folder, (await children).deniesSchemas)
  const trust = createFolderTrust({ dataDir, settings, runtimeSwitch, ask })
  const { ensureCurrent: ensureTrust } = trust
  const runtime = createRuntimeActions({
    runtimeSwitch,
    settings,
    ensureTrust,
    givenPort: environment.port,
    showError: dialogs.showError,
  })
  const { projectFolder } = environment
  if (projectFolder !== undefined) {
    settings.change({ projectFolders: openedFolder(settings.get().projectFolders, projectFolder), runsAtStart: true })
    trust.trust(projectFolder)
  }
  const projects = createProjectActions({ settings, trust, runtimeSwitch, pickFolder, placeSample })
  const openPath = (path: string): Promise<string> => shell.openPath(path)
  const data = createDataActions({ dataDir, runtimeSwitch, openPath, pickTarget, confirmReset, now: Date.now })
  const forward = createForward(runtimeSwitch.target, runtimeSwitch.lookNow)
  const connections = createAppConnections({
    file: folders.connectionsFile,
    safeStorage,
    netRequest: (options) => net.request(options),
    version: app.getVersion(),
    log,
  })
  const updates = createAppUpdates({ environment, settings, runtimeSwitch, forward, askRestart, log })

  if (app.commandLine.hasSwitch('no-sandbox')) log.warn('the page runs without Chromium’s sandbox (--no-sandbox)')
  log.info({ version: app.getVersion(), electron: process.versions.electron, dataDir }, 'the app starts')
  return {
    folders,
    dialogs,
    appLog,
    log,
    settings,
    dataDir,
    children,
    runtimeSwitch,
    runtime,
    projects,
    trust,
    data,
    forward,
    connections,
    updates,
  }
}
