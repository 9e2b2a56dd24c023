// The desktop app once Electron is ready: one runtime in this process, one window that shows it.

import { app, BrowserWindow, dialog, protocol, session, shell } from 'electron'
import { join } from 'node:path'
import { pino } from 'pino'
import { createRuntime } from '../src-runtime/create-runtime.ts'
import { defaultDataDirectory } from '../src-runtime/data-directory.ts'
import { DataDirectoryInUseError, PortTakenError, type Runtime } from '../src-runtime/runtime.ts'
import { createDashboardHandler, DASHBOARD } from './dashboard-handler.ts'

const PORT = 3477
const PAGE_FOLDER = join(import.meta.dirname, '../../renderer')

export const boot = async (): Promise<void> => {
  restrictContents()
  const runtime = await startRuntime()
  if (runtime === undefined) return app.exit(1)
  stopOnQuit(runtime)
  protocol.handle('app', createDashboardHandler({ pageFolder: PAGE_FOLDER, runtimePort: runtime.port }))
  await showWindow()
  app.on('second-instance', () => void showWindow())
  app.on('activate', () => void showWindow())
}

/** Runs what was uploaded; nobody has chosen a folder of sources yet. */
const startRuntime = async (): Promise<Runtime | undefined> => {
  const dataDir = defaultDataDirectory(process.env)
  try {
    return await createRuntime({ dataDir, port: PORT, projectFolder: dataDir, log: pino({ level: 'info' }) })
  } catch (error) {
    if (!(error instanceof PortTakenError || error instanceof DataDirectoryInUseError)) throw error
    dialog.showErrorBox('The runtime cannot start', error.message)
    return undefined
  }
}

/** Execution state is safe at any moment; stopping only spares the next start a recovery. */
const stopOnQuit = (runtime: Runtime): void => {
  let stopping = false
  app.on('window-all-closed', () => app.quit())
  app.on('will-quit', (event) => {
    event.preventDefault()
    if (stopping) return
    stopping = true
    void runtime.stop().finally(() => app.exit(0))
  })
}

const showWindow = async (): Promise<void> => {
  const [open] = BrowserWindow.getAllWindows()
  if (open !== undefined) return open.focus()
  const window = new BrowserWindow({
    width: 1200,
    height: 800,
    webPreferences: { contextIsolation: true, sandbox: true, nodeIntegration: false, webSecurity: true },
  })
  await window.loadURL(`${DASHBOARD}/`)
}

/** Nothing that a page shows may leave the page, open a window or be granted a permission. */
const restrictContents = (): void => {
  session.defaultSession.setPermissionRequestHandler((_contents, _permission, answer) => answer(false))
  session.defaultSession.setPermissionCheckHandler(() => false)
  session.defaultSession.setDevicePermissionHandler(() => false)
  app.on('web-contents-created', (_event, contents) => {
    const stay = (event: { readonly url: string; preventDefault(): void }) => {
      if (!event.url.startsWith(`${DASHBOARD}/`)) event.preventDefault()
    }
    contents.on('will-navigate', stay)
    contents.on('will-frame-navigate', stay)
    contents.on('will-redirect', stay)
    contents.on('will-attach-webview', (event) => event.preventDefault())
    contents.setWindowOpenHandler(({ url }) => {
      if (url.startsWith('https:')) setImmediate(() => void shell.openExternal(url))
      return { action: 'deny' }
    })
  })
}
