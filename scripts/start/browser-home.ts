// The runtime in this process, and its dashboard in the user's browser.

import { join, relative } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { readRuntimeInfo } from '../../src-runtime/data-directory/data-directory.ts'
import { defaultDataDirectory } from '../../src-runtime/data-directory/default-data-directory.ts'
import { DEFAULT_PORT } from '../../src-runtime/shared/default-port.ts'
import { findOwnRuntime } from './find-own-runtime.ts'
import { openBrowser, openCommand } from './open-browser.ts'
import type { StartOptions } from './start-options.ts'

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

/** Says why there is no window, and where the dashboard is instead. */
export const fallbackLine = (why: string, url: string | undefined): string => {
  const opens = url !== undefined && openCommand(url, surroundings()) !== undefined
  const where = opens ? 'Opening the dashboard in your browser instead' : 'Open the dashboard in your browser instead'
  return `Desktop window unavailable: ${why}. ${where}${url === undefined ? '' : `: ${url}`}`
}

/** Resolves to the exit code when the runtime has stopped, or at once if one is already running. */
export const runBrowserHome = async (
  options: StartOptions,
  why: string | undefined,
  print: (line: string) => void,
): Promise<number> => {
  const port = options.port ?? DEFAULT_PORT
  const own = await findOwnRuntime(options)
  const url = own?.url ?? (port === 0 ? undefined : `http://localhost:${port}`)
  if (why !== undefined) print(fallbackLine(why, url))
  if (own !== undefined) {
    print(`already running at ${own.url} (process ${own.pid}), with the project ${own.projectFolder}`)
    print(`dashboard ${await own.link()} (one use, within 10 minutes)`)
    show(own.url)
    return 0
  }
  if (options.project === undefined) print(sampleLine('npm start'))
  void whenReady().then(show)
  return runWes(['dev', '--port', String(port), '--project', options.project ?? SAMPLE_PROJECT])
}

export const sampleLine = (command: string): string =>
  `Running the sample project ${relative(ROOT, SAMPLE_PROJECT)}. To run your own: ${command} -- --project DIR`

/** `url`: without the code of a link, because every user of this computer can read the arguments of the browser. */
export const show = (url: string): void => {
  const command = openCommand(url, surroundings())
  if (command !== undefined) openBrowser(command)
}

/** Settles when this process serves the dashboard. */
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

/** Runs `wes` in this process, so that it gets the signals and sets the exit code. */
const runWes = async (args: readonly string[]): Promise<number> => {
  process.argv = [process.execPath, WES, ...args]
  await import(pathToFileURL(WES).href)
  return Number(process.exitCode ?? 0)
}
