// Electron's entry: only what must happen before `ready`, so that a second instance ends before it loads a database.
// Never awaits at the top level, because `ready` comes only after this module has settled.

import { app, crashReporter, dialog, protocol } from 'electron'
import { join, resolve } from 'node:path'
import { APP_NAME, SMOKE_TEST } from './app-identity.ts'
import { readLaunchEnvironment } from './launch-environment.ts'
import { expectTemporaryFiles, expectWritable } from './lifecycle/may-write.ts'
import { createLaunchInbox } from './links/launch-inbox.ts'
import { checkUnpacked } from './unpacked-files.ts'
import { messageOf } from '../src-runtime/shared/message-of.ts'

const environment = readLaunchEnvironment(process.env, app.isPackaged)
const { userDataFolder } = environment

app.setName(APP_NAME)
if (userDataFolder !== undefined) {
  app.setPath('userData', userDataFolder)
  app.setAppLogsPath(join(userDataFolder, 'logs'))
}
// An AppImage starts with this switch where the system lets nobody make a sandbox (Ubuntu since 23.10). Electron would remove it for
// the page's process only, which then fails.
if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox()
crashReporter.start({ uploadToServer: false })
// May be called only once per process.
protocol.registerSchemesAsPrivileged([
  { scheme: 'app', privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true } },
])

const handover = { argv: process.argv, cwd: process.cwd() }
// Windows looks for programs that are started by name, such as netstat, in the current folder first: it may be one of downloads.
if (app.isPackaged && process.platform === 'win32') {
  const { WES_DATA_DIR: dataFolder, SystemRoot: systemFolder = 'C:\\Windows' } = process.env
  if (dataFolder) process.env['WES_DATA_DIR'] = resolve(dataFolder)
  process.chdir(systemFolder)
}
// A smoke test has data of its own, and may run beside the app.
if (process.argv.includes(SMOKE_TEST) || app.requestSingleInstanceLock(handover)) {
  const inbox = createLaunchInbox()
  app.on('second-instance', (_event, argv, cwd, data) => inbox.put({ kind: 'launch', handover: data ?? { argv, cwd } }))
  // macOS sends these even before `ready`.
  app.on('open-url', (event, link) => {
    event.preventDefault()
    inbox.put({ kind: 'deep_link', link })
  })
  app.on('open-file', (event, path) => {
    event.preventDefault()
    inbox.put({ kind: 'file', path })
  })
  app
    .whenReady()
    .then(async () => {
      // Modules of the archive only: what they load from beside it, they load later.
      const loading = import('./boot.ts')
      const checking = app.isPackaged ? checkUnpacked(app.getAppPath()) : undefined
      const [{ boot }] = await Promise.all([loading, checking])
      await boot(environment, inbox, handover)
    })
    .catch(refuseToStart)
} else {
  endWithoutLock()
}

/** Without a word if another process has the lock: it shows its window. */
function endWithoutLock(): void {
  try {
    expectWritable(app.getPath('userData'))
    if (process.platform !== 'win32') expectTemporaryFiles(app.getPath('temp'))
    app.exit(0)
  } catch (error) {
    void app.whenReady().then(() => refuseToStart(error))
  }
}

function refuseToStart(error: unknown): void {
  const problem = messageOf(error)
  if (!process.argv.includes(SMOKE_TEST)) {
    dialog.showErrorBox(`${APP_NAME} cannot start`, problem)
    return app.exit(1)
  }
  // Nobody would close the dialog of a smoke test. On Windows a pipe is written later, and exiting would lose the line.
  process.stdout.write(`${JSON.stringify({ ok: false, problem })}\n`, () => app.exit(1))
}
