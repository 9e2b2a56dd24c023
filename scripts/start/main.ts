// `npm start`: the desktop app where Electron can run, otherwise the same dashboard in the browser and one line why.

import { join } from 'node:path'
import { buildStale } from '../build/build.ts'
import { runBrowserHome } from './browser-home.ts'
import { downloadElectron, whyUnreachable } from './fetch-electron.ts'
import { ELECTRON_PACKAGE, lookAtMachine, lookForElectron } from './look-at-machine.ts'
import type { Wish } from './read-wish.ts'
import { complain, runCommand, tell } from './run-command.ts'
import { launchEnvironment, runElectron } from './run-electron.ts'
import { start } from './start.ts'

const ROOT = join(import.meta.dirname, '../..')

const desktopCommand = (executable: string, wish: Wish) => ({
  executable,
  args: [ROOT],
  env: { ...process.env, ...launchEnvironment(wish) },
  folder: ROOT,
})

await runCommand('npm start', (wish) =>
  start(wish, {
    machine: lookAtMachine,
    electron: lookForElectron,
    whyUnreachable: () => whyUnreachable(process.env),
    download: () => downloadElectron(ELECTRON_PACKAGE, process.env),
    build: (names) => buildStale(names, tell),
    runDesktop: (executable) => runElectron(desktopCommand(executable, wish)),
    runBrowser: (why) => runBrowserHome(wish, why, tell),
    tell,
    complain,
  }),
)
