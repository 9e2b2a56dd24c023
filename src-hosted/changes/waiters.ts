// Answers that are held until an Execution ends. The process that ends it sends a hint, which may be lost, so this process
// also reads the status of all Executions that it waits for once a second.

import type { Logger } from 'pino'
import { createEndListeners, type EndListeners } from '../../src-runtime/operations/end-listeners.ts'
import type { EngineStore } from '../store/store.ts'

export type Waiters = {
  /** Calls back once, when the Execution ends or the service stops; not after the function it returns was called. */
  whenTerminal: EndListeners['add']
  /** It has ended, or a hint says so. */
  ended: EndListeners['ended']
  /** Reads the statuses now, because hints may have been missed. */
  look(): void
  /** Ends all waiting. May be called twice. */
  stop(): void
}

const LOOK_EVERY_MS = 1_000
const KEYS_PER_LOOK = 5_000

export const createWaiters = (deps: {
  readonly store: Pick<EngineStore, 'endedAmong'>
  readonly log: Logger
}): Waiters => {
  const { store, log } = deps
  const listeners = createEndListeners()
  let isLooking = false

  const look = async (): Promise<void> => {
    if (isLooking) return
    isLooking = true
    try {
      const keys = listeners.keys()
      for (let from = 0; from < keys.length; from += KEYS_PER_LOOK) {
        for (const key of await store.endedAmong(keys.slice(from, from + KEYS_PER_LOOK))) listeners.ended(key)
      }
    } catch (error) {
      log.debug({ err: error }, 'which Executions have ended is not known now')
    } finally {
      isLooking = false
    }
  }
  const timer = setInterval(() => {
    if (listeners.keys().length > 0) void look()
  }, LOOK_EVERY_MS)
  timer.unref()

  return {
    whenTerminal: listeners.add,
    ended: listeners.ended,
    look: () => void look(),
    stop: () => {
      clearInterval(timer)
      listeners.close()
    },
  }
}
