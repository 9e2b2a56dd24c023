// Runs the Program from its deliveries, and says what to store.

import { advance, settleTurns, type Turns } from '../../src-runtime/engine/advance.ts'
import { missingEntry } from '../../src-runtime/engine/damaged-execution.ts'
import { endOutsideTurn, type Ending } from '../../src-runtime/engine/end-execution.ts'
import type { JsonText } from '../../src-runtime/engine/journal.ts'
import { endLive } from '../../src-runtime/engine/live-execution.ts'
import { nondeterminismError } from '../../src-runtime/engine/nondeterminism.ts'
import { withPayload } from '../../src-runtime/engine/plan-deliveries.ts'
import type { Delivery, PlannedDelivery } from '../../src-runtime/engine/turn.ts'
import type { ProgramHosts } from '../../src-runtime/sandbox/program-hosts.ts'
import { runTurns, type Replay } from '../../src-runtime/worker/run-turns.ts'
import type { EngineStore } from '../store/store.ts'
import type { Decided } from './commit-turns.ts'
import { readParts } from './read-parts.ts'
import type { CachedVersion } from './version-cache.ts'
import { activationOf, type VisitedExecution } from './visited-execution.ts'

export type RunParts = {
  readonly store: Pick<EngineStore, 'recorded' | 'dataAt'>
  readonly activate: ProgramHosts['activate']
  /** PostgreSQL's clock, in ms since the epoch. */
  readonly now: () => number
}

export type Ran = Pick<Decided, 'turnsBefore' | 'settle' | 'computeMs' | 'damage'>

/** Throws DamagedExecution; any other error means that the turns may run another time. */
export const runDeliveries = async (
  { store, activate, now }: RunParts,
  execution: VisitedExecution,
  version: CachedVersion,
  planned: readonly PlannedDelivery[],
): Promise<Ran> => {
  const { live } = execution
  const turnsBefore = live.turns
  const begunAt = now()
  const deliveries = await withPayloads(store, execution, planned)
  const toRun = { execution: activationOf(execution), turnsDone: turnsBefore, deliveries }
  const ran = await runTurns(toRun, { activate }, replayOf(store, execution))
  if (ran === undefined) throw new Error(`the image of ${execution.id} cannot be built now`)
  if (ran.kind === 'diverged') {
    return endOutside(execution, { kind: 'failed', error: nondeterminismError(ran) }, now)
  }
  const turns: Turns = advance(live, planned, ran.turns, (name) => version.defaultsOf(name), {
    begunAt,
    endedAt: now(),
  })
  return { turnsBefore, settle: (head) => settleTurns(turns, head), computeMs: ran.computeMs }
}

/** Ends it without running the Program. */
export const endOutside = (execution: VisitedExecution, ending: Ending, now: () => number): Ran => {
  const { live } = execution
  endLive(live)
  return { turnsBefore: live.turns, settle: (head) => endOutsideTurn(ending, head, now()) }
}

const replayOf = (store: RunParts['store'], { head, live }: VisitedExecution): Replay => ({
  ready: () => Promise.resolve(),
  parts: () => readParts(store, head.key, live),
  isGone: () => false,
})

const withPayloads = async (
  store: RunParts['store'],
  { head, payloads }: VisitedExecution,
  planned: readonly PlannedDelivery[],
): Promise<readonly Delivery[]> => {
  const unread = planned.flatMap((delivery) =>
    delivery.kind === 'event' && !payloads.has(delivery.source) ? delivery.source : [],
  )
  const read: ReadonlyMap<number, JsonText> = unread.length === 0 ? payloads : await store.dataAt(head.key, unread)
  return planned.map((delivery) => {
    if (delivery.kind !== 'event') return delivery
    const data = payloads.get(delivery.source) ?? read.get(delivery.source)
    if (data === undefined) throw missingEntry(delivery.source, 'event_received')
    return withPayload(delivery, data)
  })
}
