// A visit delivers to one Execution everything that is ready, turn by turn, each stored before the next: load, plan, run,
// settle, commit, and again. Two visits may run at once, on any processes: the store takes the turns of one, and the other
// drops what it ran.

import type { Logger } from 'pino'
import type { Change } from '../../src-runtime/engine/change.ts'
import type { OpenEffect } from '../../src-runtime/engine/effect-attempts.ts'
import type { Ending } from '../../src-runtime/engine/end-execution.ts'
import { isTerminal } from '../../src-runtime/engine/journal.ts'
import type { OutcomeRecord } from '../../src-runtime/ports/executions.ts'
import { pause } from '../../src-runtime/shared/pause.ts'
import type { Visited, Why, Work } from '../dispatch/dispatcher.ts'
import type { EngineStore } from '../store/store.ts'
import { HAND_OVER_MS, type AskedAttempts } from './asked-attempts.ts'
import { commitTurns, type Decided } from './commit-turns.ts'
import { createEffectsHere, type EffectsHere } from './effects-here.ts'
import type { EffectSpeeds } from './effect-speeds.ts'
import type { FirstTurns } from './first-turns.ts'
import type { JustStored } from './just-stored.ts'
import type { LateTurns } from './late-turns.ts'
import { hasLeaseEnded, keepWakeAt, nextTimerAt, OWNED_LEASE_MS, UNOWNED_LEASE_MS, wakeAtOf } from './look-again.ts'
import type { AttemptPerformer } from './perform-attempts.ts'
import { createOpenedEffects } from './opened-effects.ts'
import { outcomeOf } from './outcome-of.ts'
import { endOutside } from './run-deliveries.ts'
import { failDamaged, runPlanned } from './run-planned.ts'
import type { RunningAttempts } from './running-attempts.ts'
import type { OutcomeWriter } from './store-outcomes.ts'
import type { SlowVisits } from './slow-visits.ts'
import type { VersionCache } from './version-cache.ts'
import { createVisitDuty, type VisitDuty } from './visit-duty.ts'
import type { Place, VisitPlaces } from './visit-places.ts'
import { hereIn, withFrom } from './visits-here.ts'
import {
  firstUnread,
  isOutdated,
  planVisited,
  seenOf,
  visitedExecution,
  type VisitedExecution,
} from './visited-execution.ts'

export type VisitsDeps = {
  readonly store: EngineStore
  readonly hosts: Pick<LateTurns, 'activate' | 'forget' | 'isKept'>
  readonly versions: VersionCache
  readonly places: VisitPlaces
  readonly slow: SlowVisits
  readonly performer: AttemptPerformer
  readonly outcomes: OutcomeWriter
  readonly asked: Pick<AskedAttempts, 'follow' | 'letGo'>
  readonly running: RunningAttempts
  readonly speeds: EffectSpeeds
  readonly firstTurns: FirstTurns
  readonly justStored: Pick<JustStored, 'take' | 'drop'>
  /** Identifies this process to the store, as the performer of effects. */
  readonly name: string
  /** See `EngineStore.takeAttempt`. */
  readonly deadAfterMs: number
  /** PostgreSQL's clock, in ms since the epoch. */
  readonly now: () => number
  readonly log: Logger
  /** How long a cancelled Execution may clean up. */
  readonly cancelGraceMs: number
  /** Told of each commit: `isEnd` when the Execution has ended, with its outcome. */
  readonly onCommitted: (key: number, isEnd: boolean, outcome?: OutcomeRecord) => void
}

export type Visits = {
  visit: Work['visit']
  /** The same, where Restate does not know of it, and does not do it again if this process dies. */
  visitHere(executionId: string, id: string, why: Why): Promise<Visited>
}

const MOST_ROUNDS = 256
/** So many turns in a row were refused: the next visit waits, so that a fault does not repeat them without a pause. */
const MOST_LOST = 8
const PAUSE_MS = 1_000
/** A visit waits for a timer or a retry that is due within this time. */
const SHORT_WAIT_MS = 20
/**
 * A timer's message may come this much too early, because clocks of machines differ. Its visit waits: nobody else asks for the
 * timer.
 */
const EARLY_MESSAGE_MS = 1_000
/** While a visit waits for effects, it reads at this interval whether an event or a cancel has come. */
const LOOK_EVERY_MS = 250
const NOTHING: Visited = { attempts: [] }
const REPLACED = new Error('this worker stops or was replaced')
const CLEAN_UP_OVER: Ending = { kind: 'completed', data: '{}' }

export const createVisits = (deps: VisitsDeps): Visits => {
  const visitWith = (
    leaseMs: number,
    executionId: string,
    invocation: string,
    why: Why,
    dropped?: AbortSignal,
  ): Promise<Visited> =>
    deps.places.alone(executionId, async () => {
      // Nobody gets its answer, and those that somebody waits for come first.
      dropped?.throwIfAborted()
      const visit = createVisit(deps, executionId, invocation, why, leaseMs, dropped)
      return visit()
    })
  return {
    visit: (id, invocation, why, _trace, dropped) => visitWith(OWNED_LEASE_MS, id, invocation, why, dropped),
    visitHere: (id, here, why) => visitWith(UNOWNED_LEASE_MS, id, here, why),
  }
}

/** `cut`: this worker stops or was replaced, and the turn takes long. */
type TurnResult = 'committed' | 'ended' | 'lost' | 'cut'

const createVisit = (
  deps: VisitsDeps,
  executionId: string,
  id: string,
  why: Why,
  leaseMs: number,
  dropped: AbortSignal | undefined,
): (() => Promise<Visited>) => {
  const { store, hosts, running, slow, now, cancelGraceMs } = deps
  const place: Place = deps.places.place()
  /** As it is stored with its turns. */
  let invocation = id
  /** By Restate, which waits for its end before it forgets the address of this worker. */
  const isAsked = hereIn(id) === undefined
  const here: EffectsHere = createEffectsHere({ ...deps, executionId })
  /** Effects that earlier visits opened, which asked Restate for them. */
  let askedBefore = new Set<number>()
  const opened = createOpenedEffects(deps.name)
  /** Others perform them. */
  const elsewhere = new Set<number>()
  /** Somebody must be asked for them, though some still run in this process. */
  const byMessage = new Set<number>()
  let rounds = 0
  /** Turns that were refused since one was stored. */
  let lost = 0
  /** How often this worker had handed over its turns when the visit came. */
  const { cuts } = running
  let isResting = false
  /** It has had a place. Nothing was run before. */
  let hasBegun = false
  /** Restate may have it done again, because a process died that had stored turns of it, and had not asked for what these opened. */
  let mayBeAgain = true
  /** Aborts the wait for its turn: nobody gets its answer, or the worker that has taken over has less to do. */
  const waiting = new AbortController()
  /** Of outcomes that the next turn delivers. */
  let effectsMs = 0

  const load = async (isAgain: boolean): Promise<VisitedExecution | undefined> => {
    const loaded = await store.load(executionId, isAgain ? undefined : waiting.signal)
    if (loaded === undefined || isTerminal(loaded.head.status)) return undefined
    const execution = visitedExecution(loaded, cancelGraceMs)
    if (isAgain) here.handOverAgain(execution)
    return execution
  }

  const justStored = (): VisitedExecution | undefined => {
    const stored = deps.justStored.take(executionId, why)
    if (stored === undefined) return undefined
    const { execution, start } = stored
    if (start !== undefined) {
      opened.stored(start.change, start.claimed)
      isResting = true
    }
    return execution
  }

  /** When a turn was stored last; `undefined`: no effect has been open for long. */
  const lookedAt = async ({ head, live }: VisitedExecution): Promise<number | undefined> => {
    // Such a visit asks for all effects anyway. The journal may have a million failed attempts since the last turn.
    if (why === 'sweep') return undefined
    const at = now()
    const mayBeLost = [...live.openEffects].some((command) => {
      const open = live.open.get(command)
      return open?.kind === 'effect' && hasLeaseEnded(open, open.since, at)
    })
    return mayBeLost ? store.lastTurnAt(head.key) : undefined
  }

  const wakeAt = (execution: VisitedExecution): number | undefined => {
    const at = now()
    // This visit delivers what is ready, such as a buffered event. If its process dies before, nobody else knows of it.
    const isMore = firstUnread(execution) !== undefined || planVisited(execution, at).length > 0
    return isMore ? at + leaseMs : wakeAtOf(execution, at, leaseMs, askedBefore)
  }

  const run = async (): Promise<Visited> => {
    let execution = justStored() ?? (await load(false))
    if (execution === undefined) return ended()
    mayBeAgain = execution.lastInvocation === id
    const duty = createVisitDuty(execution, why, invocation, await lookedAt(execution), now())
    const toAsk = duty.effects(execution)
    invocation = withFrom(id, takesOverFrom(execution, toAsk))
    askedBefore = new Set(execution.live.openEffects)
    // Those that this visit asks for are not among them.
    for (const { command, attempt } of toAsk) {
      if (!running.has({ executionId, command, attempt })) askedBefore.delete(command)
    }
    await place.take(execution, waiting.signal)
    hasBegun = true
    for (;;) {
      await place.take(execution, undefined, here.hasOnlyFailed)
      if (isOutdated(execution, now())) {
        execution = await load(true)
        if (execution === undefined) return ended()
      }
      await settleHere(execution, duty)
      if (execution.isStale) continue
      if (lost >= MOST_LOST) {
        here.keep()
        return handOver(execution, duty, PAUSE_MS)
      }
      // Outcomes that only this visit knows are delivered before it ends.
      if (here.count === 0 && execution.live.effectDeliveries.length === 0) {
        if (running.isDraining) return handOver(execution, duty)
        // This visit has waited for a place, and the worker that has taken over has free ones. It may be cut off, though, so what Restate
        // did not ask for stays here.
        if (rounds === 0 && isAsked && running.cuts !== cuts) return handOver(execution, duty, 0)
        if (rounds === 0 && slow.isFull(execution.workspaceId, execution.head.versionId)) return later(execution, duty)
        if (rounds >= MOST_ROUNDS) return handOver(execution, duty, 0)
      }
      const decide = nextTurn(execution)
      if (decide !== undefined) {
        rounds += 1
        const result = await takeTurn(execution, duty, decide)
        if (result === 'cut') return handOver(execution, duty)
        if (result === 'ended') return ended()
        place.give()
        continue
      }
      if (firstUnread(execution) !== undefined) {
        execution.isStale = true
        continue
      }
      if (await waitHere(execution, duty)) continue
      if (await rest(execution)) return finish(execution, duty)
      execution.isStale = true
    }
  }

  /** When the first effect was opened for which this visit must ask; the first turn has the time of the start. */
  const takesOverFrom = ({ lastInvocation, head }: VisitedExecution, toAsk: readonly OpenEffect[]): number =>
    Math.min(...toAsk.map(({ since }) => since), lastInvocation === undefined ? head.createdAt : Infinity)

  /** `undefined`: there is nothing to deliver. */
  const nextTurn = (execution: VisitedExecution): (() => Promise<Decided | undefined>) | undefined => {
    const at = now()
    const withWakeAt = <Ran extends Omit<Decided, 'wakeAt'>>(ran: Ran): Decided => ({
      ...ran,
      wakeAt: () => keepWakeAt(execution.wakeAt, wakeAt(execution), now(), leaseMs),
    })
    if (execution.graceEndsAt !== undefined && execution.graceEndsAt <= at) {
      return () => Promise.resolve(withWakeAt(endOutside(execution, CLEAN_UP_OVER, now)))
    }
    const { damage } = execution
    if (damage !== undefined) return () => Promise.resolve(withWakeAt(failDamaged(execution, damage, now)))
    const planned = planVisited(execution, at)
    if (planned.length === 0) return undefined
    return async () => {
      // Outcomes that only this visit knows are not dropped.
      const ran = await runPlanned(deps, { place, invocation, leaseMs }, execution, planned, !here.hasOutcomes)
      return ran && withWakeAt(ran)
    }
  }

  const takeTurn = async (
    execution: VisitedExecution,
    duty: VisitDuty,
    decide: () => Promise<Decided | undefined>,
  ): Promise<TurnResult> => {
    const decided = await decide()
    if (decided === undefined) return 'cut'
    const computeMs = (decided.computeMs ?? 0) + effectsMs
    effectsMs = 0
    const begins = (change: Change) => opened.claim(change, (effect) => here.admits(execution, effect))
    const result = await commitTurns(store, execution, invocation, { ...decided, computeMs, begins })
    if (result.kind === 'lost') {
      lost += 1
      opened.refused()
      hosts.forget(executionId) // the host is told before the row is loaded again
      duty.addAll()
      execution.isStale = true
      return 'lost'
    }
    const { damage } = decided
    if (damage !== undefined)
      deps.log.error({ err: damage, executionId }, 'what is stored of an Execution is damaged; it fails')
    return committed(execution, duty, result.change)
  }

  const committed = (execution: VisitedExecution, duty: VisitDuty, change: Change): TurnResult => {
    deps.justStored.drop(executionId)
    const outcome = outcomeOf(change, execution.head.startedAt)
    const isEnd = outcome !== undefined
    deps.onCommitted(execution.head.key, isEnd, outcome)
    here.committed(execution)
    if (isEnd) {
      opened.closeAll()
      hosts.forget(executionId)
      return 'ended'
    }
    isResting = true
    lost = 0
    duty.add((change.opened ?? []).map(({ command }) => command))
    opened.stored(change)
    running.abortClosed(executionId, execution.live)
    return 'committed'
  }

  const settleHere = async (execution: VisitedExecution, duty: VisitDuty): Promise<void> => {
    const settled = await here.settle(execution)
    effectsMs += settled.computeMs
    duty.add(settled.byMessage)
    for (const command of settled.byMessage) byMessage.add(command)
  }

  /** Begins short effects, and waits for them. False: there is nothing to wait for. */
  const waitHere = async (execution: VisitedExecution, duty: VisitDuty): Promise<boolean> => {
    const at = now()
    let dueAt = nextTimerAt(execution) ?? Infinity
    for (const effect of duty.effects(execution)) {
      if (here.isRunning(effect.command) || elsewhere.has(effect.command) || beginClaimed(execution, effect)) continue
      if (!isOurs(execution, effect) || !here.admits(execution, effect)) continue
      if ((effect.dueAt ?? 0) <= at) await beginHere(execution, effect)
      else dueAt = Math.min(dueAt, effect.dueAt ?? at)
    }
    const untilDueMs = dueAt - at
    const isEarly = why === 'timer' && rounds === 0 && untilDueMs > 0 && untilDueMs <= EARLY_MESSAGE_MS
    if (here.count === 0 && !isEarly && (untilDueMs > SHORT_WAIT_MS || !here.mayWait)) return false
    // It may have come due since this visit looked for what is ready.
    const waitMs = Math.max(0, Math.min(untilDueMs, LOOK_EVERY_MS))
    place.give()
    // This does not count as waiting for effects, of which a visit may do only so much.
    if (isEarly && here.count === 0) await pause(waitMs)
    else await here.next(waitMs)
    execution.isStale ||= here.isLate || isEarly
    return true
  }

  /** Whether no other process can perform the effect: this visit has opened it, or the start did and no visit came before. */
  const isOurs = ({ lastInvocation }: VisitedExecution, { command }: OpenEffect): boolean =>
    opened.has(command) || (why === 'start' && lastInvocation === undefined)

  const beginClaimed = (execution: VisitedExecution, effect: OpenEffect): boolean => {
    const data = opened.take(effect)
    if (data === undefined) return false
    here.begin(execution, effect, data)
    return true
  }

  const beginHere = async (execution: VisitedExecution, { command, attempt }: OpenEffect): Promise<void> => {
    const taken = await store.takeAttempt({ executionId, command, attempt }, deps.name, deps.deadAfterMs)
    if (taken.kind === 'taken') here.begin(execution, taken.effect, taken.data)
    else if (taken.kind === 'elsewhere') elsewhere.add(command)
    else execution.isStale = true
  }

  /** False: something came from outside. */
  const rest = async (execution: VisitedExecution): Promise<boolean> => {
    const until = wakeAt(execution)
    const { wakeAt: stored, live } = execution
    const isAwake = stored !== undefined && stored <= now()
    const isTooLate = until !== undefined && (stored === undefined || stored > until)
    if (isResting && !isAwake && !isTooLate) return true
    return store.rest(seenOf(execution, live.turns), until)
  }

  const later = async (execution: VisitedExecution, duty: VisitDuty): Promise<Visited> => {
    const delayMs = slow.turnAway(execution.workspaceId)
    await store.rest(seenOf(execution, execution.live.turns), now() + delayMs + UNOWNED_LEASE_MS)
    return handOver(execution, duty, delayMs)
  }

  /** By default, where this worker stops: another one goes on at once, and does not wait until this address no longer answers. */
  const handOver = (execution: VisitedExecution, duty: VisitDuty, delayMs = HAND_OVER_MS): Visited => ({
    ...finish(execution, duty),
    next: { why: 'again', delayMs },
  })

  const finish = (execution: VisitedExecution, duty: VisitDuty): Visited => {
    const isPerformedHere = ({ command, attempt }: OpenEffect) =>
      here.isRunning(command) || (!byMessage.has(command) && running.has({ executionId, command, attempt }))
    return duty.visited(execution, now(), isPerformedHere)
  }

  const ended = (): Visited => {
    running.abortClosed(executionId, undefined)
    return NOTHING
  }

  /** Another worker begins it: nothing was run here. It is another visit there, which does not know what this one has opened. */
  const passOn = (): Visited => ({
    attempts: [],
    next: { why: mayBeAgain ? 'sweep' : why, delayMs: running.isDraining ? HAND_OVER_MS : 0 },
  })

  return async () => {
    const drop = (): void => waiting.abort(dropped?.reason)
    dropped?.addEventListener('abort', drop, { once: true })
    // It may be cut off, so what Restate did not ask for stays here.
    const uncut = isAsked ? running.whenCut(() => waiting.abort(REPLACED)) : undefined
    try {
      return await run()
    } catch (error) {
      if (error === REPLACED) return passOn()
      // What the image holds may differ from what is stored.
      if (hasBegun) hosts.forget(executionId)
      here.keep()
      throw error
    } finally {
      uncut?.()
      dropped?.removeEventListener('abort', drop)
      place.give()
      here.abort()
      for (const { command, attempt } of opened.claimed()) void deps.asked.letGo({ executionId, command, attempt })
    }
  }
}
