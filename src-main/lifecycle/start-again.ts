// A start of the app while it ends. The ending process has the lock of the single instance until its runtime has stopped, so
// the new process hands over what it was started for, and is gone. The ending one starts the app again as the last thing
// that it does.

import { spawn } from 'node:child_process'
import type { LaunchRequest } from '../links/launch-request.ts'

export type StartAgain = {
  /** The app ends from here on. */
  begin(): void
  /** Keeps a start for later. False if the app is not ending. */
  keep(request: LaunchRequest): boolean
  isAsked(): boolean
  /** Starts the app if that is asked for. */
  perform(): void
}

/** `start` gets arguments for the app. */
export const createStartAgain = (start: (args: readonly string[]) => void): StartAgain => {
  let isEnding = false
  let kept: LaunchRequest | undefined
  return {
    begin: () => {
      isEnding = true
    },
    keep: (request) => {
      if (isEnding) kept = { ...kept, ...request }
      return isEnding
    },
    isAsked: () => kept !== undefined,
    perform: () => {
      // On Windows, Electron refuses to start with an argument behind a link.
      if (kept !== undefined) start([kept.runFile, kept.deepLink].filter((argument) => argument !== undefined))
    },
  }
}

/** Starts a program that goes on when this process has ended. */
export const startDetached = (program: string, args: readonly string[], env: NodeJS.ProcessEnv): void => {
  const child = spawn(program, args, { env, stdio: 'ignore', detached: true })
  child.on('error', () => undefined)
  child.unref()
  if (child.pid === undefined) throw new Error(`${program} could not be started`)
}
