// The loop that connects journal, Programs and effects: plan deliveries, run turns, write their outcome, perform the
// effects, and drop the Execution from memory when it waits. The engine makes the decisions.

import type { Logger } from 'pino'
import type { Clock } from '../shared/clock.ts'
import type { Failure } from '../shared/failure.ts'
import { createFaultLevels } from '../shared/fault-levels.ts'
import { createTransientMap } from '../shared/transient-map.ts'
import type { EffectPerformer } from '../effects/effect-performer.ts'
import { advance, settleTurns } from '../engine/advance.ts'
import { DamagedExecution } from '../engine/damaged-execution.ts'
import { endOutsideTurn, type Ending } from '../engine/end-execution.ts'
import { isTerminal } from '../engine/journal.ts'
import { endLive, placeWaits } from '../engine/live-execution.ts'
import { nondeterminismError } from '../engine/nondeterminism.ts'
import { planDeliveries } from '../engine/plan-deliveries.ts'
import type { PlannedDelivery } from '../engine/turn.ts'
import { hasEnded, type ProgramHosts } from '../sandbox/program-hosts.ts'
import type { Changed, Decide, Store } from '../store/store.ts'
import { abortAttempts, loadActive, replayOf, turnsToRun, type ActiveExecution } from './active-execution.ts'
import { createAdmission } from './admission.ts'
import { createCancelGraces } from './cancel-graces.ts'
import type { UnderWay } from './under-way.ts'
import { countDeaths } from './count-deaths.ts'
import { createDrain } from './drain.ts'
import { createEffectRunner } from './effect-runner.ts'
import { failuresIn } from './failures-in.ts'
import { causeOf, createFaults, RETRY_AFTER_MS } from './faults.ts'
import { createKeptAttempts } from './kept-attempts.ts'
import { createKeptIdle } from './kept-idle.ts'
import { readDeliveries } from './read-journal.ts'
import { createRecentPayloads } from './recent-payloads.ts'
import { createRecovery } from './recovery.ts'
import { createRequests } from './requests.ts'
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

export const createWorker = (deps: {
  readonly store: Store
  readonly hosts: ProgramHosts
  readonly effects: EffectPerformer
  readonly clock: Clock
  readonly log: Logger
  /** How long a cancelled Execution may clean up. */
  readonly cancelGraceMs: number
  /** Records the running attempts for the next process. */
  readonly underWay: UnderWay
  readonly runsEffects: boolean
  /** Called once the failure is stored. */
  readonly onFailure?: ((failure: Failure) => void) | undefined
}): RunningWorker => {
  const { store, hosts, effects, clock, log, cancelGraceMs, underWay, runsEffects, onFailure } = deps
  const levelOf = createFaultLevels()
  const actives = createTransientMap<number, ActiveExecution>()
  /** Those that wait and have no pending work. */
  const idle = createKeptIdle((key) => actives.delete(key))
  const admission = createAdmission((key, isRecovered) => wake(key, isRecovered))
  const payloads = createRecentPayloads()
  const kept = createKeptAttempts()
  let stopped = false

  const drain = createDrain(clock, () => actives.values())
  const onReadError = (error: unknown) =>
    log[levelOf(error, 'error')]({ err: error }, 'the store could not be read; trying again')
  const wakeUps = createWakeUps({
    executions: store.executions,
    clock,
    onDue: (key) => {
      const active = actives.get(key)
      if (active !== undefined) active.effectsMayBegin = true
      wake(key)
    },
    onError: onReadError,
  })
  const effectRunner = createEffectRunner({
    store,
    effects,
    clock,
    underWay,
    kept,
    runsEffects,
    onProgress: (active) => pump(active),
    commit,
    onFault: (active, error) => faults.of(active, error),
  })
  const runningWatch = createRunningWatch({ executions: store.executions, clock, actives: () => actives.values() })
  const graces = createCancelGraces({
    executions: store.executions,
    clock,
    log,
    levelOf,
    graceMs: cancelGraceMs,
    onEnded: (key, head) => {
      const active = actives.get(key)
      if (active !== undefined) drop(active)
      else if (head !== undefined) hosts.forget(head.id)
    },
  })

  const faults = createFaults({
    executions: store.executions,
    clock,
    log,
    levelOf,
    isStopped: () => stopped,
    wake,
    drop,
    lose,
  })
  const requests = createRequests({
    executions: store.executions,
    clock,
    payloads,
    find: (key) => actives.get(key),
    keep: ({ key }) => idle.remove(key),
    mayTakeUp: (head) => !stopped && !drain.isOn && admission.admits(head.key, () => head.programId),
    take,
    wake,
    pump,
    drop,
    lose: (active) => {
      if (!stopped) lose(active)
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
      const loaded = loadActive(store, key)
      if (loaded === undefined) kept.forget(key)
      else take(loaded)
    } catch (error) {
      if (error instanceof DamagedExecution) kept.forget(key) // it fails
      faults.ofLoading(key, error)
    } finally {
      if (isRecovered) admission.release(key)
    }
  }

  function take(active: ActiveExecution): void {
    actives.set(active.key, active)
    kept.takeUp(active)
    pump(active)
  }

  /** Runs the deliveries that are ready; drops the Execution from memory when it has nothing left to do. */
  function pump(active: ActiveExecution): void {
    if (stopped || active.gone || active.live.ended || active.inFlightSince !== undefined) return
    try {
      goOn(active)
    } catch (error) {
      faults.of(active, error)
    }
  }

  function goOn(active: ActiveExecution): void {
    if (drain.isOn && active.live.effectDeliveries.length === 0) return drain.look()
    idle.remove(active.key)
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
    if (active.pendingCommits === 0 && active.attempts.size === 0 && !active.goesOnBeginning) {
      idle.add(active.key, active.live.bufferedEvents)
    }
  }

  async function run(active: ActiveExecution, deliveries: readonly PlannedDelivery[]): Promise<void> {
    const begunAt = clock.now()
    active.inFlightSince = begunAt
    active.shownAsRunning = false
    const turn = admission.begin(active.key, active.programId)
    const activate: ProgramHosts['activate'] = (activation) => hosts.activate(activation, turn.onAlone)
    runningWatch.watch()
    try {
      const turns = turnsToRun(active, readDeliveries(store.journal, payloads, active.key, deliveries))
      const result = await runTurns(turns, { activate }, replayOf(active, store.journal))
      active.endedInHost = result !== undefined && hasEnded(result)
      if (stopped || active.gone) return
      if (result === undefined) return lose(active)
      if (result.kind === 'diverged') return end(active, { kind: 'failed', error: nondeterminismError(result) })
      const defaults = (name: string) => effects.defaultsOf(active.versionId, name)
      const advanced = advance(active.live, deliveries, result.turns, defaults, { begunAt, endedAt: clock.now() })
      commit(active, ({ head }) => {
        const change = active.refused ? undefined : settleTurns(advanced, head)
        active.refused ||= change === undefined
        return change
      })
    } catch (error) {
      faults.of(active, error)
    } finally {
      active.inFlightSince = undefined
      if (active.gone) remove(active)
      // The next turn may run ahead of this one's commit: nobody sees its outcome, and no effect runs, before its own
      // commit.
      pump(active)
      turn.end()
    }
  }

  function commit(active: ActiveExecution, decide: Decide, onStored?: () => void): void {
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
        log[levelOf(error, 'warn')](
          { ...causeOf(error), executionId: active.id },
          'a change could not be stored; the Execution goes on from what its history holds',
        )
        lose(active)
      },
    )
    active.durable = stored.catch((error: unknown) => faults.of(active, error))
  }

  function committed(active: ActiveExecution, changed: Changed | undefined): void {
    if (changed?.change !== undefined) {
      kept.stored(active.key, changed.change)
      if (onFailure !== undefined) failuresIn(changed.change, active).forEach(onFailure)
    }
    if (active.gone) return
    if (changed === undefined || isTerminal(changed.head.status)) return drop(active)
    if (changed.change === undefined) return lose(active) // another turn was stored in its place
    active.durableCommand = changed.head.lastCommand
    placeWaits(active.live, changed.change, changed.firstPosition)
    active.effectsMayBegin ||= (changed.change.opened?.length ?? 0) > 0
    effectRunner.stored(active, changed.change)
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
    idle.remove(active.key)
    if (active.takenUpAgain) kept.leave(active)
    else {
      abortAttempts(active)
      kept.forget(active.key)
      graces.end(active.key)
    }
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
    // An end that was not stored may follow turns that were not stored either, and ran in another host.
    if (!active.endedInHost || active.takenUpAgain) hosts.forget(active.id)
    if (actives.get(active.key) === active) actives.delete(active.key)
    if (active.takenUpAgain) clock.after(RETRY_AFTER_MS, () => wake(active.key))
  }

  function end(active: ActiveExecution, ending: Ending): void {
    endLive(active.live)
    commit(active, ({ head }) => (active.refused ? undefined : endOutsideTurn(ending, head, clock.now())))
  }

  return {
    ...requests,

    start: () => {
      const begin = (): void => {
        recovery.start()
        wakeUps.start()
      }
      const died = underWay.died()
      // Before they are counted, so that no death counts twice if the runtime dies again just now.
      underWay.clear()
      if (died.length === 0) return begin()
      void countDeaths(store.executions, died, log).then((suspects) => {
        if (stopped || drain.isOn) return
        for (const key of suspects) wake(key, true)
        begin()
      })
    },
    resume: () => wakeUps.look(),
    drain: (graceMs, onWaiting) => {
      underWay.close() // attempts that a stop interrupts do not count as deaths
      wakeUps.stop()
      kept.abortWaiting()
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
