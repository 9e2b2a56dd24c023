// Stores what operations of one workspace ask for, then tells the workers.

import type { Logger } from 'pino'
import type { Worker } from '../../src-runtime/ports/worker.ts'
import type { Dispatcher, Why } from '../dispatch/dispatcher.ts'
import type { Acceptance, Started, Woken } from '../store/store.ts'
import type { RanAhead, RunAhead } from './run-ahead.ts'
import type { StartPlaces } from './start-places.ts'

type StoredStart = Extract<Started, { kind: 'started' }>

export const createHostedWorker = (deps: {
  readonly workspaceId: string
  readonly accept: Acceptance
  readonly startPlaces: Pick<StartPlaces, 'take'>
  readonly dispatcher: Pick<Dispatcher, 'poke'>
  /** Runs first turns here; absent: workers run them. */
  readonly runAhead?: RunAhead
  /** PostgreSQL's clock, in ms since the epoch. */
  readonly now: () => number
  readonly log: Logger
  /** Told of each Execution that changed; `isEnd` when it has ended. */
  readonly onCommitted: (key: number, isEnd: boolean) => void
}): Worker => {
  const { workspaceId, accept, startPlaces, dispatcher, runAhead, now, log, onCommitted } = deps

  /** What was accepted is durable: if the message cannot be sent, the sweeper finds the Execution. */
  const poke = (executionId: string, why: Why, delayMs = 0): void => {
    dispatcher.poke(executionId, why, delayMs).catch((error: unknown) => {
      log.warn({ err: error, executionId, why }, 'a worker could not be told; the sweeper will')
    })
  }

  const tell = (key: number, { executionId, wake }: Woken, why: Why): void => {
    onCommitted(key, false)
    if (wake) poke(executionId, why)
  }

  const follow = (executionId: string, stored: StoredStart, ran: RanAhead | undefined): void => {
    onCommitted(stored.head.key, ran?.isEnd ?? false)
    if (ran === undefined) return poke(executionId, 'start')
    if (ran.visit === undefined) return
    const delayMs = Math.max(0, ran.visit.at - now())
    if (delayMs === 0) ran.keep(stored)
    poke(executionId, ran.visit.why, delayMs)
  }

  return {
    startExecution: async (asked) => {
      const givePlace = await startPlaces.take(workspaceId, asked.programId)
      // Its first turn begins at this time: timers and time limits that it sets may be shorter than the wait was.
      const execution = { ...asked, createdAt: now() }
      let ran: RanAhead | undefined
      let isStored = false
      try {
        if (givePlace !== undefined) ran = await runAhead?.run(workspaceId, execution)
        const started = await accept.start(execution, ran?.ahead)
        isStored = started.kind === 'started'
        if (started.kind !== 'started') return started
        const { kind, head } = started
        follow(execution.id, started, ran)
        return ran === undefined ? { kind, head } : { kind, head, whole: ran.whole(head) }
      } finally {
        givePlace?.()
        if (ran !== undefined && !isStored) runAhead?.forget(execution.id)
      }
    },

    sendEvent: async (key, event) => {
      const received = await accept.receive(key, event)
      if (received.kind !== 'received') return received
      if (received.loaded !== undefined) runAhead?.keepWoken?.(received.loaded)
      tell(key, received, 'event')
      return { kind: 'received', receivedAt: received.receivedAt }
    },

    actEarly: async (key, action, command) => {
      const acted = await accept.actEarly(key, action, command)
      if (acted.kind !== 'accepted') return acted
      tell(key, acted, 'early')
      return { kind: 'accepted' }
    },

    cancel: async (key) => {
      const requested = await accept.requestCancel(key)
      if (requested.kind !== 'accepted') return requested
      const { kind, status } = requested
      if (status === 'cancelled') onCommitted(key, true)
      else tell(key, requested, 'cancel')
      return { kind, status }
    },
  }
}
