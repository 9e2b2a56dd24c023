// Finds what nobody looked at in time, whatever became of the messages: starts, events, timers and effects alike. Several
// processes may sweep; each row is claimed by one of them.

import type { Logger } from 'pino'
import type { Dispatcher } from '../dispatch/dispatcher.ts'
import type { EngineStore } from '../store/store.ts'

export type Sweeper = {
  /** May be called twice. */
  stop(): Promise<void>
}

const EVERY_MS = 1_000
/** Messages that come this much late need no help. */
export const SWEEP_GRACE_MS = 5_000
const MOST_AT_ONCE = 200

export const startSweeper = (deps: {
  readonly store: Pick<EngineStore, 'overdue'>
  readonly dispatcher: Dispatcher
  readonly log: Logger
}): Sweeper => {
  const { store, dispatcher, log } = deps
  let timer: NodeJS.Timeout | undefined
  let isStopped = false

  /** Answers whether there may be more. */
  const sweep = async (): Promise<boolean> => {
    const ids = await store.overdue({ graceMs: SWEEP_GRACE_MS, limit: MOST_AT_ONCE })
    const sent = await Promise.allSettled(ids.map((id) => dispatcher.poke(id, 'sweep')))
    const failed = sent.find(({ status }) => status === 'rejected')
    if (failed !== undefined) throw (failed as PromiseRejectedResult).reason
    return ids.length === MOST_AT_ONCE
  }

  const run = async (): Promise<void> => {
    try {
      while (!isStopped && (await sweep()));
    } catch (error) {
      // What was claimed and not sent is claimed again later.
      log.debug({ err: error }, 'what is overdue could not be sent')
    }
    if (!isStopped) timer = setTimeout(runAgain, EVERY_MS)
  }
  const runAgain = (): void => {
    running = run()
  }
  let running = run()

  return {
    stop: () => {
      isStopped = true
      clearTimeout(timer)
      return running
    },
  }
}
