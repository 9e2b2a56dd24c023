// `npm start`: the desktop app if Electron can run; otherwise prints the reason, and serves the dashboard to the browser.

import { join } from 'node:path'
import { buildStale } from '../build/build.ts'
import { runBrowserHome } from './browser-home.ts'
import { downloadElectron, whyUnreachable } from './fetch-electron.ts'
import { ELECTRON_PACKAGE, lookAtMachine, lookForElectron } from './look-at-machine.ts'
import type { StartOptions } from './start-options.ts'
import { printError, runCommand, print } from './run-command.ts'
import { launchEnvironment, runElectron } from './run-electron.ts'
import { start } from './start.ts'

const ROOT = join(import.meta.dirname, '../..')

const desktopCommand = (executable: string, options: StartOptions) => ({
  executable,
  args: [ROOT],
  env: { ...process.env, ...launchEnvironment(options) },
  folder: ROOT,
  takesMessages: true,
})

await runCommand('npm start', (options) =>
  start(options, {
    machine: lookAtMachine,
    electron: lookForElectron,
    whyUnreachable: () => whyUnreachable(process.env),
    download: () => downloadElectron(ELECTRON_PACKAGE, process.env),
    build: (names) => buildStale(names, print),
    runDesktop: (executable) => runElectron(desktopCommand(executable, options)),
    runBrowser: (why) => runBrowserHome(options, why, print),
    print,
    printError,
  }),
)
