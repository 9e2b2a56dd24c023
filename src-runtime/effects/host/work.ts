// What the host is doing, as far as an asynchronous context can tell: everything that an effect started, and everything
// that started from there, knows which attempt it belongs to.

import { AsyncLocalStorage } from 'node:async_hooks'
import type { EffectRequest } from '../messages.ts'
import type { AttemptLog } from './attempt-log.ts'

export type RunningAttempt = {
  readonly kind: 'attempt'
  readonly request: EffectRequest
  readonly controller: AbortController
  readonly log: AttemptLog
  /** The runtime has its outcome; whatever still comes of it is only worth a line in the runtime's log. */
  over: boolean
  /** Its function is done. Both may come first. */
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
