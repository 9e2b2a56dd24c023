// The first thing that Electron runs: only what must happen before `ready`, so that a second instance is gone before it
// has loaded a database. Never awaits at the top level: `ready` comes only after this module has settled.

import { app, dialog, protocol } from 'electron'

app.enableSandbox()
// May be called once in the life of the process.
protocol.registerSchemesAsPrivileged([
  { scheme: 'app', privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true } },
])

if (app.requestSingleInstanceLock()) {
  app
    .whenReady()
    .then(async () => (await import('./boot.ts')).boot())
    .catch((error: unknown) => {
      dialog.showErrorBox('Workflow Execution Service cannot start', String(error))
      app.exit(1)
    })
} else {
  app.exit(0)
}
