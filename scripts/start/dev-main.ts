// `npm run dev`: the dashboard from its sources with hot reload, in an Electron window if the binary is installed, else
// in the browser. Downloads nothing.

import { join } from 'node:path'
import { npmIsGone, stopRequest } from '../../src-cli/dev/stop-request.ts'
import { buildStale } from '../build/build.ts'
import { markStale } from '../build/freshness.ts'
import { fallbackLine } from './browser-home.ts'
import { chooseHome, withoutDesktop } from './choose-home.ts'
import { runDevBrowser } from './dev-browser.ts'
import { lookAtMachine, lookForElectron } from './look-at-machine.ts'
import type { StartOptions } from './start-options.ts'
import { printError, runCommand, print } from './run-command.ts'
import { launchEnvironment, runElectron } from './run-electron.ts'

const ROOT = join(import.meta.dirname, '../..')
const ELECTRON_VITE = join(ROOT, 'node_modules/electron-vite/bin/electron-vite.js')

const dev = async (options: StartOptions): Promise<number> => {
  const chosen = chooseHome(options.home, lookAtMachine(), lookForElectron())
  const home = chosen.kind === 'download' ? withoutDesktop(options.home, chosen.why) : chosen
  await buildStale(['sdk'], print)
  switch (home.kind) {
    case 'desktop':
      return runDevDesktop(home.executable, options)
    case 'browser':
      if (home.why !== undefined) print(fallbackLine(home.why, undefined))
      return runDevBrowser(options, Promise.race([stopRequest(process), npmIsGone(process)]), print)
    case 'refused':
      printError(`Desktop window unavailable: ${home.why}.`)
      return 1
  }
}

const runDevDesktop = async (executable: string, options: StartOptions): Promise<number> => {
  // electron-vite replaces the app's build with a development build.
  markStale('desktop', ROOT)
  const run = await runElectron({
    executable: process.execPath,
    args: [ELECTRON_VITE, 'dev', '--watch'],
    env: { ...process.env, ...launchEnvironment(options), ELECTRON_EXEC_PATH: executable },
    folder: ROOT,
    takesMessages: false,
  })
  if (run.kind === 'ended') return run.exitCode
  printError(run.why)
  return 1
}

await runCommand('npm run dev', dev)
