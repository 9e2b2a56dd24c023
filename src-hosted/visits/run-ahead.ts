// Runs the first turn of an Execution before its start is stored, so that both are one transaction. Where the turn takes
// too long, the start is stored alone, and a visit goes on with the turn, or runs it where it is in another process.

import { advance, settleTurns } from '../../src-runtime/engine/advance.ts'
import { DamagedExecution } from '../../src-runtime/engine/damaged-execution.ts'
import type { ExecutionHead } from '../../src-runtime/engine/execution-state.ts'
import { beginLive, placeWaits } from '../../src-runtime/engine/live-execution.ts'
import { queuedHead } from '../../src-runtime/engine/memory-row.ts'
import { planDeliveries } from '../../src-runtime/engine/plan-deliveries.ts'
import type { NewExecution, WholeExecution } from '../../src-runtime/ports/executions.ts'
import type { ActivationResult } from '../../src-runtime/sandbox/program-hosts.ts'
import { within } from '../../src-runtime/shared/within.ts'
import type { Why } from '../dispatch/dispatcher.ts'
import type { Ahead, Loaded } from '../store/store.ts'
import { claimEffects } from './claimed-effects.ts'
import { isPerformedHere } from './effects-here.ts'
import type { EffectSpeeds } from './effect-speeds.ts'
import { SHORT_TURN_MS, type FirstTurns } from './first-turns.ts'
import type { JustStored } from './just-stored.ts'
import type { LateTurns } from './late-turns.ts'
import { nextAskedTimerAt, UNOWNED_LEASE_MS, wakeAtOf, type Waiting } from './look-again.ts'
import { outcomeOf } from './outcome-of.ts'
import type { CachedVersion, VersionCache } from './version-cache.ts'
import { startedExecution, visitedExecution } from './visited-execution.ts'

export type RanAhead = {
  readonly ahead: Ahead
  readonly isEnd: boolean
  /** As it is stored, once it has this head. */
  readonly whole: (head: ExecutionHead) => WholeExecution
  /** It is stored: a visit that follows here at once begins with what is known of it. */
  readonly keep: (stored: { readonly head: ExecutionHead; readonly firstPosition: number }) => void
  /** Why to ask for a visit once it is stored; `undefined`: an event, a cancel or a timer that a worker finds can wake it. */
  readonly visit?: { readonly why: Why; readonly at: number }
}

export type RunAhead = {
  /** `undefined`: not in time. Rejects when the store cannot be reached. */
  run(workspaceId: string, execution: NewExecution): Promise<RanAhead | undefined>
  /** The start was not stored: drops the result. */
  forget(executionId: string): void
  /** Keeps what an event has woken, for the visit that follows here at once; absent: none does. */
  keepWoken?(loaded: Loaded): void
}

export const createRunAhead = (deps: {
  readonly lateTurns: LateTurns
  readonly versions: VersionCache
  readonly firstTurns: FirstTurns
  readonly justStored: Pick<JustStored, 'keep'>
  readonly speeds: EffectSpeeds
  /** Identifies this process to the store, as the performer of effects. */
  readonly name: string
  /** How long a cancelled Execution may clean up. */
  readonly cancelGraceMs: number
  /** Whether visits run in this process, so that a version's first start can be left to them. */
  readonly hasVisits: boolean
  /** Whether a visit here follows a start at once. */
  readonly visitsFollow: boolean
  /** PostgreSQL's clock, in ms since the epoch. */
  readonly now: () => number
}): RunAhead => {
  const { lateTurns, versions, firstTurns, justStored, speeds, name, cancelGraceMs, hasVisits, visitsFollow, now } =
    deps

  const runFirst = async (
    workspaceId: string,
    execution: NewExecution,
    version: CachedVersion,
  ): Promise<RanAhead | undefined> => {
    const { id, programId, projectId, versionId, versionNumber, createdAt, data } = execution
    const head: ExecutionHead = {
      ...queuedHead({ id, programId, createdAt }),
      projectId,
      versionId,
      versionNumber,
    }
    const live = beginLive(head, data)
    const begunAt = now()
    const [start] = planDeliveries(live, begunAt)
    if (start?.kind !== 'start') throw new Error('the first delivery of an Execution is its start')
    const activation = {
      executionId: id,
      programId,
      tenant: workspaceId,
      versionId,
      versionNumber,
      turnsDone: 0,
      turns: [{ delivery: start }],
    }
    const note = (result: ActivationResult): void => {
      if (result.kind === 'ran') firstTurns.note(versionId, result.computeMs)
    }
    const first = lateTurns.runAhead(activation)
    const end = firstTurns.begin(versionId)
    first.running.then(end, end)
    // In a busy process, the time may be over before it reads what has come.
    const ran = (await within(SHORT_TURN_MS, first.running)) ?? (await within(0, first.running))
    if (ran === undefined) {
      firstTurns.note(versionId, Infinity)
      versions.with(versionId, () => first.running).then(note, () => {}) // the visit that waits for it is told
      if (!hasVisits) {
        lateTurns.abandon(first) // its visit comes to another process
        return undefined
      }
      lateTurns.keep(first)
      return withoutTurn(execution)
    }
    note(ran)
    if (ran.kind !== 'ran') return undefined
    const endedAt = now()
    const turns = advance(live, [start], ran.turns, (name) => version.defaultsOf(name), { begunAt, endedAt })
    const change = settleTurns(turns, head)
    if (change === undefined) throw new Error('a queued Execution takes its first turn')
    const { computeMs } = ran
    const outcome = outcomeOf(change)
    const whole = (stored: ExecutionHead): WholeExecution => ({
      head: stored,
      ...(outcome?.error !== undefined && { error: outcome.error }),
      waitingFor: [...live.open.values()],
      input: data,
      result: outcome?.result ?? '{}',
    })
    if (outcome !== undefined) {
      return { ahead: { change, wakeAt: undefined, computeMs }, isEnd: true, whole, keep: () => {} }
    }
    const waiting = { live, graceEndsAt: undefined }
    const wakeAt = wakeAtOf(waiting, endedAt, UNOWNED_LEASE_MS)
    const claimed = visitsFollow
      ? claimEffects(change, name, (effect) => isPerformedHere(speeds, { head, live }, effect))
      : undefined
    const ahead: Ahead = { change, wakeAt, computeMs, ...(claimed !== undefined && { begun: claimed.begun }) }
    const visit = visitAfter(waiting, endedAt)
    const keep: RanAhead['keep'] = (stored) => {
      if (!visitsFollow || visit === undefined) return
      placeWaits(live, change, stored.firstPosition)
      const kept = startedExecution({ workspaceId, head: stored.head, live, wakeAt, graceMs: cancelGraceMs })
      justStored.keep({ execution: kept, start: { change, claimed: claimed?.byCommand ?? new Map() } }, visit.why)
    }
    return { ahead, isEnd: false, whole, keep, ...(visit !== undefined && { visit }) }
  }

  return {
    run: async (workspaceId, execution) => {
      const { versionId } = execution
      if (!(firstTurns.isInTime(versionId) ?? !hasVisits)) return undefined
      try {
        return await versions.with(versionId, (version) => runFirst(workspaceId, execution, version))
      } catch (error) {
        if (error instanceof DamagedExecution) return undefined // the store says so itself
        throw error
      }
    },
    forget: lateTurns.drop,
    ...(visitsFollow && {
      keepWoken: (loaded: Loaded) => justStored.keep({ execution: visitedExecution(loaded, cancelGraceMs) }, 'event'),
    }),
  }
}

/** The time at which it is stored is the one that its first turn was given. */
const withoutTurn = ({ createdAt, data }: NewExecution): RanAhead => ({
  ahead: { change: {}, wakeAt: createdAt },
  isEnd: false,
  whole: (head) => ({ head, waitingFor: [], input: data, result: '{}' }),
  keep: () => {},
  visit: { why: 'start', at: createdAt },
})

const visitAfter = (waiting: Waiting, now: number): RanAhead['visit'] => {
  if (waiting.live.openEffects.size > 0) return { why: 'start', at: now }
  const at = nextAskedTimerAt(waiting)
  return at === undefined ? undefined : { why: 'timer', at }
}
