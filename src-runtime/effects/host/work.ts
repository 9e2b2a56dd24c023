// Tracks which attempt the current code belongs to, through asynchronous contexts. This includes everything that an
// effect starts, directly or indirectly.

import { AsyncLocalStorage } from 'node:async_hooks'
import type { EffectRequest } from '../messages.ts'
import type { AttemptLog } from './attempt-log.ts'

export type RunningAttempt = {
  readonly kind: 'attempt'
  readonly request: EffectRequest
  readonly controller: AbortController
  readonly log: AttemptLog
  /** The runtime has its outcome; later output only goes to the runtime's log. */
  over: boolean
  /** Its function has returned. `over` and `returned` may come in either order. */
  returned: boolean
  /** The signal was aborted because the time was up. */
  timedOut: boolean
  timer: NodeJS.Timeout | undefined
}

export type RunningLoad = { readonly kind: 'load'; readonly bundle: string; over: boolean }

export const work = new AsyncLocalStorage<RunningAttempt | RunningLoad>()

/** The attempt that this code belongs to, while it is under way. */
export const currentAttempt = (): RunningAttempt | undefined => {
  const current = work.getStore()
  return current?.kind === 'attempt' && !current.over ? current : undefined
}
