// The runtime in this process, and its dashboard in the user's browser.

import { join, relative } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { readRuntimeInfo } from '../../src-runtime/data-directory/data-directory.ts'
import { defaultDataDirectory } from '../../src-runtime/data-directory/default-data-directory.ts'
import { findOwnRuntime } from './find-own-runtime.ts'
import { openBrowser, openCommand } from './open-browser.ts'
import type { Wish } from './read-wish.ts'

export const DEFAULT_PORT = 3477
const ROOT = join(import.meta.dirname, '../..')
const WES = join(ROOT, 'src-cli/wes.mjs')
export const SAMPLE_PROJECT = join(ROOT, 'examples/project')

const READY_LIMIT_MS = 60_000
const LOOK_INTERVAL_MS = 50

const surroundings = () => ({
  platform: process.platform,
  env: process.env,
  isTerminal: process.stdout.isTTY,
})

/** Why there is no window, and where the dashboard is instead. */
export const tellFallback = (why: string, url: string | undefined): string => {
  const opens = url !== undefined && openCommand(url, surroundings()) !== undefined
  const where = opens
    ? 'Opening the dashboard in your browser instead'
    : 'The dashboard is served to your browser instead'
  return `Desktop window unavailable: ${why}. ${where}${url === undefined ? '' : `: ${url}`}`
}

/** Answers the exit code once the runtime has stopped, or at once where one is running already. */
export const runBrowserHome = async (
  wish: Wish,
  why: string | undefined,
  tell: (line: string) => void,
): Promise<number> => {
  const port = wish.port ?? DEFAULT_PORT
  const own = await findOwnRuntime(wish)
  const url = own?.url ?? (port === 0 ? undefined : `http://localhost:${port}`)
  if (why !== undefined) tell(tellFallback(why, url))
  if (own !== undefined) {
    tell(`already running at ${own.url} (process ${own.pid}), with the project ${own.projectFolder}`)
    show(own.url)
    return 0
  }
  if (wish.project === undefined) tell(sampleLine('npm start'))
  void whenReady().then(show)
  return runWes(['dev', '--port', String(port), '--project', wish.project ?? SAMPLE_PROJECT])
}

export const sampleLine = (command: string): string =>
  `Running the sample project ${relative(ROOT, SAMPLE_PROJECT)}; your own: ${command} -- --project DIR`

export const show = (url: string): void => {
  const command = openCommand(url, surroundings())
  if (command !== undefined) openBrowser(command)
}

/** Settles when this very process serves; never when it does not come to that. */
const whenReady = async (): Promise<string> => {
  const dataDir = defaultDataDirectory(process.env)
  const deadline = Date.now() + READY_LIMIT_MS
  while (Date.now() < deadline) {
    const info = readRuntimeInfo(dataDir)
    if (info?.pid === process.pid) return `http://localhost:${info.port}`
    await pause(LOOK_INTERVAL_MS, undefined, { ref: false })
  }
  return new Promise(() => {})
}

/** As if it had been called instead of us: signals reach it, and its exit code is ours. */
const runWes = async (args: readonly string[]): Promise<number> => {
  process.argv = [process.execPath, WES, ...args]
  await import(pathToFileURL(WES).href)
  return Number(process.exitCode ?? 0)
}
