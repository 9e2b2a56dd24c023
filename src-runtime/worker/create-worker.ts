// The loop that connects journal, Programs and effects: plan deliveries, run turns, write their outcome, perform the
// effects, and drop the Execution from memory when it waits. The engine makes the decisions.

import type { Logger } from 'pino'
import type { Clock } from '../shared/clock.ts'
import type { EffectPerformer } from '../effects/effect-performer.ts'
import { actEarly, type ActedEarly } from '../engine/act-early.ts'
import { acceptCancel, acceptEvent, eventData } from '../engine/accept.ts'
import { advance, settleTurns } from '../engine/advance.ts'
import { DamagedExecution, damagedExecutionError } from '../engine/damaged-execution.ts'
import { countDeath } from '../engine/effect-attempts.ts'
import { endOutsideTurn, type Ending } from '../engine/end-execution.ts'
import type { ExecutionHead } from '../engine/execution-state.ts'
import { isTerminal } from '../engine/journal.ts'
import {
  addBuffered,
  beginLive,
  endLive,
  placeWaits,
  requestCancel,
  resumeLive,
  updateOpen,
} from '../engine/live-execution.ts'
import { nondeterminismError } from '../engine/nondeterminism.ts'
import { planDeliveries, withPayload } from '../engine/plan-deliveries.ts'
import type { Delivery, PlannedDelivery } from '../engine/turn.ts'
import type { ProgramHosts } from '../sandbox/program-hosts.ts'
import type { ReceivedWith } from '../ports/executions.ts'
import type { Changed, Decide, Store } from '../store/store.ts'
import { abortAttempts, activeExecution, replayOf, turnsToRun, type ActiveExecution } from './active-execution.ts'
import { createAdmission } from './admission.ts'
import { createCancelGraces } from './cancel-graces.ts'
import { noNotes, type NotedAttempt, type UnderWay } from './under-way.ts'
import { createDrain } from './drain.ts'
import { createEffectRunner } from './effect-runner.ts'
import { readEvent, readStart } from './read-journal.ts'
import { createRecentPayloads } from './recent-payloads.ts'
import { createRecovery } from './recovery.ts'
import { runTurns } from './run-turns.ts'
import { createRunningWatch } from './show-running.ts'
import { createWakeUps } from './wake-ups.ts'
import type { Worker } from '../ports/worker.ts'

export type RunningWorker = Worker & {
  /** Continues the Executions that were unfinished when the last process ended. */
  start(): void
  /** Checks what is due; call it after the machine slept. */
  resume(): void
  /**
   * Begins no more work, and waits until the running effects have ended and their outcomes are written, but no longer
   * than `graceMs`. `onWaiting` gets the number of running effects, if there are any.
   */
  drain(graceMs: number, onWaiting?: (effects: number) => void): Promise<void>
  /** Begins no more work and waits until all pending writes are durable. May be called twice. */
  stop(): Promise<void>
}

const RETRY_AFTER_MS = 1_000
/** How many parked Executions are kept in memory: their next event or timer often comes soon. */
const KEPT_IDLE = 256

export const createWorker = (deps: {
  readonly store: Store
  readonly hosts: ProgramHosts
  readonly effects: EffectPerformer
  readonly clock: Clock
  readonly log: Logger
  /** How long a cancelled Execution may clean up. */
  readonly cancelGraceMs: number
  /** Records the running attempts for the next process. */
  readonly underWay?: UnderWay
  /** Whether effects are run; unless false. */
  readonly runsEffects?: boolean
}): RunningWorker => {
  const { store, hosts, effects, clock, log, cancelGraceMs } = deps
  const { underWay = noNotes } = deps
  const actives = new Map<number, ActiveExecution>()
  /** Those that wait and have no pending work, least recently used first. */
  const idle = new Set<ActiveExecution>()
  const admission = createAdmission((key, isRecovered) => wake(key, isRecovered))
  const payloads = createRecentPayloads()
  let stopped = false

  const drain = createDrain(clock, () => actives.values())
  const onReadError = (error: unknown) => log.error({ err: error }, 'the store could not be read; trying again')
  const wakeUps = createWakeUps({
    executions: store.executions,
    clock,
    onDue: (key) => wake(key),
    onError: onReadError,
  })
  const effectRunner = createEffectRunner({
    store,
    effects,
    clock,
    underWay,
    runsEffects: deps.runsEffects ?? true,
    onProgress: (active) => pump(active),
    commit: (active, decide, onStored) => commit(active, decide, { onStored }),
    onFault: fault,
  })
  const runningWatch = createRunningWatch({ executions: store.executions, clock, actives: () => actives.values() })
  const graces = createCancelGraces({
    executions: store.executions,
    clock,
    log,
    graceMs: cancelGraceMs,
    onEnded: (key, head) => {
      const active = actives.get(key)
      if (active !== undefined) drop(active)
      else if (head !== undefined) hosts.forget(head.id)
    },
  })

  const recovery = createRecovery({
    executions: store.executions,
    clock,
    onCleaningUp: (key) => graces.begin(key),
    onUnfinished: (key) => wake(key, true),
    onError: onReadError,
  })

  function wake(key: number, isRecovered = false): void {
    if (stopped) return
    const active = actives.get(key)
    if (active !== undefined) return pump(active)
    if (drain.isOn) return
    try {
      if (!admission.admits(key, () => store.executions.head(key)?.programId, isRecovered)) return
      const loaded = store.executions.load(key)
      if (loaded === undefined || isTerminal(loaded.head.status)) return
      const startData = loaded.head.turns === 0 ? readStart(store.journal, key) : '{}'
      take(activeExecution(loaded.head, resumeLive(loaded, startData)))
    } catch (error) {
      cannotLoad(key, error)
    } finally {
      if (isRecovered) admission.release(key)
    }
  }

  function cannotLoad(key: number, error: unknown): void {
    if (error instanceof DamagedExecution) return failDamaged(key, error)
    log.error({ err: error, key }, 'an Execution could not be loaded; trying again')
    clock.after(RETRY_AFTER_MS, () => wake(key))
  }

  function failDamaged(key: number, damage: DamagedExecution): void {
    log.error({ err: damage, key }, 'what is stored of an Execution is damaged; it fails')
    const ending: Ending = { kind: 'failed', error: damagedExecutionError(damage) }
    store.executions
      .change(key, ({ head }) => endOutsideTurn(ending, head, clock.now()))
      .catch((error: unknown) => {
        if (!stopped) cannotLoad(key, error)
      })
  }

  function fault(active: ActiveExecution, error: unknown): void {
    if (stopped || active.gone) return
    if (error instanceof DamagedExecution) {
      failDamaged(active.key, error)
      drop(active)
    } else {
      log.error(
        { err: error, executionId: active.id },
        'an Execution could not go on; it begins again from its journal',
      )
      lose(active)
    }
  }

  function withPayloads(active: ActiveExecution, planned: readonly PlannedDelivery[]): readonly Delivery[] {
    return planned.map((delivery) => {
      if (delivery.kind !== 'event') return delivery
      const data = payloads.take(delivery.eventId) ?? readEvent(store.journal, active.key, delivery.source)
      return withPayload(delivery, data)
    })
  }

  /** Never rejects: at worst, a death is not counted. */
  async function countDeaths(died: readonly NotedAttempt[]): Promise<void> {
    const counted = died.map(async ({ executionId, command, attempt }) => {
      const key = store.executions.keyOf(executionId)
      if (key === undefined) return
      await store.executions.change(key, ({ open }) => {
        const effect = countDeath(open(command), attempt)
        return effect && { rescheduled: [effect] }
      })
    })
    for (const result of await Promise.allSettled(counted)) {
      if (result.status === 'rejected') log.warn({ err: result.reason }, 'a death under an effect was not counted')
    }
  }

  function take(active: ActiveExecution): void {
    actives.set(active.key, active)
    pump(active)
  }

  /** Runs the deliveries that are ready; drops the Execution from memory when it has nothing left to do. */
  function pump(active: ActiveExecution): void {
    if (stopped || active.gone || active.live.ended || active.inFlightSince !== undefined) return
    try {
      goOn(active)
    } catch (error) {
      fault(active, error)
    }
  }

  function goOn(active: ActiveExecution): void {
    if (drain.isOn && active.live.effectDeliveries.length === 0) return drain.look()
    idle.delete(active)
    if (!drain.isOn) effectRunner.begin(active)
    const now = clock.now()
    const deliveries = planDeliveries(active.live, now)
    if (deliveries.length > 0) {
      void run(active, deliveries)
      return
    }
    const { noneDueBefore } = active.live
    // What is due already waits for a commit, which leads here again; a timer would fire again and again until then.
    const awaitsCommit = noneDueBefore <= now && active.pendingCommits > 0
    if (noneDueBefore !== Infinity && !awaitsCommit) wakeUps.arm(noneDueBefore)
    if (active.pendingCommits === 0 && active.attempts.size === 0) letGo(active)
  }

  function letGo(active: ActiveExecution): void {
    if (active.live.buffered.size > 0) {
      actives.delete(active.key) // there may be thousands of them
      return
    }
    idle.add(active)
    if (idle.size <= KEPT_IDLE) return
    const [oldest] = idle
    idle.delete(oldest!)
    actives.delete(oldest!.key)
  }

  async function run(active: ActiveExecution, deliveries: readonly PlannedDelivery[]): Promise<void> {
    const begunAt = clock.now()
    active.inFlightSince = begunAt
    active.shownAsRunning = false
    const turn = admission.begin(active.key, active.programId)
    const activate: ProgramHosts['activate'] = (activation) => hosts.activate(activation, turn.onAlone)
    runningWatch.watch()
    try {
      const turns = turnsToRun(active, withPayloads(active, deliveries))
      const result = await runTurns(turns, { activate }, replayOf(active, store.journal))
      if (stopped || active.gone) return
      if (result === undefined) return lose(active)
      if (result.kind === 'diverged') return end(active, { kind: 'failed', error: nondeterminismError(result) })
      const defaults = (name: string) => effects.defaultsOf(active.versionId, name)
      const advanced = advance(active.live, deliveries, result.turns, defaults, { begunAt, endedAt: clock.now() })
      commit(active, ({ head }) => settleTurns(advanced, head))
    } catch (error) {
      fault(active, error)
    } finally {
      active.inFlightSince = undefined
      if (active.gone) remove(active)
      // The next turn may run ahead of this one's commit: nobody sees its outcome, and no effect runs, before its own
      // commit.
      pump(active)
      turn.end()
    }
  }

  function commit(
    active: ActiveExecution,
    decide: Decide,
    { onStored }: { readonly onStored?: () => void } = {},
  ): void {
    active.pendingCommits += 1
    const stored = store.executions.change(active.key, decide).then(
      (changed) => {
        active.pendingCommits -= 1
        if (!active.gone) onStored?.()
        committed(active, changed)
      },
      (error: unknown) => {
        active.pendingCommits -= 1
        if (stopped || active.gone) return
        log.warn(
          { err: error, executionId: active.id },
          'a change could not be stored; the Execution goes on from what its history holds',
        )
        lose(active)
      },
    )
    active.durable = stored.catch((error: unknown) => fault(active, error))
  }

  function committed(active: ActiveExecution, changed: Changed | undefined): void {
    if (active.gone) return
    if (changed === undefined || isTerminal(changed.head.status)) return drop(active)
    if (changed.change === undefined) return lose(active) // another turn was stored in its place
    active.durableCommand = changed.head.lastCommand
    placeWaits(active.live, changed.change, changed.firstPosition)
    active.effectsMayBegin ||= (changed.change.opened?.length ?? 0) > 0
    if (changed.change.cancelDelivered && !graces.has(active.key)) {
      effectRunner.abortClosed(active)
      graces.begin(active.key)
    }
    pump(active)
  }

  /** Removes an Execution that ended, or that this worker must not run any more. */
  function drop(active: ActiveExecution): void {
    if (active.gone) return
    active.gone = true
    idle.delete(active)
    abortAttempts(active)
    if (!active.takenUpAgain) graces.end(active.key)
    if (active.inFlightSince === undefined) remove(active)
    drain.look()
  }

  /** Discards the state in memory, which may be wrong, and begins again from the journal. */
  function lose(active: ActiveExecution): void {
    active.takenUpAgain = true
    drop(active)
  }

  /** Waits until no turn of it is running, so that a stale turn never uses a new image. */
  function remove(active: ActiveExecution): void {
    hosts.forget(active.id)
    if (actives.get(active.key) === active) actives.delete(active.key)
    if (active.takenUpAgain) clock.after(RETRY_AFTER_MS, () => wake(active.key))
  }

  function end(active: ActiveExecution, ending: Ending): void {
    endLive(active.live)
    commit(active, ({ head }) => endOutsideTurn(ending, head, clock.now()))
  }

  return {
    startExecution: async (execution) => {
      let begun: ActiveExecution | undefined
      const ahead = (head: ExecutionHead) => {
        if (stopped || drain.isOn || !admission.admits(head.key, () => head.programId)) return
        take((begun = activeExecution(head, beginLive(head, execution.data))))
      }
      try {
        return await store.executions.start(execution, ahead)
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
      let earlier: ReceivedWith | undefined
      const decide: Decide = ({ head, hasOpenWait, receivedWith }) => {
        earlier = idempotency && receivedWith(idempotency.key)
        if (earlier !== undefined) return undefined
        receivedAt = clock.now() // inside the transaction: timeouts are compared with the time of the commit
        const received = { name, data, bytes, ...(idempotency !== undefined && { idempotency }) }
        return acceptEvent(received, receivedAt, head, hasOpenWait)
      }
      const ahead = ({ head, firstPosition }: Changed) => {
        const active = actives.get(key)
        if (active !== undefined) {
          payloads.keep(id, data)
          addBuffered(active.live, { position: firstPosition, id, name, receivedAt, bytes })
          pump(active)
        } else if (head.status === 'running' || head.status === 'cancelling') wake(key)
      }
      let changed: Changed | undefined
      try {
        changed = await store.executions.change(key, decide, { ahead })
      } catch (error) {
        const active = actives.get(key)
        if (active !== undefined && !stopped) lose(active)
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
      await store.executions.change(key, decide)
      if (acted === undefined) return { kind: 'gone' }
      if (acted.kind === 'refused') return acted
      const active = actives.get(key)
      if (acted.kind === 'rescheduled' && active !== undefined) updateOpen(active.live, acted.open)
      wake(key)
      return { kind: 'accepted' }
    },

    cancel: async (key) => {
      const changed = await store.executions.change(key, ({ head }) => acceptCancel(clock.now(), head))
      if (changed === undefined) return { kind: 'gone' }
      const { head } = changed
      if (head.status === 'completed' || head.status === 'failed') return { kind: 'finished', status: head.status }
      const active = actives.get(key)
      if (head.status === 'cancelled') {
        if (active !== undefined) drop(active)
      } else if (active !== undefined) {
        requestCancel(active.live, head.cancelRequestedAt)
        pump(active)
      } else wake(key)
      return { kind: 'accepted', status: head.status }
    },

    start: () => {
      const begin = (): void => {
        underWay.clear()
        recovery.start()
        wakeUps.look()
      }
      const died = underWay.died()
      if (died.length === 0) return begin()
      void countDeaths(died).then(() => {
        if (!stopped && !drain.isOn) begin()
      })
    },
    resume: () => wakeUps.look(),
    drain: (graceMs, onWaiting) => {
      underWay.close() // attempts that a stop interrupts do not count as deaths
      wakeUps.stop()
      return drain.begin(graceMs, onWaiting)
    },
    stop: async () => {
      stopped = true
      underWay.close()
      wakeUps.stop()
      recovery.stop()
      runningWatch.stop()
      graces.stop()
      for (const active of actives.values()) abortAttempts(active)
      await Promise.allSettled([...actives.values()].map(({ durable }) => durable))
    },
  }
}
