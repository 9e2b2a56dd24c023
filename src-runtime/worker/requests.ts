// Requests of callers about Executions. Each request is one durable change, and the turn that it causes may run ahead of its
// commit.

import type { Clock } from '../shared/clock.ts'
import { actEarly, type ActedEarly } from '../engine/act-early.ts'
import { acceptCancel, acceptEvent, eventData } from '../engine/accept.ts'
import type { ExecutionHead } from '../engine/execution-state.ts'
import { isTerminal } from '../engine/journal.ts'
import { addBuffered, beginLive, requestCancel, updateOpen } from '../engine/live-execution.ts'
import type { ReceivedWith } from '../ports/executions.ts'
import type { Worker } from '../ports/worker.ts'
import type { Changed, Decide, ExecutionStore } from '../store/store.ts'
import { activeExecution, type ActiveExecution } from './active-execution.ts'
import type { RecentPayloads } from './recent-payloads.ts'

export const createRequests = (deps: {
  readonly executions: ExecutionStore
  readonly clock: Clock
  readonly payloads: RecentPayloads
  /** The Execution, if it is in memory. */
  readonly find: (key: number) => ActiveExecution | undefined
  /** It stays in memory until the next pump, whatever others need the room. */
  readonly keep: (active: ActiveExecution) => void
  /** Whether a new Execution may be taken into memory now. */
  readonly mayTakeUp: (head: ExecutionHead) => boolean
  readonly take: (active: ActiveExecution) => void
  readonly wake: (key: number) => void
  readonly pump: (active: ActiveExecution) => void
  readonly drop: (active: ActiveExecution) => void
  readonly lose: (active: ActiveExecution) => void
}): Worker => {
  const { executions, clock, payloads, find, keep, mayTakeUp, take, wake, pump, drop, lose } = deps
  return {
    startExecution: async (execution) => {
      let begun: ActiveExecution | undefined
      const ahead = (head: ExecutionHead) => () => {
        if (!mayTakeUp(head)) return false
        begun = activeExecution(head, beginLive(head, execution.data))
        take(begun)
        return isRunning(begun)
      }
      try {
        return await executions.start(execution, ahead)
      } catch (error) {
        if (begun !== undefined) drop(begun)
        throw error
      }
    },

    sendEvent: async (key, event) => {
      const { id, name, idempotency } = event
      const data = eventData(event)
      const bytes = Buffer.byteLength(data)
      let receivedAt = 0
      let isForCleanUp = false
      let earlier: ReceivedWith | undefined
      const decide: Decide = ({ head, hasOpenWait, receivedWith }) => {
        earlier = idempotency && receivedWith(idempotency.key)
        if (earlier !== undefined) return undefined
        receivedAt = clock.now() // inside the transaction: timeouts are compared with the time of the commit
        isForCleanUp = head.status === 'cancelling' && hasOpenWait(name, receivedAt)
        const received = { name, data, bytes, ...(idempotency !== undefined && { idempotency }) }
        return acceptEvent(received, receivedAt, head, hasOpenWait)
      }
      const ahead = ({ head, firstPosition }: Changed) => {
        const active = find(key)
        if (active !== undefined) {
          keep(active)
          payloads.keep(id, data)
          addBuffered(active.live, { position: firstPosition, id, name, receivedAt, bytes })
          // Once all events of the transaction are known: one of them may come just before a wait's timeout.
          return () => {
            pump(active)
            return isRunning(active)
          }
        }
        if (head.status !== 'running' && !isForCleanUp) return undefined
        return () => {
          wake(key)
          return isRunning(find(key))
        }
      }
      let changed: Changed | undefined
      try {
        changed = await executions.change(key, decide, { ahead })
      } catch (error) {
        const active = find(key)
        if (active !== undefined) lose(active)
        throw error
      }
      if (changed === undefined) return { kind: 'gone' }
      const { head, change } = changed
      if (earlier !== undefined) return { kind: 'repeated', received: earlier }
      if (change !== undefined) return { kind: 'received', receivedAt }
      return isTerminal(head.status) ? { kind: 'finished', status: head.status } : { kind: 'buffer_full' }
    },

    actEarly: async (key, action, command) => {
      let acted: ActedEarly | undefined
      const decide: Decide = ({ open }) => {
        acted = actEarly(action, open(command), clock.now())
        return acted.kind === 'rescheduled' ? { rescheduled: [acted.open] } : undefined
      }
      await executions.change(key, decide)
      if (acted === undefined) return { kind: 'gone' }
      if (acted.kind === 'refused') return acted
      const active = find(key)
      // An attempt that has begun by itself meanwhile is not due again.
      const isUnderWay = active?.attempts.has(command) === true
      if (acted.kind === 'rescheduled' && active !== undefined && !isUnderWay) updateOpen(active.live, acted.open)
      wake(key)
      return { kind: 'accepted' }
    },

    cancel: async (key) => {
      const changed = await executions.change(key, ({ head }) => acceptCancel(clock.now(), head))
      if (changed === undefined) return { kind: 'gone' }
      const { head } = changed
      if (head.status === 'completed' || head.status === 'failed') return { kind: 'finished', status: head.status }
      const active = find(key)
      if (head.status === 'cancelled') {
        if (active !== undefined) drop(active)
      } else if (active !== undefined) {
        requestCancel(active.live, head.cancelRequestedAt)
        pump(active)
      } else wake(key)
      return { kind: 'accepted', status: head.status }
    },
  }
}

const isRunning = (active: ActiveExecution | undefined): boolean => active?.inFlightSince !== undefined
