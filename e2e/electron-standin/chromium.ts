// Finds, starts and ends the Chromium of the windows, with its processes and files.

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { findBrowser } from '../../scripts/find-browser.ts'

const START_LIMIT_MS = 20_000
const PROFILE_TRIES = { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }

export type Chromium = {
  /** The endpoint of the browser's DevTools protocol. */
  readonly address: string
  /** Settles if it ends unexpectedly. */
  readonly died: Promise<void>
  /** Ends all its processes and removes its profile, before it returns. */
  stop(): void
}

/** Electron shows its dialogs also where there is no place for temporary files. */
const makeProfile = (): string => {
  try {
    return mkdtempSync(join(tmpdir(), 'electron-standin-'))
  } catch {
    return mkdtempSync('/tmp/electron-standin-')
  }
}

export const startChromium = async (options: {
  readonly switches: readonly string[]
  readonly headed: boolean
  readonly displaySize: { readonly width: number; readonly height: number }
}): Promise<Chromium> => {
  const executable = findBrowser()
  if (executable === undefined) throw new Error('stand-in: this machine has no Chromium; WES_CHROMIUM names one')
  const profile = makeProfile()
  const { width, height } = options.displaySize
  const args = [
    ...(options.headed ? [] : ['--headless=new', `--screen-info={${width}x${height}}`]),
    '--no-sandbox',
    '--no-first-run',
    '--no-startup-window',
    '--keep-alive-for-test',
    '--disable-gpu',
    '--remote-debugging-port=0',
    `--user-data-dir=${profile}`,
    ...options.switches,
  ]
  // In the app's session, like Electron's processes: Linux divides CPU time between sessions before it considers priorities,
  // so in a separate session the page would get as much as main and all of its hosts together.
  // A killed Chromium leaves its temporary files, the folder of its socket among them, so they go with the profile.
  const env = { ...process.env, TMPDIR: profile }
  const child = spawn(executable, args, { stdio: ['ignore', 'ignore', 'pipe'], env })
  let stopped = false
  const stop = (): void => {
    if (stopped) return
    stopped = true
    child.kill('SIGKILL') // its other processes end with it
    rmSync(profile, PROFILE_TRIES)
  }
  process.once('exit', stop)
  try {
    if (child.pid !== undefined) watchOver(child.pid, profile)
    const address = await listeningAddress(child, child.stderr)
    const died = new Promise<void>((resolve) => child.once('exit', () => stopped || resolve()))
    return { address, died, stop }
  } catch (error) {
    stop()
    throw error
  }
}

/** Cleans up after ends that leave no time for it. */
const watchOver = (chromium: number, profile: string): void => {
  // An app that starts itself again ends right then, so the next one goes on as long as whoever started the first one.
  const starter = (process.env['STANDIN_STARTER'] ??= String(process.ppid))
  const args = [String(process.pid), starter, String(chromium), profile]
  const dog = spawn(join(import.meta.dirname, 'watchdog.sh'), args, {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    env: { PATH: process.env['PATH'] },
  })
  dog.unref()
  // Open while this process runs.
  ;(dog.stdin as unknown as { unref(): void }).unref()
}

const listeningAddress = (child: ChildProcess, stderr: Readable): Promise<string> =>
  new Promise((resolve, reject) => {
    let said = ''
    const fail = (why: string) => reject(new Error(`stand-in: Chromium ${why}\n${said}`))
    const late = setTimeout(() => fail(`is not listening after ${START_LIMIT_MS} ms`), START_LIMIT_MS)
    child.once('error', (error) => fail(error.message))
    child.once('exit', (code, signal) => fail(`ended with ${code ?? signal}`))
    stderr.setEncoding('utf8').on('data', (text: string) => {
      if (process.env['STANDIN_DEBUG']) process.stderr.write(text)
      said = (said + text).slice(-10_000)
      const address = /^DevTools listening on (ws:\S+)$/m.exec(said)?.[1]
      if (address === undefined) return
      clearTimeout(late)
      resolve(address)
    })
  })
