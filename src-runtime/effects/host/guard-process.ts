// Protects other attempts from what one attempt does to the process.

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

/** Returns a function that really exits. */
export const guardProcess = (deps: {
  readonly attempts: Attempts
  readonly describe: DescribeError
  readonly say: (message: FromHost) => void
}): ((code: number) => never) => {
  const { attempts, describe, say } = deps
  const exit = process.exit.bind(process)

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
  return exit
}

/** Relative paths of all other effects would change. */
const NO_CHDIR =
  'process.chdir() is not available in effects, which share a process: use absolute paths, and the option cwd for other processes'

const inEffect = (what: string, { request }: RunningAttempt): string => `${what} in effect "${request.name}"`
