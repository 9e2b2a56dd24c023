// Protects other attempts from what one attempt does to the process.

import { writeSync } from 'node:fs'
import { leaveSignalsToParent } from '../../shared/leave-signals-to-parent.ts'
import type { Attempts } from './attempts.ts'
import type { DescribeError } from './describe-error.ts'
import { currentAttempt, work, type RunningAttempt } from './work.ts'
import type { FromHost } from '../messages.ts'

/** Thrown by `process.exit`, so that the code after the call does not run. */
class ExitCalled extends Error {
  override readonly name = 'ExitCalled'
  readonly #isExit = true
  /** Not `instanceof`, which runs a trap of a Proxy. */
  static is(thrown: unknown): boolean {
    return typeof thrown === 'object' && thrown !== null && #isExit in thrown
  }
}

export type Guarded = <Arguments extends readonly unknown[]>(
  run: (...given: Arguments) => void,
  ...given: Arguments
) => void

/** Runs the host's own code. What it throws ends the process, and so its attempts: without that, they would never end. */
export const createGuarded = (exit: (code: number) => never, describe: DescribeError): Guarded => {
  const textOf = (thrown: unknown): string => {
    try {
      return (describe(thrown).stack ?? String(thrown)).split(/\n\s*/).slice(0, 2).join(' ')
    } catch {
      // What reads errors is replaced, too.
      return String(thrown)
    }
  }
  return (run, ...given) => {
    try {
      run(...given)
    } catch (error) {
      try {
        writeSync(2, `fatal: an effect or a package has replaced what its process needs: ${textOf(error)}\n`)
      } finally {
        exit(1)
      }
    }
  }
}

export const guardProcess = (deps: {
  readonly attempts: Attempts
  readonly describe: DescribeError
  readonly say: (message: FromHost) => void
}): void => {
  const { attempts, describe, say } = deps

  const stray = (what: Extract<FromHost, { kind: 'stray' }>['what'], thrown: unknown): void =>
    say({ kind: 'stray', what, error: describe(thrown) })

  process.exit = (code) => {
    const called = new ExitCalled(`process.exit(${code ?? ''}) was called`)
    const attempt = currentAttempt()
    if (attempt !== undefined) attempts.fail(attempt, { prefix: inEffect('exit', attempt), thrown: called })
    else if (work.getStore()?.kind !== 'load') stray('exit', called)
    throw called
  }
  process.chdir = () => {
    throw new Error(NO_CHDIR)
  }
  // The asynchronous context of both handlers is the one in which it was thrown, or in which the promise was made.
  process.on('uncaughtException', (error) => {
    if (ExitCalled.is(error)) return
    const attempt = currentAttempt()
    if (attempt === undefined) return stray('exception', error)
    attempts.fail(attempt, { prefix: inEffect('uncaught exception', attempt), thrown: error })
  })
  process.on('unhandledRejection', (reason) => {
    if (ExitCalled.is(reason)) return
    const attempt = currentAttempt()
    if (attempt === undefined) return stray('rejection', reason)
    attempts.fail(attempt, { prefix: inEffect('unhandled rejection', attempt), thrown: reason })
  })
  leaveSignalsToParent()
}

/** Relative paths of all other effects would change. */
const NO_CHDIR =
  'process.chdir() is not available in effects, which share a process: use absolute paths, and the option cwd for other processes'

const inEffect = (what: string, { request }: RunningAttempt): string => `${what} in effect "${request.name}"`
