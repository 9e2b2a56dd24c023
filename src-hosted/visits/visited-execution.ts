// What a visit knows of its Execution: what was loaded, and what the visit changed since.

import type { Change } from '../../src-runtime/engine/change.ts'
import type { DamagedExecution } from '../../src-runtime/engine/damaged-execution.ts'
import type { ExecutionHead } from '../../src-runtime/engine/execution-state.ts'
import type { JsonText } from '../../src-runtime/engine/journal.ts'
import { placeWaits, requestCancel, resumeLive, type LiveExecution } from '../../src-runtime/engine/live-execution.ts'
import { planDeliveries, type Moment } from '../../src-runtime/engine/plan-deliveries.ts'
import type { PlannedDelivery } from '../../src-runtime/engine/turn.ts'
import type { Activation } from '../../src-runtime/sandbox/program-hosts.ts'
import type { Committed, Loaded, Seen } from '../store/store.ts'

/** An Execution may have 10,000 events, and all of them are loaded. As many have their data then. */
const MOST_TURNS_STIRRED = 16

export type VisitedExecution = {
  readonly id: string
  readonly workspaceId: string
  head: ExecutionHead
  readonly live: LiveExecution
  /** Data of buffered events, as far as they were loaded. */
  readonly payloads: ReadonlyMap<number, JsonText>
  /** Outcomes that are stored and were not loaded, because they are large together. */
  readonly unread: readonly Moment[]
  /** As it was loaded: a commit that finds another number leaves the row awake. */
  readonly stirred: number
  /** As the row has it. */
  wakeAt: number | undefined
  /** It must be loaded again before its next turn. */
  isStale: boolean
  /** Turns that were stored after something had come from outside since it was loaded. */
  turnsStirred: number
  /** Once its cancel was delivered: when the time for its clean-up is over. */
  graceEndsAt: number | undefined
  /** How long that time is. */
  readonly graceMs: number
  /** Of the invocation that committed last when it was loaded. */
  readonly lastInvocation: string | undefined
  /** What is stored of it cannot be read: it must fail. */
  readonly damage: DamagedExecution | undefined
}

export const visitedExecution = (loaded: Loaded, graceMs: number): VisitedExecution => {
  const { cancelDeliveredAt } = loaded
  const live = resumeLive(loaded, loaded.startData)
  live.effectDeliveries.push(...loaded.outcomes)
  return {
    id: loaded.head.id,
    workspaceId: loaded.workspaceId,
    head: loaded.head,
    live,
    payloads: loaded.payloads,
    unread: loaded.unread,
    stirred: loaded.stirred,
    wakeAt: loaded.wakeAt,
    isStale: false,
    turnsStirred: 0,
    graceEndsAt: cancelDeliveredAt === undefined ? undefined : cancelDeliveredAt + graceMs,
    graceMs,
    lastInvocation: loaded.lastInvocation,
    damage: loaded.damage,
  }
}

/** As it is stored with its first turn. */
export const startedExecution = (
  started: Pick<VisitedExecution, 'workspaceId' | 'head' | 'live' | 'wakeAt' | 'graceMs'>,
): VisitedExecution => ({
  ...started,
  id: started.head.id,
  payloads: new Map(),
  unread: [],
  stirred: 0,
  isStale: false,
  turnsStirred: 0,
  graceEndsAt: undefined,
  lastInvocation: undefined,
  damage: undefined,
})

/** The first outcome that must be loaded. */
export const firstUnread = ({ live, unread }: Pick<VisitedExecution, 'live' | 'unread'>): Moment | undefined =>
  unread.find(({ command }) => live.open.has(command))

/** Commands of effects that have an outcome. */
export const answeredCommands = ({ live, unread }: Pick<VisitedExecution, 'live' | 'unread'>): ReadonlySet<number> =>
  new Set([...live.effectDeliveries, ...unread].map(({ command }) => command))

export const planVisited = (execution: VisitedExecution, now: number): readonly PlannedDelivery[] =>
  planDeliveries(execution.live, now, firstUnread(execution))

/**
 * Whether what came from outside counts in the next turn. While each wait has an event that is known, and nothing else is ready, it may only
 * be a cancel, which a commit finds by itself, or something that is ready after these events.
 */
export const isOutdated = (execution: VisitedExecution, now: number): boolean => {
  const { isStale, turnsStirred, live } = execution
  if (isStale || turnsStirred === 0) return isStale
  if (turnsStirred >= MOST_TURNS_STIRRED) return true
  const planned = planVisited(execution, now)
  const open = [...live.open.values()].filter(({ kind }) => kind !== 'timer')
  return planned.length === 0 || planned.length < open.length || planned.some(({ kind }) => kind !== 'event')
}

export const activationOf = ({
  head,
  workspaceId: tenant,
}: VisitedExecution): Pick<Activation, 'executionId' | 'programId' | 'tenant' | 'versionId' | 'versionNumber'> => {
  const { id: executionId, programId, versionId, versionNumber } = head
  return { executionId, programId, tenant, versionId, versionNumber }
}

export const seenOf = ({ workspaceId, head, stirred }: VisitedExecution, turns: number): Seen => ({
  workspaceId,
  key: head.key,
  turns,
  cancelRequestedAt: head.cancelRequestedAt,
  stirred,
  // Commits of this visit leave it as it is: an event may have come before their entries.
  lastPosition: head.lastPosition,
  lastCommand: head.lastCommand,
  buffered: head.buffered,
})

/** A cancel was accepted since the row was seen. */
export const seeCancel = (execution: VisitedExecution, cancelRequestedAt: number): void => {
  execution.head = { ...execution.head, cancelRequestedAt, status: 'cancelling' }
  requestCancel(execution.live, cancelRequestedAt)
}

/** What was committed is part of the row now. */
export const applyCommitted = (
  execution: VisitedExecution,
  change: Change,
  committed: Committed,
  wakeAt: number | undefined,
): void => {
  const { head } = execution
  placeWaits(execution.live, change, committed.firstPosition)
  const isStirred = committed.stirred !== execution.stirred
  if (isStirred) execution.turnsStirred += 1
  execution.wakeAt = execution.isStale || isStirred ? committed.now : wakeAt
  if (change.cancelDelivered && !head.cancelDelivered) execution.graceEndsAt = committed.now + execution.graceMs
  execution.head = {
    ...head,
    ...(change.status !== undefined && { status: change.status }),
    ...(change.startedAt !== undefined && { startedAt: change.startedAt }),
    ...(change.cancelDelivered && { cancelDelivered: true }),
    turns: change.turns ?? head.turns,
    lastCommand: change.lastCommand ?? head.lastCommand,
  }
}
