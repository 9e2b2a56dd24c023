// Joins the parts that run Executions in one process.

import type { Logger } from 'pino'
import type { EffectPerformer } from '../../src-runtime/effects/effect-performer.ts'
import type { ProgramHosts } from '../../src-runtime/sandbox/program-hosts.ts'
import type { Clock } from '../../src-runtime/shared/clock.ts'
import { createAloneGate } from '../../src-runtime/worker/alone-gate.ts'
import type { Dispatcher, Work } from '../dispatch/dispatcher.ts'
import type { HostedStore } from '../store/store.ts'
import { createAskedAttempts } from './asked-attempts.ts'
import { createVisits, type VisitsDeps } from './create-visits.ts'
import { createEffectLogs } from './effect-logs.ts'
import { createEffectSpeeds } from './effect-speeds.ts'
import { createFirstTurns } from './first-turns.ts'
import { createJustStored } from './just-stored.ts'
import { createLateTurns } from './late-turns.ts'
import { watchOpenAttempts } from './open-attempts.ts'
import { createAttemptPerformer } from './perform-attempts.ts'
import { createRunAhead, type RunAhead } from './run-ahead.ts'
import { createRunningAttempts } from './running-attempts.ts'
import { createSlowVisits } from './slow-visits.ts'
import { createOutcomeWriter, untilAnswered } from './store-outcomes.ts'
import type { VersionCache } from './version-cache.ts'
import { createVisitPlaces } from './visit-places.ts'

export type HostedWork = {
  readonly work: Work
  /** A visit for which nobody asks Restate. */
  readonly visitHere: Work['visit']
  readonly runAhead: RunAhead
  /** To be called every second, so that others need not ask whether this process has died. Absent: nobody would. */
  readonly noteAlive?: () => Promise<void>
  /** Hands over the turns that run here, and visits and attempts that wait: another worker gets all new work, and takes over sooner. */
  handOver(): void
  /** Begins no more work; waits for running effects, but no longer than `graceMs`. May be called twice. */
  drain(graceMs: number): Promise<void>
}

/** How many visits compute at once. */
const MOST_VISITS = 32
/** A performer that is silent for so long, while others ask for its attempt, has died. */
const DEAD_AFTER_MS = 6_000
/** Of Restate's 4,000 handlers at once; see restate-environment.ts. */
const MOST_AWAITED = 256

export const createHostedWork = (deps: {
  readonly store: Pick<HostedStore, 'engine' | 'now'>
  readonly dispatcher: Dispatcher
  readonly versions: VersionCache
  /** They load the code of these versions. */
  readonly hosts: Pick<ProgramHosts, 'activate' | 'forget'>
  readonly effects: Pick<EffectPerformer, 'perform'>
  readonly clock: Clock
  readonly log: Logger
  /** Identifies this process, from its start to its end. */
  readonly name: string
  readonly cancelGraceMs: number
  /** How many visits to Executions of a workspace compute at once in this process. */
  readonly turnsAtOnce: (workspaceId: string) => number
  /** Whether Restate sends visits to this process. */
  readonly hasVisits: boolean
  /** No other process can perform effects, so attempts of other processes have ended with these. */
  readonly isAlone?: boolean
  /** For tests. */
  readonly deadAfterMs?: number
  readonly mostAwaited?: number
  readonly onCommitted: VisitsDeps['onCommitted']
}): HostedWork => {
  const { log, name, dispatcher, versions, cancelGraceMs, isAlone = false, onCommitted } = deps
  const { deadAfterMs = isAlone ? 0 : DEAD_AFTER_MS, mostAwaited = MOST_AWAITED } = deps
  const { engine: store, now } = deps.store
  const lateTurns = createLateTurns(deps.hosts)
  const places = createVisitPlaces(MOST_VISITS, deps.turnsAtOnce)
  const running = createRunningAttempts()
  const speeds = createEffectSpeeds()
  const firstTurns = createFirstTurns(deps.clock.monotonic)
  const justStored = createJustStored(deps.clock.monotonic)
  const performer = createAttemptPerformer({
    effects: deps.effects,
    speeds,
    gate: createAloneGate(deps.clock),
    logs: createEffectLogs(store),
    noteUnderWay: async (key, isUnderWay, signal) =>
      void (await untilAnswered(() => store.noteUnderWay(key, name, isUnderWay), signal)),
    now,
  })
  const outcomes = createOutcomeWriter(store, now)
  const attempts = { store, performer, outcomes, running, dispatcher, name, deadAfterMs, mostAwaited, now, log }
  const asked = createAskedAttempts(attempts)
  const visits = createVisits({
    store,
    hosts: lateTurns,
    versions,
    places,
    slow: createSlowVisits(deps.clock.monotonic),
    performer,
    outcomes,
    asked,
    running,
    speeds,
    firstTurns,
    justStored,
    name,
    deadAfterMs,
    now,
    log,
    cancelGraceMs,
    onCommitted,
  })
  const stopWatching = watchOpenAttempts({ store, running, performer: name, log })
  let drained: Promise<void> | undefined
  return {
    work: { visit: visits.visit, perform: asked.perform },
    visitHere: visits.visitHere,
    runAhead: createRunAhead({
      ...{ lateTurns, versions, firstTurns, justStored, speeds, name, cancelGraceMs, now },
      hasVisits: deps.hasVisits,
      visitsFollow: deps.hasVisits && isAlone,
    }),
    ...(deps.hasVisits && !isAlone && { noteAlive: () => store.noteAlive(name) }),
    handOver: running.handOver,
    drain: (graceMs) => (drained ??= running.drain(graceMs).finally(stopWatching)),
  }
}
