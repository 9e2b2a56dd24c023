// Runs planned deliveries for a visit. A turn that takes long is shown, gives its place to another visit, and is cut where this
// worker hands over its turns.

import { DamagedExecution, damagedExecutionError } from '../../src-runtime/engine/damaged-execution.ts'
import type { PlannedDelivery } from '../../src-runtime/engine/turn.ts'
import type { ProgramHosts } from '../../src-runtime/sandbox/program-hosts.ts'
import type { EngineStore } from '../store/store.ts'
import type { FirstTurns } from './first-turns.ts'
import type { LateTurns } from './late-turns.ts'
import { endOutside, runDeliveries, type Ran } from './run-deliveries.ts'
import type { RunningAttempts } from './running-attempts.ts'
import { watchLongTurn } from './show-running.ts'
import type { SlowVisits } from './slow-visits.ts'
import type { VersionCache } from './version-cache.ts'
import { abandonTurn, type Place, type VisitPlaces } from './visit-places.ts'
import type { VisitedExecution } from './visited-execution.ts'

export type RunPlannedDeps = {
  readonly store: Pick<EngineStore, 'recorded' | 'dataAt' | 'commit'>
  readonly hosts: Pick<LateTurns, 'activate' | 'forget' | 'isKept'>
  readonly versions: VersionCache
  readonly places: Pick<VisitPlaces, 'alone'>
  readonly slow: Pick<SlowVisits, 'enter'>
  readonly running: Pick<RunningAttempts, 'whenCut'>
  readonly firstTurns: Pick<FirstTurns, 'note'>
  /** PostgreSQL's clock, in ms since the epoch. */
  readonly now: () => number
}

/** The visit that the deliveries are for. */
type OfVisit = { readonly place: Place; readonly invocation: string; readonly leaseMs: number }

/** `undefined`: the turn was cut. */
export const runPlanned = async (
  deps: RunPlannedDeps,
  { place, invocation, leaseMs }: OfVisit,
  execution: VisitedExecution,
  planned: readonly PlannedDelivery[],
  mayCut: boolean,
): Promise<Ran | undefined> => {
  const { store, hosts, versions, slow, running, firstTurns, now } = deps
  const { versionId } = execution.head
  let isSlow = false
  let isOver = false
  let leaveSlow = (): void => {}
  const cut = Promise.withResolvers<undefined>()
  const endListening = mayCut ? running.whenCut(() => cut.resolve(undefined)) : () => {}
  const onAlone = (): void => {
    if (isOver) return // the turn was cut, and nobody waits for it
    isSlow = true
    leaveSlow = slow.enter(execution.workspaceId, versionId)
    place.give()
  }
  const activate: ProgramHosts['activate'] = (activation) => hosts.activate(activation, isSlow ? undefined : onAlone)
  const shown = watchLongTurn({ store, now, leaseMs }, execution, invocation)
  try {
    // How long one computed that is kept is noted by its start.
    const isFirst = execution.live.turns === 0 && !hosts.isKept(execution.id)
    const ended = versions.with(versionId, (version) =>
      runDeliveries({ store, activate, now }, execution, version, planned),
    )
    const ran = await Promise.race([ended, cut.promise])
    if (ran === undefined) {
      abandonTurn(deps, execution.id, ended)
      return undefined
    }
    if (isFirst) firstTurns.note(versionId, ran.computeMs ?? 0)
    return ran
  } catch (error) {
    if (!(error instanceof DamagedExecution)) throw error
    return failDamaged(execution, error, deps.now)
  } finally {
    isOver = true
    leaveSlow()
    endListening()
    await shown()
  }
}

export const failDamaged = (execution: VisitedExecution, damage: DamagedExecution, now: () => number): Ran => ({
  ...endOutside(execution, { kind: 'failed', error: damagedExecutionError(damage) }, now),
  damage,
})
