// `npm run dev`: the dashboard from its sources with hot reload, in Electron's window where the binary is there,
// otherwise in the browser. Downloads nothing.

import { join } from 'node:path'
import { npmIsGone, stopRequest } from '../../src-cli/dev/stop-request.ts'
import { buildStale } from '../build/build.ts'
import { markStale } from '../build/freshness.ts'
import { tellFallback } from './browser-home.ts'
import { chooseHome, withoutDesktop } from './choose-home.ts'
import { runDevBrowser } from './dev-browser.ts'
import { lookAtMachine, lookForElectron } from './look-at-machine.ts'
import type { Wish } from './read-wish.ts'
import { complain, runCommand, tell } from './run-command.ts'
import { launchEnvironment, runElectron } from './run-electron.ts'

const ROOT = join(import.meta.dirname, '../..')
const ELECTRON_VITE = join(ROOT, 'node_modules/electron-vite/bin/electron-vite.js')

const dev = async (wish: Wish): Promise<number> => {
  const chosen = chooseHome(wish.home, lookAtMachine(), lookForElectron())
  const home = chosen.kind === 'download' ? withoutDesktop(wish.home, chosen.why) : chosen
  await buildStale(['sdk'], tell)
  switch (home.kind) {
    case 'desktop':
      return runDevDesktop(home.executable, wish)
    case 'browser':
      if (home.why !== undefined) tell(tellFallback(home.why, undefined))
      return runDevBrowser(wish, Promise.race([stopRequest(process), npmIsGone(process)]), tell)
    case 'refused':
      complain(`Desktop window unavailable: ${home.why}.`)
      return 1
  }
}

const runDevDesktop = async (executable: string, wish: Wish): Promise<number> => {
  // It leaves a development build where the app's build was.
  markStale('desktop', ROOT)
  const run = await runElectron({
    executable: process.execPath,
    args: [ELECTRON_VITE, 'dev', '--watch'],
    env: { ...process.env, ...launchEnvironment(wish), ELECTRON_EXEC_PATH: executable },
    folder: ROOT,
  })
  if (run.kind === 'ended') return run.exitCode
  complain(run.why)
  return 1
}

await runCommand('npm run dev', dev)
