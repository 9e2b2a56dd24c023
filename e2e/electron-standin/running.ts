// What the parts of the stand-in share: nothing of it exists before `ready` but what is to be told to Chromium.

import type { Browser } from './browser.ts'
import type { SchemeHandler } from './custom-schemes.ts'

/** From `app.commandLine`; Chromium gets them. */
export const switches = new Map<string, string>()

/** Registered as privileged, which is possible before `ready` only. */
export const schemes = new Set<string>()
export const schemeHandlers = new Map<string, SchemeHandler>()

export type AppFacts = { readonly folder: string; readonly name: string; readonly version: string }

let facts: AppFacts = { folder: process.cwd(), name: 'Electron', version: '0.0.0' }
export const appFacts = (): AppFacts => facts
export const setAppFacts = (found: AppFacts): void => void (facts = found)

let running: Browser | undefined
export const setRunning = (browser: Browser): void => void (running = browser)
export const isRunning = (): boolean => running !== undefined

/** Throws before `ready`, as whatever needs it does in Electron. */
export const browserFor = (what: string): Browser => {
  if (running === undefined) throw new Error(`Cannot ${what} before app is ready`)
  return running
}

/** An event that can be prevented, as Electron's are. */
export const preventable = <Params extends object>(params: Params) => ({
  ...params,
  defaultPrevented: false,
  preventDefault(): void {
    this.defaultPrevented = true
  },
})
