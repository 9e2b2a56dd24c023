// A start of the app while it ends. The ending process has the lock of the single instance until its runtime has stopped, so
// the new process hands over what it was started for, and is gone. The ending one starts the app again as the last thing
// that it does, or the installer of an update does. A file tells the next process what it is started for, because an installer
// passes nothing on.

import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import type { Logger } from 'pino'
import { readJsonFile, writeJsonFile } from '../../src-runtime/shared/json-file.ts'
import type { Handover, LaunchRequest } from '../links/launch-request.ts'

export type StartAgain = {
  /** The app ends from here on. */
  begin(): void
  /** Keeps a start for the next process. False if the app is not ending. */
  keep(request: LaunchRequest): boolean
  /** The user quits again: what was kept before is not started. */
  forget(): void
  /** Whether the app is to start again. Nothing is forgotten from here on. */
  settle(): boolean
  /** Starts the app if that is asked for. */
  perform(): void
}

export const createStartAgain = (parts: {
  readonly file: string
  readonly start: () => void
  readonly log: Logger
}): StartAgain => {
  const { file, start, log } = parts
  let isEnding = false
  let isSettled = false
  let kept: LaunchRequest | undefined

  const store = ({ deepLink, runFile }: LaunchRequest): void => {
    const argv = [deepLink, runFile].filter((argument) => argument !== undefined)
    try {
      writeJsonFile(file, { argv, cwd: '/' } satisfies Handover)
    } catch (error) {
      log.error({ err: error }, 'the next start does not get what was opened')
    }
  }

  return {
    begin: () => {
      isEnding = true
    },
    keep: (request) => {
      if (!isEnding) return false
      kept = { ...kept, ...request }
      store(kept)
      return true
    },
    forget: () => {
      if (kept === undefined || isSettled) return
      kept = undefined
      remove(file, log)
    },
    settle: () => {
      isSettled = true
      return kept !== undefined
    },
    perform: () => {
      if (kept !== undefined) start()
    },
  }
}

/** What the last process left, once. Unchecked. No fault of the file keeps the app from starting. */
export const takeLeft = (file: string, log: Logger): unknown => {
  let left: unknown
  try {
    left = readJsonFile(file)
  } catch (error) {
    log.warn({ err: error }, 'what was opened while the app ended cannot be read')
  }
  remove(file, log)
  return left
}

const remove = (file: string, log: Logger): void => {
  try {
    rmSync(file, { force: true })
  } catch (error) {
    log.warn({ err: error }, 'what was opened while the app ended cannot be removed; the next start opens it again')
  }
}

/** Starts a program that goes on when this process has ended. */
export const startDetached = (program: string, args: readonly string[], env: NodeJS.ProcessEnv): void => {
  const child = spawn(program, args, { env, stdio: 'ignore', detached: true })
  child.on('error', () => undefined)
  child.unref()
  if (child.pid === undefined) throw new Error(`${program} could not be started`)
}
