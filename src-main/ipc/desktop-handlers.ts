// Connects each request of the page to the function that handles it.

import { app, shell } from 'electron'
import { homedir, release } from 'node:os'
import type { Logger } from 'pino'
import type { AppConnections } from '../connections/app-connections.ts'
import type { DataActions } from '../data/data-actions.ts'
import { diagnosticsText } from '../diagnostics/diagnostics.ts'
import type { ChildProcesses } from '../hosts/child-processes.ts'
import type { LogTail } from '../logs/log-tail.ts'
import type { About, DesktopSettings, SourcePlace } from '../preload/desktop-api.ts'
import type { FolderTrust } from '../projects/folder-trust.ts'
import type { ProjectActions } from '../projects/project-folders.ts'
import { RefusedError } from '../refused-error.ts'
import type { RuntimeActions } from '../runtime-switch/runtime-actions.ts'
import { desktopSettings } from '../settings/settings.ts'
import type { SettingsStore } from '../settings/settings-store.ts'
import type { UpdateControl } from '../updates/updates.ts'
import type { DesktopHandlers } from './respond.ts'

export type HandlerParts = {
  readonly runtime: RuntimeActions
  readonly projects: ProjectActions
  readonly trust: FolderTrust
  readonly data: DataActions
  readonly settings: SettingsStore
  readonly startAtLogin: { get(): boolean; set(enabled: boolean): void }
  readonly openInEditor: (place: SourcePlace) => Promise<void>
  readonly children: Promise<ChildProcesses>
  readonly dataDir: string
  readonly logsFolder: string
  readonly updates: UpdateControl
  readonly connections: Pick<AppConnections, 'show' | 'forDiagnostics'>
  readonly tail: LogTail
  readonly log: Logger
}

const DIAGNOSTIC_LINES = 100

export const createDesktopHandlers = (parts: HandlerParts): DesktopHandlers => {
  const { runtime, projects, data, settings, updates } = parts

  const about = async (): Promise<About> => ({
    version: app.getVersion(),
    electron: process.versions.electron,
    chromium: process.versions['chrome'] ?? 'unknown',
    node: process.versions.node,
    platform: `${process.platform} ${process.arch} ${release()}`,
    dataDirectory: parts.dataDir,
    logsFolder: parts.logsFolder,
    effectsRunOn: (await parts.children).effectsRunOn,
  })

  const shownSettings = (): DesktopSettings => desktopSettings(settings.get(), parts.startAtLogin.get())

  const changeSettings = ({ startAtLogin, ...patch }: Partial<DesktopSettings>): DesktopSettings => {
    if (startAtLogin !== undefined) parts.startAtLogin.set(startAtLogin)
    if (Object.keys(patch).length > 0) settings.change(patch)
    return shownSettings()
  }

  return {
    about,
    'runtime-state': runtime.state,
    'start-runtime': runtime.start,
    'stop-runtime': runtime.stop,
    'restart-runtime': runtime.restart,
    'use-port': runtime.usePort,
    'project-folders': projects.get,
    'choose-project': projects.choose,
    'open-project': projects.open,
    'open-sample': projects.openSample,
    'trusted-folders': parts.trust.list,
    'remove-trusted-folder': parts.trust.remove,
    settings: shownSettings,
    'change-settings': changeSettings,
    updates: updates.get,
    'check-for-updates': updates.check,
    'download-update': updates.download,
    'cancel-update-download': updates.cancelDownload,
    'restart-to-update': updates.restart,
    'reveal-data': data.reveal,
    'back-up-data': data.backUp,
    'reset-data': data.reset,
    'reveal-logs': async () => {
      const problem = await shell.openPath(parts.logsFolder)
      if (problem !== '') throw new RefusedError('not_found', `${parts.logsFolder} could not be opened: ${problem}`)
    },
    'page-error': ({ where, text }) => parts.log.error({ where, text }, 'the page failed'),
    'open-in-editor': parts.openInEditor,
    diagnostics: async () =>
      diagnosticsText({
        about: await about(),
        settings: shownSettings(),
        state: runtime.state(),
        connections: await parts.connections.forDiagnostics(),
        logLines: parts.tail.lines(DIAGNOSTIC_LINES),
        home: homedir(),
      }),
    'shown-connection': parts.connections.show,
  }
}
