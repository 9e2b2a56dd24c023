// The shared state of the stand-in. Before `ready` it contains only settings for Chromium.

import type { Browser } from './browser.ts'
import type { SchemeHandler } from './custom-schemes.ts'

/** From `app.commandLine`, for Chromium. */
export const switches = new Map<string, string>()

/** What the process was started with. Playwright removes its own from `process.argv`. */
let given: readonly string[] = []
export const setGiven = (args: readonly string[]): void => void (given = args)
export const isGiven = (name: string): boolean =>
  given.some((argument) => argument === `--${name}` || argument.startsWith(`--${name}=`))

/** Registered as privileged, which is only possible before `ready`. */
export const schemes = new Set<string>()
export const schemeHandlers = new Map<string, SchemeHandler>()

export type AppFacts = {
  readonly folder: string
  readonly name: string
  readonly version: string
  /** The executable of an installed app, beside whose `resources` it is. */
  readonly installedAs?: string
}

/** The Node that runs the stand-in; later, `process.execPath` is the stand-in, or the executable of an installed app. */
export const NODE = process.execPath

let facts: AppFacts = { folder: process.cwd(), name: 'Electron', version: '0.0.0' }
export const appFacts = (): AppFacts => facts
export const setAppFacts = (found: AppFacts): void => void (facts = found)

let running: Browser | undefined
export const setRunning = (browser: Browser): void => void (running = browser)
export const isRunning = (): boolean => running !== undefined

/** Throws before `ready`, as in Electron. */
export const browserFor = (what: string): Browser => {
  if (running === undefined) throw new Error(`Cannot ${what} before app is ready`)
  return running
}

/** An event that can be prevented, as in Electron. */
export const preventable = <Params extends object>(params: Params) => ({
  ...params,
  defaultPrevented: false,
  preventDefault(): void {
    this.defaultPrevented = true
  },
})
